/**
 * The handler of `RestOperation.movements`: pages of the movements of a wallet.
 *
 * Source: decisions 0048 and 0049.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Config } from "../../config/Config.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import type { IndexedChain } from "../chain/IndexedChain.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import * as LedgerText from "./LedgerText.ts"
import * as MovementScan from "./MovementScan.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PagedQuery from "./PagedQuery.ts"
import * as PageResponse from "./PageResponse.ts"
import * as WatchGuard from "./WatchGuard.ts"

/** What the handler needs. */
export interface Options {
  readonly config: Pick<Config, "maxLimit" | "limits">
  readonly chains: ReadonlyArray<IndexedChain>
  /** Sends a page within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
}

type Request = OperationRoute.Request<typeof RestOperation.movements>

/** How the errors of operations on ledgers name them. */
export const notComplete: OperationError.NotComplete = { what: "Ledger", advice: "Retry later." }

/** Refuses wallets where the index has no ledgers. */
export const guard = WatchGuard.ledger("address", "Ledger", "Use the transactions of the wallet.")

/** Makes the handler. */
export const make = ({ chains, config, send }: Options) => {
  const { maxLimit } = config
  const readPage = PagedQuery.make({ chains, maxLimit, maxBytes: config.limits.pageBytes, source: MovementScan.source })

  const read = ({ caller, params: { address: key }, query: all }: Request) => {
    const { asset, direction, kind, ...query } = all
    const filter = MovementScan.toFilter({ asset, direction, kind })
    return Effect.map(
      readPage(query, { key, internal: false, filter, guard }),
      ({ chain, checkpoint, cursor, missing, number, reconciledTo, rows, size }): PageResponse.Body =>
        PageResponse.json(LedgerText.page(rows, { cursor, page: number, pageSize: size }, chain.label), {
          ...IndexCoverage.headers(checkpoint, missing, reconciledTo),
          ...caller.headers,
        }),
    )
  }

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(send(request.caller.grant, read(request)), notComplete)
}
