/**
 * Who calls which chain: finds the grant of a key, and checks whether it may relay calls to the chain.
 *
 * Source: decisions 0016 and 0065.
 */
import * as ApiHeader from "@daybook/schema/ApiHeader"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import * as Operation from "../../config/Operation.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import type { Authentication } from "../admission/Authentication.ts"
import * as KeyLookups from "../admission/KeyLookups.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as UnavailableLog from "../http/UnavailableLog.ts"
import type { RelayedChain } from "./RelayChains.ts"
import * as RelayError from "./RelayError.ts"

/** The chain and the key named by a request. */
export interface Target {
  readonly chain: string
  readonly apiKey: string | undefined
}

/** The caller, and the chain of the calls. */
export interface RelayCaller {
  readonly grant: KeyGrant
  readonly chain: RelayedChain
}

/** Finds the caller of a request. */
export type Admit = (target: Target, request: HttpServerRequest) => Effect.Effect<RelayCaller, RelayError.RelayError>

const authenticate = Effect.fnUntraced(function* (
  authentication: Authentication["Service"],
  key: string | undefined,
  request: HttpServerRequest,
): Effect.fn.Return<KeyGrant, RelayError.RelayError> {
  const grant =
    key === undefined
      ? null
      : yield* authentication.grant(Redacted.make(key, { label: "apiKey" }), request).pipe(
          Effect.catchTags({
            StoreError: (error) =>
              Effect.andThen(
                UnavailableLog.write(error),
                Effect.fail(
                  error.isRetryable
                    ? RelayError.unavailable("API keys cannot be read now. Retry later.")
                    : RelayError.unusable(UnavailableLog.issueOf(error)),
                ),
              ),
            TooManyUnknownKeys: ({ message }) =>
              Effect.fail(RelayError.rateLimited(message, { "retry-after": String(KeyLookups.retrySeconds) })),
          }),
        )
  const admitted = grant === "expired" || grant === null ? authentication.keyless(request, key !== undefined) : grant
  if (admitted !== null) return admitted
  const what = key === undefined ? "Missing" : grant === "expired" ? "Expired" : "Unknown"
  return yield* RelayError.make({
    code: RelayError.code.unauthorized,
    message: `${what} API key. Send it in the path: /rpc/<chain>/<apiKey>, or in the ${ApiHeader.apiKey} header to /rpc/<chain>.`,
    reason: "unauthorized",
  })
})

/** Makes the function that finds callers, for the relayed chains. */
export const make = (authentication: Authentication["Service"], chains: ReadonlyArray<RelayedChain>): Admit => {
  const find = ChainRegistry.finder(chains)
  return Effect.fnUntraced(function* ({ apiKey, chain: name }, request) {
    const grant = yield* authenticate(authentication, apiKey, request)
    const chain = yield* Effect.mapError(Effect.fromResult(find(name)), ({ code: reason, issue }) =>
      RelayError.make({ code: JsonRpc.code.invalidParams, message: Issue.format("path parameter", issue), reason }),
    )
    const facts = yield* RequestFacts
    facts.key = grant.name
    facts.chain = chain.name
    const issue = KeyScope.operationIssue(grant, Operation.relay) ?? KeyScope.chainIssue(grant, chain)
    if (issue !== undefined) {
      return yield* RelayError.make({ code: RelayError.code.unauthorized, message: issue, reason: "forbidden" })
    }
    return { grant, chain }
  })
}
