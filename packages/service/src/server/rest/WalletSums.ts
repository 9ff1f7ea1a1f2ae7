/**
 * The handlers of `RestOperation.balances` and `RestOperation.statement`: sums of the movements of a wallet.
 *
 * Source: decision 0049.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type * as Authentication from "../admission/Authentication.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import type { IndexedChain } from "../chain/IndexedChain.ts"
import type { Turns } from "../admission/Turns.ts"
import * as BlockRange from "./BlockRange.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as LedgerSums from "./LedgerSums.ts"
import * as LedgerText from "./LedgerText.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PagedQuery from "./PagedQuery.ts"
import * as PageResponse from "./PageResponse.ts"
import * as WalletMovements from "./WalletMovements.ts"

/** What the handlers need. */
export interface Options {
  readonly chains: ReadonlyArray<IndexedChain>
  /** Sends a body within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
  readonly turns: Turns
}

type Request<N extends "balances" | "statement"> = OperationRoute.Request<RestOperation.All[N]>

type Response = Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest>

/** The parameters of both. */
interface Query extends BlockRange.Parameters {
  readonly chain?: string
  readonly asset?: ReadonlyArray<string>
}

/** Makes the handlers. */
export const make = ({ chains, send, turns }: Options) => {
  const find = PagedQuery.chainFinder(chains)
  const sum = LedgerSums.make(turns)

  const read = (wallet: string, query: Query): Effect.Effect<LedgerSums.Sums, LedgerSums.SumsError> => {
    const bounds = BlockRange.boundsOf(query)
    if (Result.isFailure(bounds)) return Effect.fail(bounds.failure)
    const chain = find(query.chain)
    if (Result.isFailure(chain)) return Effect.fail(InvalidParameter.fromChain(chain.failure))
    const { guard } = WalletMovements
    return sum({ chain: chain.success, wallet, assets: query.asset, bounds: bounds.success, guard })
  }

  /** Sums take many turns: they are made before the body takes its own. */
  const respond = (
    { grant, headers }: Authentication.Caller,
    sums: Effect.Effect<LedgerSums.Sums, LedgerSums.SumsError>,
    bodyOf: (sums: LedgerSums.Sums) => { readonly size: number; readonly value: () => unknown },
  ): Response =>
    OperationError.answer(
      Effect.flatMap(sums, (found) =>
        send(
          grant,
          Effect.sync(() => {
            const { checkpoint, known, missing } = found
            const coverage = IndexCoverage.headers(checkpoint, missing, known.proof?.provedBlock)
            const { size, value } = bodyOf(found)
            return PageResponse.lazyJson(value, size, { ...coverage, ...headers })
          }),
        ),
      ),
      WalletMovements.notComplete,
    )

  return {
    balances: ({ caller, params, query }: Request<"balances">): Response =>
      respond(caller, read(params.address, query), ({ block, closing, known }) => ({
        size: LedgerText.sizeOf(closing),
        value: () => LedgerText.balances(block, closing, known),
      })),
    statement: ({ caller, params, query }: Request<"statement">): Response =>
      respond(caller, read(params.address, query), (sums) => ({
        size: LedgerText.sizeOf(sums.opening) + 2 * LedgerText.sizeOf(sums.closing),
        value: () => LedgerText.statement({ address: params.address, ...sums }),
      })),
  }
}
