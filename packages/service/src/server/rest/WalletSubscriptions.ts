/**
 * Movement events of a wallet for the relay's WebSocket: `eth_subscribe ["daybook_movements", { address, from }]`. They equal those of
 * `RestOperation.walletEvents` with `types=wallet.movement`, including cursors, limits and errors.
 *
 * Source: decisions 0016 and 0073.
 */
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Bounds } from "../admission/Bounds.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import { ChainContracts } from "../chain/ChainContracts.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { stackless } from "../http/Stackless.ts"
import { CallFailed, failed } from "../relay/LocalMethod.ts"
import type { RelayCaller } from "../relay/RelayCaller.ts"
import { code } from "../relay/RelayError.ts"
import { type WalletStream, WalletStreams } from "../relay/WalletStreams.ts"
import * as EventSteps from "./EventSteps.ts"
import * as OperationError from "./OperationError.ts"

const { asset, finality, from, kind } = WalletEvent.EventQuery.fields
const Params = Schema.Struct({ ...WalletQuery.Path.fields, from, finality, asset, kind })
const decode = Schema.decodeUnknownResult(Params, { onExcessProperty: "error" })

/** JSON-RPC programs send numbers as JSON numbers or in hexadecimal. */
const decimal = (value: unknown): unknown => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value)
  return typeof value === "string" && /^0x[0-9a-f]{1,12}$/i.test(value) ? String(Number(value)) : value
}

const invalid = ({ path, ...issue }: Issue.Issue): CallFailed => {
  const message = Issue.format("call of eth_subscribe", { ...issue, path: `params[1]${path === "" ? "" : `.${path}`}` })
  return failed(message, JsonRpc.code.invalidParams)
}

const paramsOf = (params: ReadonlyArray<unknown>): Result.Result<Schema.Schema.Type<typeof Params>, CallFailed> => {
  const [given, another] = params
  if (another !== undefined || typeof given !== "object" || given === null || Array.isArray(given)) {
    const received = Issue.describe(another ?? given)
    return Result.fail(invalid({ path: "", expected: "one object with address and from", received }))
  }
  const members = "from" in given ? { ...given, from: decimal(given.from) } : given
  // Sound: a schema error has at least one issue.
  return Result.mapError(decode(members), (error) => invalid(Issue.fromError(error, members)[0]!))
}

/** Source: EIP-1474. */
const serverError = -32_000

/** JSON-RPC code of an error with an HTTP status. */
const codeOf = (status: number): number => {
  switch (status) {
    case 400:
      return JsonRpc.code.invalidParams
    case 403:
      return code.unauthorized
    case 429:
      return code.limitExceeded
    case 503:
      return code.unavailable
    default:
      return serverError
  }
}

/** Converts the error of an HTTP response to that of a call: the members besides its message become its data. */
const fromResponse = ({ error }: ErrorResponse.ErrorResponse): CallFailed => {
  const { message, ...data } = ErrorResponse.wireOf(error)
  return stackless(
    () => new CallFailed({ failure: { code: codeOf(ErrorResponse.statusOfCode(error.code)), message, data } }),
  )
}

/** Makes the function that starts streams. */
const make = (begin: EventSteps.Open): WalletStreams["Service"]["open"] => {
  const answer = <A>(effect: Parameters<typeof OperationError.answer<A, never>>[0]): Effect.Effect<A, CallFailed> =>
    Effect.mapError(OperationError.answer(effect, EventSteps.wording), fromResponse)

  return Effect.fnUntraced(function* (params, { chain, grant }: RelayCaller) {
    const issue = KeyScope.operationIssue(grant, RestOperation.walletEvents.name)
    if (issue !== undefined) return yield* failed(issue, code.unauthorized)
    const { address: wallet, ...query } = yield* Effect.fromResult(paramsOf(params))
    const asked = { chain, wallet, grant, lastEventId: "", headers: {} }
    const begun = answer(begin({ ...asked, query: { ...query, types: ["wallet.movement"] } }))
    const steps = yield* Effect.acquireRelease(begun, ({ release }) => release, { interruptible: true })
    let { first: step } = steps
    let isFirst = true
    return {
      awaitMore: Effect.suspend(() =>
        isFirst || step.awaited === null ? Effect.void : Effect.asVoid(answer(chain.recent.awaitChange(step.awaited))),
      ),
      take: Effect.suspend(() =>
        answer(
          Effect.gen(function* () {
            if (!isFirst) step = yield* steps.take(step.state)
            isFirst = false
            return (yield* steps.textsOf(step)).map(({ json }) => json)
          }),
        ),
      ),
    } satisfies WalletStream
  })
}

/** Streams of events, for the relay. */
export const layer = (config: EventSteps.Options["config"]) =>
  Layer.effect(
    WalletStreams,
    Effect.gen(function* () {
      const [bounds, contracts] = [yield* Bounds, yield* ChainContracts]
      return { open: make(EventSteps.make({ bounds, config, contracts, decoder: KnownSignatures.decoder() })) }
    }),
  )
