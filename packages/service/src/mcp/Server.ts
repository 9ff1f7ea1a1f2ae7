/**
 * The server of the Model Context Protocol over standard input and output.
 *
 * Source: decision 0074.
 */
import * as ExplorerClient from "@daybook/rest/ExplorerClient"
import * as RestClient from "@daybook/rest/RestClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Handlers from "./Handlers.ts"
import type { Access } from "./LocalService.ts"
import { instructions, toolkit } from "./Tools.ts"

/** Versions of the protocol, the newest first. */
const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
] as const

/** A call of a tool ends by then. */
const timeout = "60 seconds"

/** Answers on standard input and output, by a service. */
export const layer = (access: Access, version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const apiKey = Redacted.value(access.key)
      const options = { baseUrl: access.url, apiKey, timeout } as const
      const rest = yield* RestClient.make(options)
      const explorer = ExplorerClient.createExplorerClient({ ...options, timeout: 60_000 })
      const handlers = Handlers.layer({ rest, explorer, rpc: Handlers.rpcOf(access.url, apiKey) })
      return McpServer.layerStdio({
        name: "daybook",
        version,
        instructions,
        protocols,
        registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers)),
      })
    }),
  )
