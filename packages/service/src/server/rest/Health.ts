/**
 * Readiness: whether the service can answer, or whether the index of one chain follows its node.
 */
import type * as ApiError from "@daybook/schema/ApiError"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import type { ApiKeys } from "../../store/ApiKeys.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import * as Response from "../Response.ts"
import { InvalidParameter } from "./InvalidParameter.ts"
import type { IndexedChain } from "../IndexedChain.ts"
import * as Status from "./Status.ts"

/** What readiness depends on. */
export interface Options {
  readonly chains: ReadonlyArray<IndexedChain>
  readonly keys: Pick<ApiKeys, "ready">
}

const respond = (isReady: boolean, body: unknown): HttpServerResponse =>
  Response.json(JSON.stringify(body), { status: isReady ? 200 : 503 })

/** Makes the handler of `/ready`: 200 when the service can answer; with a chain, when the index of that chain follows its node. */
export const ready = ({ chains, keys }: Options) => {
  const ofService = Effect.gen(function* () {
    const canAnswer = yield* Effect.isSuccess(keys.ready)
    const statuses = yield* Effect.forEach(chains, Status.read)
    return respond(canAnswer, { ready: canAnswer, chains: statuses })
  })
  return Effect.fn("Health.ready")(function* (
    chain: string | undefined,
  ): Effect.fn.Return<HttpServerResponse, ApiError.BadRequest, HttpServerRequest> {
    if (chain === undefined) return yield* ofService
    const found = yield* Effect.fromResult(ChainRegistry.find(chains, chain)).pipe(
      Effect.catch((error) => ErrorResponse.badRequest(new InvalidParameter({ parameter: "chain", ...error }))),
    )
    const status = yield* Status.read(found)
    return respond(status.ready, status)
  })
}
