/**
 * The server of the Model Context Protocol over standard input and output.
 *
 * Source: decision 0074.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as McpServer from "effect/ai/McpServer"
import * as Handlers from "../server/mcp/Handlers.ts"
import * as Settings from "../server/mcp/Settings.ts"
import type { Access } from "./LocalService.ts"

/** Answers on standard input and output, by a service. */
export const layer = ({ key, url }: Access, version: string) =>
  Layer.unwrap(
    Effect.map(Handlers.connect({ url, key: Redacted.value(key) }), (service) =>
      McpServer.layerStdio({
        ...Settings.of(version),
        registrations: Handlers.registrations(Effect.succeed(service)),
      }),
    ),
  )
