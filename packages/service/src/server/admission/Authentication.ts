/**
 * Authentication of callers: finds the grant of an API key and takes calls from its rate limit. REST operations and the
 * relay begin with it.
 *
 * Source: docs/interface.md#5; decisions 0008 and 0012.
 */
import * as ApiHeader from "@daybook/schema/ApiHeader"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Anonymous } from "../../config/Anonymous.ts"
import type { Access } from "../../config/Explorer.ts"
import { type ApiKeys, holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import { Engine } from "../../store/Engine.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as AnonymousCaller from "./AnonymousCaller.ts"
import { keyIn } from "../http/ApiKeyHeader.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as KeyLookups from "./KeyLookups.ts"
import * as KnownKeys from "./KnownKeys.ts"
import * as KeylessRequest from "./KeylessRequest.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as RateLimit from "./RateLimit.ts"

/** Identifies callers and limits how often they call. */
export class Authentication extends Context.Service<
  Authentication,
  {
    /** Grant of the key sent with a request; `null` if the key is missing or unknown, `expired` if it was valid before. */
    readonly grant: (
      key: Redacted.Redacted<string>,
      request: Pick<HttpServerRequest, "remoteAddress">,
    ) => Effect.Effect<KeyGrant | "expired" | null, StoreError | KeyLookups.TooManyUnknownKeys>
    /** Grant of a request that needs no key, or whose key does not matter; `null` if it needs one. */
    readonly keyless: (request: HttpServerRequest, hasKey: boolean) => KeyGrant | null
    /** Takes calls from the rate limit of a key. */
    readonly take: (grant: KeyGrant, calls: number) => Effect.Effect<RateLimit.Decision, RateLimit.RateLimitUnavailable>
    /** Maximum number of calls that a key makes at once, and so in one batch. */
    readonly burstOf: (grant: KeyGrant) => number
    /** The rate limit of a key. */
    readonly limitOf: (grant: KeyGrant) => RateLimit.Limit
    /** Message for a caller whose calls are rejected. */
    readonly limitMessage: (decision: RateLimit.Decision) => string
  }
>()("@daybook/service/server/Authentication") {}

const maxKeyCharacters = 512

/** Interval after which the use of a key is recorded again. */
const useMillis = 60_000

/** Number of keys whose last use is remembered. When it is exceeded, all are forgotten and recorded again. */
const maxUses = 10_000

/**
 * Makes the recorder of key usage: it returns an effect, or `undefined` if the use was recorded recently. A database that cannot be written
 * does not block a caller; the next use is recorded instead.
 */
const useRecorder = ({ use }: ApiKeys) => {
  const recorded = new Map<string, number>()
  return (name: string, now: number): Effect.Effect<void> | undefined => {
    const before = recorded.get(name)
    if (before !== undefined && Math.abs(now - before) < useMillis) return undefined
    if (recorded.size >= maxUses) recorded.clear()
    recorded.set(name, now)
    return use(name, now).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => Exit.isSuccess(exit) || recorded.get(name) !== now || recorded.delete(name)),
      ),
      Effect.ignore,
    )
  }
}

/** Callers that need no API key. */
export interface Options {
  /** According to the explorer's access. */
  readonly access: Access
  /** According to the configuration: every caller that sends no key. */
  readonly anonymous?: Anonymous | undefined
}

/** An unknown key is rejected rather than ignored: its owner would lack what it permits. */
const keylessOf = ({ access, anonymous }: Options) => {
  const ownPage = KeylessRequest.make(access)
  const caller = anonymous === undefined ? () => null : AnonymousCaller.make(anonymous)
  return (request: HttpServerRequest, hasKey: boolean) => ownPage(request) ?? (hasKey ? null : caller(request))
}

/**
 * Authenticates with the API keys of the database, and callers that need none. `onRefused` receives the name of each key whose calls exceed
 * its limit, and `known` each valid key.
 */
