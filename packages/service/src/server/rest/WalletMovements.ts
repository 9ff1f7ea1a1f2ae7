/**
 * Handler of `RestOperation.movements`: pages of a wallet's movements.
 *
 * Source: decisions 0048 and 0049.
 */
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as Movements from "../../query/WalletMovements.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import type * as Cursor from "./Cursor.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import * as LedgerText from "./LedgerText.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PageRequest from "./PageRequest.ts"
import * as PageResponse from "./PageResponse.ts"

/** Dependencies of the handler. */
export interface Options {
  readonly config: Pick<Config, "maxLimit" | "limits">
  readonly contracts: ChainContracts["Service"]
  /** Sends a page within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
}

type Request = OperationRoute.Request<typeof RestOperation.movements, IndexedChain>

/** How the operations on ledgers refer to them. */
export const wording: OperationError.Wording = {
  what: "Ledger",
  whenNotDerived: "Retry later.",
}

/** Filters of movements in the form of a cursor. */
const toFilter = (selection: Movements.Selection): Cursor.Filter => {
  const given = Object.entries(selection).filter(([, value]) => value !== undefined)
  if (given.length === 0) return {}
  // Sound: the values were decoded by the same schema.
  return Result.getOrThrow(
    RestOperation.encodeQuery(RestOperation.movements, Object.fromEntries(given)),
  ) as Cursor.Filter
}

/** Decodes the filter of a cursor; fails for one that no request can have. */
const fromFilter = (filter: Cursor.Filter): Result.Result<Movements.Selection, InvalidParameter> =>
  Object.keys(filter).length === 0
    ? Result.succeed({})
    : Result.mapError(RestOperation.decodeQuery(RestOperation.movements, filter), (issue) =>
        InvalidParameter.fromIssue({ ...issue, path: "cursor" }),
      )

/** Makes the handler. */
export const make = ({ config, contracts, send }: Options) => {
  const { maxLimit } = config
  const maxBytes = config.limits.pageBytes

  const read = Effect.fnUntraced(function* ({ caller, chain, cursor, params, query: all }: Request) {
    const { asset, direction, kind, ...query } = all
    const filter = toFilter({ asset, kind, direction })
    const options = { chain, cursor, wallet: params.address, list: "movements", filter, maxLimit } as const
    const resolved = yield* Effect.fromResult(PageRequest.resolve(query, options))
    const selection = yield* Effect.fromResult(fromFilter(resolved.filter))
    const page = yield* Movements.read({ ...resolved.query, maxBytes, selection })
    const place = {
      cursor: PageRequest.nextCursor(resolved, page),
      page: resolved.page,
      pageSize: resolved.query.limit,
    }
    const { label } = yield* contracts.find(chain)
    return PageResponse.json(LedgerText.page(page.rows, place, label, chain.id), {
      ...(yield* IndexCoverage.ofTracedRoles(chain, page.coverage)),
      ...caller.headers,
    })
  })

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(send(request.caller.grant, read(request)), wording)
}
