/**
 * Handler of `RestOperation.signedStatement`: a statement of a wallet, signed with the key of the configuration.
 *
 * Source: decision 0050.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as IndexedStatement from "../../signed/IndexedStatement.ts"
import type { SigningKey } from "../../signed/SigningKey.ts"
import * as StatementFile from "../../signed/StatementFile.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import * as FairQueue from "../admission/FairQueue.ts"
import * as Turns from "../admission/Turns.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import { version } from "../monitoring/ProcessMetrics.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PageResponse from "./PageResponse.ts"
import * as RangeParameters from "./RangeParameters.ts"
import * as WalletMovements from "./WalletMovements.ts"

/** Dependencies of the handler. */
export interface Options {
  /** Sends a body within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
  readonly turns: Turns.Turns
  /** `null` if the service signs nothing. */
  readonly signingKey: SigningKey | null
}

type Request = OperationRoute.Request<typeof RestOperation.signedStatement, IndexedChain>

/** Bounds on concurrent statements of a process, each of which reads the whole ledger of a wallet. */
const bounds: FairQueue.Options = { concurrency: 1, maxWaitingPerCaller: 4, maxWaiting: 64 }

const invalid = (parameter: string, message: string) =>
  ErrorResponse.badRequest(new InvalidParameter({ parameter, code: "bad_request", message }))

const notFinal = ({ block, finalized }: IndexedStatement.NotFinal) => {
  const expected =
    finalized === null ? "a final block, but the index has none yet" : `a final block, up to ${finalized}`
  return ErrorResponse.badRequest(
    InvalidParameter.fromIssue({ path: "to_block", expected, received: block.toString() }),
  )
}

const openingUnknown = ({ asset }: IndexedStatement.OpeningUnknown) =>
  ErrorResponse.unavailable(
    `Opening balance not known yet: ${asset}. The service reads it in the background, or "daybook reconcile" does. Retry later.`,
  )

const tooLong = ({ message }: StatementFile.StatementTooLong) => invalid("address", message)

const unsigned = ErrorResponse.notOffered(
  "Statements not signed: this service has no signingKey. Use the operation statement.",
)

/** Makes the handler. */
export const make = ({ send, signingKey, turns }: Options) => {
  const queue = FairQueue.make(bounds, turns.shares)

  const stated = ({ caller, chain, params, query }: Request) =>
    Effect.flatMap(Effect.fromResult(RangeParameters.read(query)), (range) =>
      queue.run(
        holderOf(caller.grant),
        IndexedStatement.read({
          chain: { ...chain, reader: Turns.reading(turns, chain.reader) },
          wallet: params.address,
          range,
        }),
      ),
    )

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> => {
    if (signingKey === null) return unsigned
    const { grant, headers } = request.caller
    const response = Effect.gen(function* () {
      const { coverage, part, ...subject } = yield* stated(request)
      const madeAt = new Date(yield* Clock.currentTimeMillis)
      const details = { ...subject, madeAt, madeBy: `daybook ${version}` }
      const text = StatementFile.toText(StatementFile.sign(details, [part], signingKey))
      const covered = yield* IndexCoverage.ofTracedRoles(request.chain, coverage)
      const body = PageResponse.ofBytes(Buffer.from(text), { ...covered, ...headers })
      return yield* send(grant, Effect.succeed(body))
    })
    const refused = Effect.catchTags(response, {
      NotFinal: notFinal,
      OpeningUnknown: openingUnknown,
      QueueFull: OperationError.queueFull("statements"),
      StatementTooLong: tooLong,
    })
    return OperationError.answer(refused, WalletMovements.wording)
  }
}