export const layer = (
  options: Options,
  onRefused: (key: string) => void = () => undefined,
  known: Pick<KnownKeys.KnownKeys, "add"> = KnownKeys.make(),
): Layer.Layer<Authentication, never, Engine | RateLimit.RateLimit> =>
  Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const { apiKeys } = yield* Engine
      const { limit, take } = yield* RateLimit.RateLimit
      const scope = yield* Effect.scope
      const recordUse = useRecorder(apiKeys)
      const lookUp = KeyLookups.make(apiKeys)
      const limitOf = ({ options }: KeyGrant): RateLimit.Limit => options?.rateLimit ?? limit
      const total = options.anonymous?.total
      const totalOf = (grant: KeyGrant): RateLimit.Limit | undefined => (AnonymousCaller.is(grant) ? total : undefined)
      /** An address beyond its own limit takes nothing from the shared limit. */
      const takeAll = (grant: KeyGrant, calls: number) => {
        const own = take(holderOf(grant), calls, limitOf(grant))
        const shared = totalOf(grant)
        if (shared === undefined) return own
        return Effect.flatMap(own, (decision) =>
          decision.isAllowed
            ? Effect.map(take(AnonymousCaller.allAnonymous, calls, shared), (all) => (all.isAllowed ? decision : all))
            : Effect.succeed(decision),
        )
      }
      return {
        keyless: keylessOf(options),
        grant: Effect.fnUntraced(function* (key, { remoteAddress }) {
          const { length } = Redacted.value(key)
          if (length === 0 || length > maxKeyCharacters) return null
          const grant = yield* lookUp(
            key,
            Option.getOrElse(remoteAddress, () => ""),
          )
          if (grant === null) return null
          const now = yield* Clock.currentTimeMillis
          if (grant.expires !== undefined && grant.expires <= now) return "expired"
          known.add(key, holderOf(grant))
          const use = recordUse(grant.name, now)
          if (use !== undefined) yield* Effect.forkIn(use, scope)
          return grant
        }),
        take: (grant, calls) =>
          Effect.tap(takeAll(grant, calls), ({ isAllowed }) => Effect.sync(() => isAllowed || onRefused(grant.name))),
        burstOf: (grant) => Math.min(limitOf(grant).burst, totalOf(grant)?.burst ?? Infinity),
        limitOf,
        limitMessage: ({ limit: exceeded, retryAfterSeconds }) => {
          const { burst, perSecond } = exceeded
          const whose = exceeded === total ? " of all requests without an API key" : ""
          return `Rate limit${whose} exceeded: ${perSecond} requests per second, ${burst} at once. Retry after ${retryAfterSeconds} s.`
        },
      }
    }),
  )

/** Caller of a REST operation. */
export interface Caller {
  readonly grant: KeyGrant
  /** Headers that report the rest of the rate limit. */
  readonly headers: RateLimit.Decision["headers"]
}

/** Authenticates the caller of a REST operation and takes one request from its rate limit. */
export const authenticate = (
  { grant: find, keyless, limitMessage, take }: Authentication["Service"],
  request: HttpServerRequest,
): Effect.Effect<Caller, ErrorResponse.ErrorResponse> => {
  const admit = (grant: KeyGrant) =>
    take(grant, 1).pipe(
      Effect.catch(({ message }) => ErrorResponse.unavailable(message)),
      Effect.flatMap((decision) =>
        decision.isAllowed
          ? Effect.map(RequestFacts, (facts) => {
              facts.key = grant.name
              return { grant, headers: decision.headers }
            })
          : ErrorResponse.rateLimited(limitMessage(decision), decision.headers),
      ),
    )
  const key = keyIn(request.headers)
  const admitKeyless = (what: string) => {
    const grant = keyless(request, key !== undefined)
    return grant === null
      ? ErrorResponse.unauthorized(`${what} API key. Send it in the ${ApiHeader.apiKey} header.`)
      : admit(grant)
  }
  if (key === undefined) return admitKeyless("Missing")
  const found = Effect.catchTags(find(Redacted.make(key, { label: "apiKey" }), request), {
    StoreError: ErrorResponse.fromStore,
    TooManyUnknownKeys: ({ message }) =>
      ErrorResponse.rateLimited(message, { "retry-after": String(KeyLookups.retrySeconds) }),
  })
  return Effect.flatMap(found, (grant) => {
    if (grant === "expired") return admitKeyless("Expired")
    return grant === null ? admitKeyless("Unknown") : admit(grant)
  })
}
