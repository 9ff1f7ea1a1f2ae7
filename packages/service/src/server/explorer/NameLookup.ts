/**
 * Names for the lists of the explorer: labels of addresses, functions by their selectors, and errors by their data, as the chain's
 * contracts and the built-in signatures have them. It is no operation of the interface, and reads nothing of the index.
 *
 * Source: decision 0058.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ContractDecoder } from "../../contract/ContractDecoder.ts"
import type { Label } from "../../label/Label.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as Response from "../http/Response.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import type { PageContext } from "./PageContext.ts"

/** Names of one parameter; a URL has no room for many more. */
const maxNames = 100
/** Data of an error, in bytes. */
const maxErrorBytes = 2_048

/** Values with commas between them. */
const listOf = (value: string) =>
  Schema.optionalKey(
    Schema.String.check(Schema.isPattern(new RegExp(`^${value}(?:,${value}){0,${maxNames - 1}}$`, "u"))),
  )

/** The lookup as an operation, for its route. */
const operation = {
  name: "names",
  method: "GET",
  path: "/api/v2.2/names",
  params: Schema.Struct({}),
  query: Schema.Struct({
    chain: Schema.optionalKey(Schema.String),
    /** Addresses. */
    address: listOf("0x[0-9a-f]{40}"),
    /** Calls: address and selector. */
    call: listOf("0x[0-9a-f]{40}:0x[0-9a-f]{8}"),
    /** Errors: address and data. */
    error: listOf(`0x[0-9a-f]{40}:0x(?:[0-9a-f]{2}){4,${maxErrorBytes}}`),
  }),
  response: Schema.Unknown,
  errors: [],
} as const

const valuesOf = (text: string | undefined): ReadonlyArray<string> => (text === undefined ? [] : text.split(","))

const pairsOf = (text: string | undefined): ReadonlyArray<readonly [string, string]> =>
  valuesOf(text).map((pair) => {
    const [address = "", value = ""] = pair.split(":")
    return [address, value]
  })

/** What the lookup gives, in the order of its parameters; `null` where nothing is known. */
export const namesOf = (
  query: (typeof operation)["query"]["Type"],
  label: Label,
  decoder: Pick<ContractDecoder, "error" | "functionOf" | "nameOf">,
) => ({
  addresses: valuesOf(query.address).map((address) => label(address) ?? decoder.nameOf(address)),
  calls: pairsOf(query.call).map(([address, selector]) => decoder.functionOf(address, selector)),
  errors: pairsOf(query.error).map(([address, data]) => decoder.error(address, data)),
})

/** The route of the lookup. */
export const route = ({ authentication, chainOf, contracts }: PageContext) => {
  const handler: OperationRoute.Handler<typeof operation> = ({ caller, query }) => {
    const chain = chainOf(query.chain)
    if (Result.isFailure(chain)) return ErrorResponse.badRequest(InvalidParameter.fromChain(chain.failure))
    const { label } = chain.success
    return Effect.map(contracts.find(chain.success), ({ decoder }) => {
      const result = namesOf(query, label, decoder)
      return Response.json(JSON.stringify({ result }), { headers: caller.headers })
    })
  }
  return OperationRoute.make(operation, handler, authentication, chainOf)
}
