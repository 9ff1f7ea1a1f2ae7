/**
 * What a client of the Model Context Protocol may attach to a conversation by its URI: answers of tools about one wallet, whole and as they are
 * when they are read.
 *
 * Source: decision 0074.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type { ToolResult } from "./ToolResult.ts"
import type { ToolFailed } from "./Tools.ts"

/** Reads about a wallet of a chain. */
type Read = (wallet: { readonly address: string; readonly chain: string }) => Effect.Effect<ToolResult, ToolFailed>

/** What is read, by the last part of its URI. */
export interface Reads {
  readonly statement: Read
  readonly balances: Read
  readonly movements: Read
}

const chain = McpSchema.param("chain", Schema.String.check(Schema.isPattern(/^[\w-]{1,60}$/)))
const address = McpSchema.param("address", Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)))

const mimeType = "application/json"

/** The templates, of which each is answered as the tool of its kind. */
export const layer = ({ balances, movements, statement }: Reads) => {
  const options = (title: string, description: string, answer: Read) => ({
    name: title,
    description,
    mimeType,
    content: (uri: string, ofChain: string, wallet: string) =>
      Effect.map(answer({ address: wallet, chain: ofChain }), (found) => ({
        contents: [{ uri, mimeType, text: JSON.stringify(found) }],
      })),
  })
  return Layer.mergeAll(
    McpServer.resource`daybook://${chain}/address/${address}/statement`(
      options("Statement of a wallet", "Opening, sums and closing of the whole history, and its proof.", statement),
    ),
    McpServer.resource`daybook://${chain}/address/${address}/balances`(
      options("Balances of a wallet", "Balances after the last indexed block.", balances),
    ),
    McpServer.resource`daybook://${chain}/address/${address}/movements`(
      options("Movements of a wallet", "The newest movements, and the call for the others.", movements),
    ),
  )
}
