/** Requests the events of a wallet. */
import * as RestOperation from "@daybook/schema/RestOperation"
import { RateLimited } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import * as Effect from "effect/Effect"
import type { EncodedQuery } from "../Operation.ts"
import type { RestError } from "../RestError.ts"
import * as Query from "../Query.ts"
import { callKinds } from "./ClientOptions.ts"
import type * as EventStream from "./EventStream.ts"
import * as ReplyDecoder from "./ReplyDecoder.ts"
import { checkOptions, type Context, encoding, endpointOf } from "./OperationCalls.ts"

const contract: RestOperation.RestOperation = RestOperation.walletEvents
const toError = ReplyDecoder.errors(contract)

/** The error of a response. A limit on open streams does not apply to other calls. */
const errorOf = (reply: Reply): ReplyDecoder.ReplyError => {
  const error = toError(reply)
  return error._tag === "RateLimited" ? new RateLimited({ ...error, scope: "call" }) : error
}

/** Maximum number of bytes of an event, unless the client has a lower limit for responses. */
const maxBytes = 64 * 1024 * 1024

/** Encodes the query of a wallet's events as text; undefined parameters are omitted. */
export const queryOf = (
  params: EncodedQuery["params"],
  parameters: Readonly<Record<string, string | undefined>>,
): EncodedQuery => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { params, parameters: Object.fromEntries(given) }
}

/** Makes the source of the events of a client. */
export const make = ({ executor, moreKinds, policy, settings }: Context): EventStream.Source => {
  const { endpoint, headers, options } = settings
  const { host, scrub } = endpoint
  return {
    host,
    scrub,
    policy,
    maxBytes: Math.min(maxBytes, options.maxBytes ?? maxBytes),
    checkOptions: (given) => checkOptions(endpoint, given, { ...callKinds, ...moreKinds }),
    encode: encoding(host, Query.encodeEvents),
    open: ({ parameters, params }, call, own, onBody) =>
      executor
        .request<Reply, ReplyDecoder.ReplyError, never>(
          {
            endpoint: endpointOf(endpoint, call),
            path: RestOperation.formatPath(contract, params),
            method: contract.method,
            query: parameters,
            headers: { ...headers, ...own },
            timeout: call.timeout,
            onBody,
          },
          (reply) => (reply.status < 300 ? Effect.succeed(reply) : Effect.fail(errorOf(reply))),
        )
        .pipe(
          Effect.tapError(({ _tag }: RestError) => Effect.annotateCurrentSpan("error.type", _tag)),
          Effect.withSpan(`RestClient.${contract.name}`, { kind: "client", attributes: endpoint.attributes }),
        ),
  }
}
