/**
 * The paths for operators and machines, without a key: `/health` and `/ready`.
 */
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { KeysShape } from "../store/Keys.ts"
import * as Answer from "./Answer.ts"
import * as Chains from "./Chains.ts"
import type { Incoming } from "./Incoming.ts"
import * as Refusal from "./Refusal.ts"
import * as Status from "./Status.ts"
import type { IndexedChain } from "./Wallet.ts"

/** `GET /health`: the process lives. */
export const health: Effect.Effect<HttpServerResponse> = Effect.sync(() => Answer.json(`{"status":"ok"}`))

/**
 * Makes the handler of `GET /ready`: 200 when the service can answer, else 503; with `chain`, 200 when that chain follows its
 * head, else 503.
 */
export const ready = (options: { readonly chains: ReadonlyArray<IndexedChain>; readonly keys: KeysShape }) => {
  const { chains, keys } = options
  return Effect.fn("Health.ready")(function* (
    incoming: Incoming,
  ): Effect.fn.Return<HttpServerResponse, Refusal.Refusal> {
    const asked = new URLSearchParams(incoming.query).get("chain")
    if (asked !== null) {
      const chain = Chains.find(chains, asked)
      if (Result.isFailure(chain)) {
        const { code, message } = chain.failure
        return yield* Refusal.badRequest(incoming.id, { parameter: "chain", message }, code)
      }
      const status = yield* Status.of(chain.success)
      return Answer.json(JSON.stringify(status), { status: status.ready ? 200 : 503 })
    }
    const canAnswer = yield* keys.list.pipe(
      Effect.as(true),
      Effect.catch(() => Effect.succeed(false)),
    )
    const statuses = yield* Effect.forEach(chains, Status.of)
    return Answer.json(JSON.stringify({ ready: canAnswer, chains: statuses }), { status: canAnswer ? 200 : 503 })
  })
}
