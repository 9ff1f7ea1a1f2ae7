/**
 * Handlers of `RestOperation.balances` and `RestOperation.statement`: sums of a wallet's movements.
 *
 * Source: decision 0049.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { holderOf } from "../../store/ApiKeys.ts"
import type * as Authentication from "../admission/Authentication.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type * as Sums from "../../query/WalletSums.ts"
import type * as FairQueue from "../admission/FairQueue.ts"
import type { SumQueue } from "../admission/SumQueue.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import type { InvalidParameter } from "../http/InvalidParameter.ts"
import * as LedgerText from "./LedgerText.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PageResponse from "./PageResponse.ts"
import * as RangeParameters from "./RangeParameters.ts"
import * as WalletMovements from "./WalletMovements.ts"

/** Dependencies of the handlers. */
export interface Options {
  /** Sends a body within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
  readonly sumsOf: SumQueue
}

type Request<N extends "balances" | "statement"> = OperationRoute.Request<RestOperation.All[N], IndexedChain>

type Response = Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest>

type SumsError = InvalidParameter | Sums.SumsError

/** Makes the handlers. */
export const make = ({ send, sumsOf }: Options) => {
  const read = ({
    caller,
    chain,
    params,
    query,
  }: Request<"balances"> | Request<"statement">): Effect.Effect<Sums.Sums, SumsError | FairQueue.QueueFull> =>
    Effect.flatMap(Effect.fromResult(RangeParameters.read(query)), (range) =>
      sumsOf(holderOf(caller.grant), { chain, wallet: params.address, assets: query.asset, range }),
    )

  /** Sums take many turns, so they are computed before the body takes its own. */
  const respond = (
    { grant, headers }: Authentication.Caller,
    sums: Effect.Effect<Sums.Sums, SumsError | FairQueue.QueueFull>,
    bodyOf: (sums: Sums.Sums) => { readonly size: number; readonly value: () => unknown },
  ): Response =>
    OperationError.answer(
      Effect.flatMap(Effect.catchTag(sums, "QueueFull", OperationError.queueFull("sums")), (found) =>
        send(
          grant,
          Effect.sync(() => {
            const { checkpoint, known, missing } = found
            const reconciledTo = known.proof?.provedBlock ?? null
            const { directOnlyTo, searchedTo, unstatedTo, untracedTo } = known
            const lacking = { missing, directOnlyTo, searchedTo, unstatedTo, untracedTo }
            const coverage = IndexCoverage.headers({ checkpoint, reconciledTo, ...lacking })
            const { size, value } = bodyOf(found)
            return PageResponse.lazyJson(value, size, { ...coverage, ...headers })
          }),
        ),
      ),
      WalletMovements.wording,
    )

  return {
    balances: (request: Request<"balances">): Response =>
      respond(request.caller, read(request), ({ block, closing, known }) => ({
        size: LedgerText.sizeOf(closing),
        value: () => LedgerText.balances(block, closing, known),
      })),
    statement: (request: Request<"statement">): Response =>
      respond(request.caller, read(request), (sums) => ({
        size: LedgerText.sizeOf(sums.opening) + 2 * LedgerText.sizeOf(sums.closing),
        value: () => LedgerText.statement({ address: request.params.address, ...sums }),
      })),
  }
}
