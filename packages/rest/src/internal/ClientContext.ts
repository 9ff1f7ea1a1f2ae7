/** Makes the context that the calls of a client share, from its options. */
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Retry from "@daybook/transport/internal/Retry"
import * as RequestExecutor from "@daybook/transport/RequestExecutor"
import * as Effect from "effect/Effect"
import type { Options } from "../Client.ts"
import * as ClientOptions from "./ClientOptions.ts"
import type { Context } from "./OperationCalls.ts"

/** Makes the context of a client. `moreKinds` are call options added by a client style. */
export const make = Effect.fnUntraced(function* (
  given: Options | undefined,
  moreKinds: ClientOptions.Kinds = {},
): Effect.fn.Return<Context, InvalidOption> {
  const settings = yield* ClientOptions.read(given)
  const { fetch, maxBytes, onEvent, rateLimit, retry, timeout } = settings.options
  const options = { ...retry, deadline: timeout }
  const policy = yield* Effect.fromResult(Retry.policyFromOptions(options))
  const executor = yield* RequestExecutor.make({ policy: options, maxBytes, fetch, onEvent, rateLimit })
  return { settings, executor, policy, moreKinds }
})
