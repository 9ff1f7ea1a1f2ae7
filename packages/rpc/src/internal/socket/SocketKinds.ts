/** What the options of a client over a WebSocket accept. It is a module of its own, so that clients over HTTP do not bundle it. */
import { optionKinds } from "../Settings.ts"

const { fetch: _, headers: __, userAgent: ___, ...sharedKinds } = optionKinds

/** What the members of the options of a client over a WebSocket are. */
export const socketKinds = { ...sharedKinds, webSocket: "function", maxQueued: "count" } as const
