/**
 * Finds addresses by their names for the search of the explorer: labels, and the operator's contracts. It is no operation of the
 * interface, and reads nothing of the index.
 *
 * Source: decision 0058.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Label from "../../label/Label.ts"
import type { Contract } from "../../store/Contracts.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import * as Response from "../Response.ts"
import { InvalidParameter } from "../rest/InvalidParameter.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import type { PageContext } from "./PageContext.ts"

/** An address with a name. */
export interface Named {
  readonly kind: "label" | "contract"
  /** Lower case. */
  readonly address: string
  readonly name: string
  /** `null`: neither labels nor contracts have one. */
  readonly symbol: null
}

const longestText = 100
const maxLimit = 100
const defaultLimit = 20

/** The search as an operation, for its route. */
const operation = {
  name: "search",
  method: "GET",
  path: "/api/v2.2/search",
  params: Schema.Struct({}),
  query: Schema.Struct({
    q: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestText)),
    chain: Schema.optionalKey(Schema.String),
    limit: Schema.optionalKey(
      Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: maxLimit })),
    ),
  }),
  response: Schema.Unknown,
  errors: [],
} as const

/** How well a name fits: 0 for the whole of it, 1 for its beginning, 2 for a part; `null` where it does not. */
const rankOf = (text: string, { address, name }: Named): number | null => {
  const lower = name.toLowerCase()
  if (lower === text || address === text) return 0
  if (lower.startsWith(text)) return 1
  return lower.includes(text) ? 2 : null
}

/** The addresses of a chain whose names have a text, those that fit best first. A label stands before the name of a contract. */
export const find = (
  text: string,
  labels: Readonly<Record<string, string>>,
  contracts: ReadonlyArray<Contract>,
  limit: number,
): ReadonlyArray<Named> => {
  const wanted = text.trim().toLowerCase()
  const named = new Map<string, Named>()
  for (const { abi, address, name } of contracts) {
    // A name without an ABI labels any address.
    const kind = abi === "[]" ? "label" : "contract"
    if (address !== null) named.set(address, { kind, address, name, symbol: null })
  }
  for (const [given, name] of Object.entries({ ...Label.builtIn, ...labels })) {
    const address = given.toLowerCase()
    named.set(address, { kind: "label", address, name, symbol: null })
  }
  return [...named.values()]
    .flatMap((one) => {
      const rank = rankOf(wanted, one)
      return rank === null ? [] : [{ one, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank || (a.one.name < b.one.name ? -1 : 1))
    .slice(0, limit)
    .map(({ one }) => one)
}

/** The route of the search. */
export const route = ({ authentication, chainOf, known }: PageContext) => {
  const handler: OperationRoute.Handler<typeof operation> = ({ caller, query }) => {
    const chain = chainOf(query.chain)
    if (Result.isFailure(chain)) return ErrorResponse.badRequest(InvalidParameter.fromChain(chain.failure))
    const { config } = chain.success
    return Effect.map(known(chain.success), ({ contracts }) => {
      const result = find(query.q, config.labels, contracts, query.limit ?? defaultLimit)
      return Response.json(JSON.stringify({ result }), { headers: caller.headers })
    })
  }
  return OperationRoute.make(operation, handler, authentication, chainOf)
}
