/**
 * Names for lists in the explorer: labels of addresses, functions by selector, and errors by data, from the chain's contracts and the
 * built-in signatures. It reads nothing from the index.
 *
 * Source: decision 0058.
 */
import * as ExplorerOperation from "@daybook/schema/ExplorerOperation"
import type { LookupQuery, NamesResultWire, NamesWire } from "@daybook/schema/NameLookup"
import * as Effect from "effect/Effect"
import type { ContractDecoder } from "../../contract/ContractDecoder.ts"
import type { Label } from "../../label/Label.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as Response from "../http/Response.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import type { PageContext } from "./PageContext.ts"

/** Splits texts such as `0x…:0x…` into an address and the part that belongs to it. */
const pairsOf = (texts: ReadonlyArray<string> = []): ReadonlyArray<readonly [address: string, value: string]> =>
  texts.map((pair) => {
    const [address = "", value = ""] = pair.split(":")
    return [address, value]
  })

/** Names in the order of the parameters; `null` if nothing is known. */
const namesOf = (
  query: LookupQuery,
  label: Label,
  decoder: Pick<ContractDecoder, "error" | "functionOf">,
): NamesWire => ({
  addresses: (query.address ?? []).map(label),
  calls: pairsOf(query.call).map(([address, selector]) => decoder.functionOf(address, selector)),
  errors: pairsOf(query.error).map(([address, data]) => decoder.error(address, data)),
})

/** The route of the lookup. */
export const route = ({ authentication, chainOf, contracts, ensOf }: PageContext) => {
  const handler: OperationRoute.Handler<ExplorerOperation.All["names"], IndexedChain> = ({ caller, chain, query }) => {
    const described = Effect.andThen(ensOf(chain).settle(query.address ?? []), contracts.find(chain))
    return Effect.map(described, ({ decoder, label }) => {
      const body: NamesResultWire = { result: namesOf(query, label, decoder) }
      return Response.json(JSON.stringify(body), { headers: caller.headers })
    })
  }
  return OperationRoute.make(ExplorerOperation.names, handler, authentication, chainOf)
}
