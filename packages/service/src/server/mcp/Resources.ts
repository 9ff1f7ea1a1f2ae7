/**
 * Resources that a Model Context Protocol client may attach to a conversation by URI: answers of tools about one wallet, complete and
 * current when they are read.
 *
 * Source: decision 0074.
 */
import * as Address from "@daybook/schema/Address"
import * as Issue from "@daybook/schema/Issue"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type { ToolResult } from "./ToolResult.ts"
import { ArgumentsRefused, type ToolFailed } from "./Tools.ts"

/** Reads data about a wallet on a chain. */
type Read = (wallet: { readonly address: string; readonly chain: string }) => Effect.Effect<ToolResult, ToolFailed>

/** Readers, by the last part of the URI. */
export interface Reads {
  readonly statement: Read
  readonly balances: Read
  readonly movements: Read
}

/** The parameters of a URI. */
const Parameters = Schema.Struct({
  chain: Schema.String.check(Schema.isPattern(/^[\w-]{1,60}$/, { expected: "the name of a chain" })),
  address: Address.Address,
})

const mimeType = "application/json"

/** Error of the protocol: invalid parameters if the caller should send different ones. */
const errorOf = (error: ToolFailed): McpSchema.InvalidParams | McpSchema.InternalError =>
  error instanceof ArgumentsRefused
    ? new McpSchema.InvalidParams({ message: error.message })
    : new McpSchema.InternalError({ message: error.message })

/** A template, answered like the corresponding tool. `McpServer.resource` would report each failure as an internal error. */
const template = Effect.fnUntraced(function* (part: keyof Reads, name: string, description: string, read: Read) {
  const services = yield* Effect.context<never>()
  const registry = yield* McpServer.McpServer
  const uriTemplate = `daybook://{chain}/address/{address}/${part}`
  yield* registry.addResourceTemplate({
    template: new McpSchema.ResourceTemplate({ uriTemplate, name, description, mimeType }),
    routerPath: `daybook:://:0/address/:1/${part}`,
    completions: {},
    services,
    annotations: Context.empty(),
    handle: Effect.fnUntraced(function* (uri: string, [chain = "", address = ""]: ReadonlyArray<string>) {
      const [issue] = Issue.find(Parameters, { chain, address })
      if (issue !== undefined) {
        return yield* new McpSchema.InvalidParams({ message: Issue.format("parameter of the URI", issue) })
      }
      const found = yield* Effect.mapError(read({ address, chain }), errorOf)
      return { contents: [{ uri, mimeType, text: JSON.stringify(found) }] }
    }),
  })
})

/** The templates. */
export const layer = ({ balances, movements, statement }: Reads) =>
  Layer.effectDiscard(
    Effect.all([
      template(
        "statement",
        "Statement of a wallet",
        "Opening balances, sums and closing balances of the whole history, and its proof.",
        statement,
      ),
      template("balances", "Balances of a wallet", "Balances after the last indexed block.", balances),
      template(
        "movements",
        "Movements of a wallet",
        "The newest movements, and the call that lists the others.",
        movements,
      ),
    ]),
  )
