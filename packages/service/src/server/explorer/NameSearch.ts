/**
 * Finds addresses by name for the explorer's search: labels, the operator's contracts, tokens, and names of the Ethereum Name Service.
 *
 * Source: decision 0058.
 */
import * as Address from "@daybook/schema/Address"
import * as ExplorerOperation from "@daybook/schema/ExplorerOperation"
import { visibleLine } from "@daybook/schema/VisibleText"
import type { NamedAddressWire, SearchResultWire } from "@daybook/schema/NameSearch"
import * as Effect from "effect/Effect"
import type { EnsNames } from "../../ens/EnsNames.ts"
import * as Label from "../../label/Label.ts"
import type { Contract } from "../../store/Contracts.ts"
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as Response from "../http/Response.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import type { PageContext } from "./PageContext.ts"

const defaultLimit = 20

/** Rank of a match: 0 for the whole name, 1 for its start, 2 for a part; `null` for no match. */
const rankOf = (text: string, { address, name }: NamedAddressWire): number | null => {
  const lower = name.toLowerCase()
  if (lower === text || address === text) return 0
  if (lower.startsWith(text)) return 1
  return lower.includes(text) ? 2 : null
}

/** Addresses of a chain whose names match a text, best matches first. A label precedes the name of a contract. */
const find = (
  text: string,
  labels: Readonly<Record<string, string>>,
  contracts: ReadonlyArray<Contract>,
  limit: number,
): ReadonlyArray<NamedAddressWire> => {
  const wanted = text.trim().toLowerCase()
  const named = new Map<string, NamedAddressWire>()
  for (const { abi, address, name } of contracts) {
    // A name without an ABI labels any address.
    const kind = abi === "[]" ? "label" : "contract"
    if (address !== null) named.set(address, { kind, address, name, symbol: null })
  }
  for (const [key, name] of Object.entries({ ...Label.builtIn, ...labels })) {
    const address = key.toLowerCase()
    named.set(address, { kind: "label", address, name, symbol: null })
  }
  return [...named.values()]
    .flatMap((match) => {
      const rank = rankOf(wanted, match)
      return rank === null ? [] : [{ match, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank || (a.match.name < b.match.name ? -1 : 1))
    .slice(0, limit)
    .map(({ match }) => match)
}

/** Orders tokens for the search: whole symbols or names precede partial matches. */
const rankTokens = (text: string, tokens: ReadonlyMap<string, TokenMetadata>): ReadonlyArray<NamedAddressWire> => {
  const wanted = text.toLowerCase()
  const isWhole = ({ name, symbol }: NamedAddressWire) =>
    symbol?.toLowerCase() === wanted || name.toLowerCase() === wanted
  const named = [...tokens].map(([address, { name, symbol }]): NamedAddressWire => {
    return { kind: "token", address, name: name ?? symbol ?? "", symbol: name === null ? null : symbol }
  })
  return named.toSorted((a, b) => Number(isWhole(b)) - Number(isWhole(a)))
}

/** Tokens that match a text; none if it is an address, nothing is left of it, or the index cannot be read at present. */
const findTokens = (text: string, chain: IndexedChain, limit: number) => {
  const clean = visibleLine(text)
  if (clean === "" || Address.pattern.test(clean)) return Effect.succeed([])
  return Effect.map(
    chain.reader.snapshot((snapshot) => snapshot.findTokens(clean, limit)),
    (tokens) => rankTokens(clean, tokens),
  ).pipe(Effect.catch(({ message }) => Effect.as(Effect.logDebug(message), [])))
}

/** Address of an Ethereum Name Service name. */
const findEns = (text: string, ens: EnsNames) =>
  Effect.map(ens.find(text), (found): ReadonlyArray<NamedAddressWire> => {
    return found === null ? [] : [{ kind: "ens", ...found, symbol: null }]
  })

/** The route of the search. */
export const route = ({ authentication, chainOf, contracts, ensOf }: PageContext) => {
  const handler: OperationRoute.Handler<ExplorerOperation.All["search"], IndexedChain> = ({ caller, chain, query }) => {
    const { config } = chain
    const { limit = defaultLimit, q: text } = query
    return Effect.gen(function* () {
      const described = yield* contracts.find(chain)
      const named = find(text, config.labels, described.contracts, limit)
      const tokens = yield* findTokens(text, chain, limit)
      const ens = yield* findEns(text, ensOf(chain))
      const addresses = new Set([...ens, ...named].map(({ address }) => address))
      const result = [...ens, ...named, ...tokens.filter(({ address }) => !addresses.has(address))].slice(0, limit)
      const body: SearchResultWire = { result }
      return Response.json(JSON.stringify(body), { headers: caller.headers })
    })
  }
  return OperationRoute.make(ExplorerOperation.search, handler, authentication, chainOf)
}
