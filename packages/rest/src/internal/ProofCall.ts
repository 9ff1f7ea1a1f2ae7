/** Compares a wallet with the chain: requests the comparison, then polls until it is complete. */
import type { ProofProgress } from "@daybook/schema/ProofProgress"
import type { Proof } from "@daybook/schema/Statement"
import * as Effect from "effect/Effect"
import type { ProofOptions } from "../Client.ts"
import type { ProofQuery } from "../Query.ts"
import type { RestError } from "../RestError.ts"
import { proofKinds } from "./ClientOptions.ts"
import { checkOptions, type Context, type SingleCalls } from "./OperationCalls.ts"

/** Waits between two requests. */
const [firstMillis, factor, maxMillis] = [200, 1.5, 5_000]

/** Makes the call. Every request names the block of the first response, so that any process of the service can answer it. */
export const make =
  ({ moreKinds, settings }: Context, { value }: SingleCalls<ProofQuery, ProofProgress>) =>
  (query: ProofQuery, options?: ProofOptions): Effect.Effect<Proof, RestError> =>
    Effect.gen(function* () {
      const { onProgress, ...call } = yield* checkOptions(settings.endpoint, options, { ...proofKinds, ...moreKinds })
      let asked = query
      for (let millis = firstMillis; ; millis = Math.min(maxMillis, millis * factor)) {
        const progress = yield* value(asked, call)
        if (progress.proof !== null) return progress.proof
        onProgress?.(progress)
        asked = { ...query, to_block: progress.block_number }
        yield* Effect.sleep(millis)
      }
    })
