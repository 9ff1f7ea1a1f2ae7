/**
 * The paths for operators and machines, without a key: `/health` and `/ready`.
 */
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { ApiKeys } from "../../store/ApiKeys.ts"
import * as Response from "../Response.ts"
import * as Chains from "../../config/ChainRegistry.ts"
import type { Request } from "../Request.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import * as Status from "./Status.ts"
import type { IndexedChain } from "./WalletTransactions.ts"

/** `GET /health`: the process lives. */
export const health: Effect.Effect<HttpServerResponse> = Effect.sync(() => Response.json(`{"status":"ok"}`))

/**
 * Makes the handler of `GET /ready`: 200 when the service can answer, else 503; with `chain`, 200 when that chain follows its
 * head, else 503.
 */
export const ready = (options: { readonly chains: ReadonlyArray<IndexedChain>; readonly keys: ApiKeys }) => {
  const { chains, keys } = options
  return Effect.fn("Health.ready")(function* (
    request: Request,
  ): Effect.fn.Return<HttpServerResponse, ErrorResponse.ErrorResponse> {
    const asked = new URLSearchParams(request.query).get("chain")
    if (asked !== null) {
      const chain = Chains.find(chains, asked)
      if (Result.isFailure(chain)) {
        const { code, message } = chain.failure
        return yield* ErrorResponse.badRequest(request.id, { parameter: "chain", message }, code)
      }
      const status = yield* Status.of(chain.success)
      return Response.json(JSON.stringify(status), { status: status.ready ? 200 : 503 })
    }
    const canAnswer = yield* keys.ready.pipe(
      Effect.as(true),
      Effect.catch(() => Effect.succeed(false)),
    )
    const statuses = yield* Effect.forEach(chains, Status.of)
    return Response.json(JSON.stringify({ ready: canAnswer, chains: statuses }), { status: canAnswer ? 200 : 503 })
  })
}
