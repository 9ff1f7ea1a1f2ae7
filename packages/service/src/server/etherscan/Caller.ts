/**
 * Caller of a request: the owner of the key in its parameters, or a caller without a key. Scopes, limits and anonymous access are those of
 * the REST operations.
 *
 * Source: decisions 0065 and 0070.
 */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import type * as Authentication from "../admission/Authentication.ts"
import * as KeyLookups from "../admission/KeyLookups.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as UnavailableLog from "../http/UnavailableLog.ts"
import * as Envelope from "./Envelope.ts"

type Service = Authentication.Authentication["Service"]

const grantOf = Effect.fnUntraced(function* (
  { grant: find, keyless }: Service,
  request: HttpServerRequest,
  key: string | undefined,
): Effect.fn.Return<KeyGrant, Envelope.Refused> {
  const found =
    key === undefined
      ? null
      : yield* find(Redacted.make(key, { label: "apiKey" }), request).pipe(
          Effect.catchTags({
            StoreError: (error) =>
              Effect.andThen(
                UnavailableLog.write(error),
                Effect.fail(Envelope.unreadable(error, "API keys cannot be read now. Retry later.")),
              ),
            TooManyUnknownKeys: () =>
              Effect.fail(
                Envelope.notOk("Too many invalid api key attempts, please try again later", {
                  "retry-after": String(KeyLookups.retrySeconds),
                }),
              ),
          }),
        )
  // Clients of this API always send some key, so an unknown key counts as none if none is required.
  const admitted = found === null || found === "expired" ? keyless(request, false) : found
  if (admitted !== null) return admitted
  return yield* Envelope.notOk(key === undefined ? "Missing/Invalid API Key" : "Invalid API Key")
})

/** Many clients only retry if the text equals this one; the headers state the limit and the wait. */
const rateLimited = "Max rate limit reached"

/** Finds the grant of the caller, and takes one request from its rate limit. */
export const authenticate = Effect.fnUntraced(function* (
  authentication: Service,
  request: HttpServerRequest,
  key: string | undefined,
): Effect.fn.Return<Authentication.Caller, Envelope.Refused> {
  const grant = yield* grantOf(authentication, request, key)
  const decision = yield* Effect.mapError(authentication.take(grant, 1), ({ message }) => Envelope.busy(message))
  if (!decision.isAllowed) {
    return yield* Envelope.notOk(rateLimited, decision.headers)
  }
  const facts = yield* RequestFacts
  facts.key = grant.name
  return { grant, headers: decision.headers }
})

/** Fails if a key may not access a chain or an operation. */
export const checkScope = (
  grant: KeyGrant,
  chain: ServedChain,
  operation: string,
): Effect.Effect<void, Envelope.Refused> => {
  const issue = KeyScope.operationIssue(grant, operation) ?? KeyScope.chainIssue(grant, chain)
  return issue === undefined ? Effect.void : Effect.fail(Envelope.notOk(issue))
}
