/** Makes what the calls of a client share, from its options. */
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as RequestExecutor from "@daybook/transport/RequestExecutor"
import * as Effect from "effect/Effect"
import type { Options } from "../Client.ts"
import * as ClientOptions from "./ClientOptions.ts"
import type { Context } from "./OperationCalls.ts"

/** Makes the context of a client. `moreKinds` are options of calls that a style adds. */
export const make = Effect.fnUntraced(function* (
  given: Options | undefined,
  moreKinds: ClientOptions.Kinds = {},
): Effect.fn.Return<Context, InvalidOption> {
  const settings = yield* ClientOptions.read(given)
  const { fetch, maxBytes, onEvent, rateLimit, retry, timeout } = settings.options
  const policy = { ...retry, deadline: timeout }
  const executor = yield* RequestExecutor.make({ policy, maxBytes, fetch, onEvent, rateLimit })
  return { settings, executor, moreKinds }
})
