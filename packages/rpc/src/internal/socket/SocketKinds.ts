/** Kinds of the options of a WebSocket client. It is a separate module so that HTTP clients do not bundle it. */
import { optionKinds } from "../Settings.ts"

const { fetch: _, headers: __, userAgent: ___, ...sharedKinds } = optionKinds

/** Kinds of the members of a WebSocket client's options. */
export const socketKinds = { ...sharedKinds, webSocket: "function", maxQueued: "count" } as const
