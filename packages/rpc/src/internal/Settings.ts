/** Reads the options of a client: where its node is and how to call it. */
import * as Chain from "@daybook/schema/Chain"
import { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import { platformFetch } from "@daybook/transport/Http"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as RequestedWaits from "@daybook/transport/internal/RequestedWaits"
import { fromKey } from "@daybook/transport/internal/Redaction"
import * as Retry from "@daybook/transport/internal/Retry"
import * as TokenBucket from "@daybook/transport/internal/TokenBucket"
import * as UserAgent from "@daybook/transport/internal/UserAgent"
import { isolatesRequests } from "@daybook/transport/internal/Runtime"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { BatchOptions, CallOptions, EndpointOptions, Options, RateLimit } from "../Options.ts"
import * as BatchState from "./BatchState.ts"
import * as Batcher from "./Batcher.ts"
import type { Member } from "./CallRunner.ts"
import * as EndpointStates from "./EndpointStates.ts"

const invalid = (option: string, expected: string, received: string): Effect.Effect<never, InvalidOption> =>
  Effect.fail(new InvalidOption({ option, expected, received }))

const chainForms = `a name such as "polygon amoy", an identifier such as "0x13882" or a number such as 80002`

const expectedOf = { chain: chainForms, apiKey: `the API key of the server, as "rpcUrl" requires` }

/**
 * Encodes a path segment. One of one or two dots would be resolved away, an empty one would change the path, and an unpaired surrogate has
 * no encoding.
 */
const segment = (option: keyof typeof expectedOf, text: unknown): Effect.Effect<string, InvalidOption> => {
  const expected = expectedOf[option]
  return Effect.flatMap(Effect.fromResult(OptionCheck.text(option, expected, text)), (given) => {
    const trimmed = given.trim()
    if (trimmed === "") return invalid(option, expected, "an empty string")
    if (/\p{Surrogate}/u.test(trimmed)) return invalid(option, expected, "an unpaired surrogate")
    return /^\.{1,2}$/.test(trimmed) ? invalid(option, expected, "only dots") : Effect.succeed(trimmed)
  })
}

/** Path segment of a chain: the interface's RPC spelling if it has the chain; other text unchanged. */
const chainSegment = (chain: Chain.Input, hyphens: boolean): string => {
  const [found, another] = Chain.fromInput(chain)
  const given = typeof chain === "string" ? chain : `0x${chain.toString(16)}`
  const name = found === undefined || another !== undefined ? given : (found.rpcName ?? found.name)
  return hyphens ? name.replaceAll(/\s+/g, "-") : name
}

const chainOf = (given: unknown, hyphens: boolean): Effect.Effect<string, InvalidOption> => {
  const isNumber = typeof given === "bigint" || typeof given === "number"
  const expected = chainForms
  if (given === undefined || given === null) return invalid("chain", expected, "nothing")
  if (!isNumber && typeof given !== "string") return Effect.fail(OptionCheck.invalid("chain", expected, given))
  if (isNumber && (given < 0 || (typeof given === "number" && !Number.isSafeInteger(given)))) {
    return Effect.fail(OptionCheck.invalid("chain", expected, given))
  }
  if (!isNumber && /^\s*eip155:(?!\d+\s*$)/i.test(given)) {
    return invalid("chain", expected, `"eip155:" without a number after it`)
  }
  return isNumber
    ? Effect.succeed(chainSegment(given, hyphens))
    : Effect.map(segment("chain", given), (chain) => chainSegment(chain, hyphens))
}

/** Validated options of a client. */
export interface Settings {
  readonly pool: EndpointStates.EndpointStates<Member>
  readonly pause: RequestedWaits.RequestedWaits
  readonly policy: RetryPolicy.RetryPolicy
  /** Longest pause granted to a server; undefined for the transport's default. */
  readonly maxPause: Duration.Duration | undefined
  readonly maxBytes: number
  readonly maxItemBytes: number | undefined
  readonly isBatched: boolean
  readonly isShared: boolean
  /** Maximum number of calls in one request of `batch`. */
  readonly maxBatchCalls: number
  /** Path segment of the chain; undefined if the client was given a URL. */
  readonly chain: string | undefined
  readonly onEvent: Options["onEvent"]
}

const mib = 1024 * 1024

const isPlain = (one: Endpoint.Key | URL | EndpointOptions): one is Endpoint.Key | URL =>
  typeof one !== "object" || one === null || one instanceof URL || Redacted.isRedacted(one)

const isMany = (url: NonNullable<Options["url"]>): url is ReadonlyArray<Endpoint.Key | URL | EndpointOptions> =>
  Array.isArray(url)

const expectedUrl = '"url" with the complete path, or "rpcUrl" with "chain" and "apiKey"'

const endpointsOf = Effect.fnUntraced(function* (options: Partial<Options>) {
  const { headers, url, rpcUrl } = options
  if (url !== undefined && url !== null) {
    const beside = (["rpcUrl", "chain", "apiKey"] as const).find(
      (name) => options[name] !== undefined && options[name] !== null,
    )
    if (beside !== undefined) {
      return yield* invalid("url", expectedUrl, `"url" and "${beside}"`)
    }
    const all = isMany(url) ? url : [url]
    if (all.length === 0) return yield* invalid("url", "at least one URL", "an empty array")
    const endpoints = yield* Effect.forEach(all, (one, at) => {
      const path = isMany(url) ? `url[${at}]` : "url"
      if (isPlain(one)) return Endpoint.make({ url: one, option: path, headers })
      const own = { url: one.url, option: `${path}.url`, headers: { ...headers, ...one.headers } }
      return Effect.andThen(Effect.fromResult(OptionCheck.members(one, endpointKinds, path)), Endpoint.make(own))
    })
    return { endpoints, chain: undefined }
  }
  if (rpcUrl === undefined || rpcUrl === null) return yield* invalid("url", expectedUrl, "nothing")
  const base = yield* Effect.fromResult(OptionCheck.baseUrl("rpcUrl", "a URL such as https://host/path", rpcUrl))
  const chain = yield* chainOf(options.chain, options.hyphens ?? false)
  const apiKey = yield* segment("apiKey", options.apiKey)
  const path = [chain, fromKey(apiKey)]
  return { endpoints: [yield* Endpoint.make({ url: fromKey(base), path, option: "rpcUrl", headers })], chain }
})

const expectedWindow = 'a duration of at most 10 seconds, in milliseconds or as text such as "5 millis"'

const windowOf = (window: RetryPolicy.Time | undefined): Effect.Effect<number, InvalidOption> => {
  const duration = Duration.fromInput(window ?? 0)
  const millis = duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
  return millis >= 0 && millis <= 10_000
    ? Effect.succeed(millis)
    : Effect.fail(OptionCheck.invalid("batch.window", expectedWindow, window))
}

const batchOf = (given: unknown): Effect.Effect<BatchOptions, InvalidOption> => {
  if (given === undefined || typeof given === "boolean") return Effect.succeed({})
  if (typeof given !== "object" || given === null) {
    const expected = `a boolean or an object with ${Object.keys(batchKinds).join(", ")}`
    return Effect.fail(OptionCheck.invalid("batch", expected, given))
  }
  return Effect.as(Effect.fromResult(OptionCheck.members(given, batchKinds, "batch")), given)
}

const checkRate = (rate: RateLimit): Effect.Effect<void, InvalidOption> =>
  Effect.fromResult(
    Result.gen(function* () {
      yield* TokenBucket.check(rate, { units: "record", defaultUnits: "cost" })
      for (const [method, cost] of Object.entries(rate.units ?? {}))
        yield* OptionCheck.member(`rateLimit.units.${method}`, "cost", cost)
    }),
  )

/** Kinds of the members of a client's options. */
export const optionKinds = {
  url: "any",
  rpcUrl: "any",
  chain: "any",
  apiKey: "any",
  hyphens: "boolean",
  timeout: "duration",
  retry: "any",
  maxBytes: "count",
  maxItemBytes: "count",
  batch: "any",
  share: "boolean",
  maxPause: "duration",
  rateLimit: "any",
  fetch: "function",
  limitResult: "function",
  headers: "record",
  userAgent: "headerText",
  onEvent: "function",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

/** Kinds of the members of call options. */
export const callKinds = {
  timeout: "duration",
  maxBytes: "count",
  batch: "boolean",
  share: "boolean",
  headers: "record",
} as const satisfies Readonly<Record<keyof CallOptions, OptionCheck.Kind>>

/** Validated call options; missing options count as an empty object. */
export const callOptions = <A extends object>(
  given: A | undefined,
  kinds: Readonly<Record<string, OptionCheck.Kind>>,
): Result.Result<A, InvalidOption> =>
  given === null
    ? Result.fail(OptionCheck.invalid("options", `an object with ${Object.keys(kinds).join(", ")}`, given))
    : // Sound: every member of the call options is optional.
      Result.map(OptionCheck.members(given, kinds), () => given ?? ({} as A))

const endpointKinds = { url: "any", headers: "record" } as const satisfies Readonly<
  Record<keyof EndpointOptions, OptionCheck.Kind>
>

const batchKinds = { window: "wait", maxCalls: "count", maxBytes: "count" } as const satisfies Readonly<
  Record<keyof BatchOptions, OptionCheck.Kind>
>

/** Makes the endpoints of a client. Each batcher reads and records the batch limit of its endpoint in the pool. */
const poolOf = (
  endpoints: ReadonlyArray<Endpoint.Endpoint>,
  options: Pick<
    Batcher.Options,
    "pause" | "fetch" | "limitResult" | "maxRequestBytes" | "attributes" | "headers" | "onEvent"
  > & {
    readonly rateLimit: RateLimit | undefined
    readonly queue: () => Batcher.Queue
  },
): EndpointStates.EndpointStates<Member> => {
  const { queue, rateLimit, ...shared } = options
  const pool: EndpointStates.EndpointStates<Member> = EndpointStates.make(
    endpoints.map((endpoint, index) => ({
      batcher: Batcher.make({
        ...shared,
        endpoint,
        queue: queue(),
        detectedLimit: () => pool.state().endpoints[index]?.detectedLimit ?? Number.POSITIVE_INFINITY,
        onLimitDetected: (limit) => pool.note({ _tag: "BatchLimited", index, limit }),
      }),
      bucket: rateLimit === undefined ? undefined : TokenBucket.make(rateLimit),
    })),
  )
  return pool
}

/** Reads options. */
export const read = Effect.fnUntraced(function* (
  given: Options | undefined,
): Effect.fn.Return<Settings, InvalidOption> {
  yield* Effect.fromResult(OptionCheck.members(given, optionKinds))
  const options: Partial<Options> = given ?? {}
  const { timeout, rateLimit, fetch = platformFetch } = options
  const retry = yield* Effect.fromResult(Retry.policyFromOptions(options.retry, "retry"))
  const batch = yield* batchOf(options.batch)
  if (rateLimit !== undefined) yield* checkRate(rateLimit)
  const { endpoints, chain } = yield* endpointsOf(options)
  const policy = timeout === undefined ? retry : yield* Effect.fromResult(Retry.withDeadline(retry, timeout))
  const { maxBytes = 64 * mib, maxItemBytes } = options
  const maxPause = options.maxPause === undefined ? undefined : Duration.fromInputUnsafe(options.maxPause)
  const windowMillis = yield* windowOf(batch.window)
  const { maxCalls = 20, maxBytes: maxRequestBytes = mib / 2 } = batch
  const mayJoin = !isolatesRequests()
  const isBatched = (options.batch ?? mayJoin) !== false
  // Batched calls resume from a pause together; calls sent alone are spread.
  const pause = RequestedWaits.make(isBatched ? undefined : Duration.times(policy.base, policy.jitter))
  const system = { "rpc.system": "jsonrpc" }
  const attributes = chain === undefined ? system : { ...system, "daybook.chain": chain }
  const queue = (): Batcher.Queue => BatchState.queue(maxCalls, windowMillis)
  const headers = UserAgent.headers(options.userAgent, "daybook-rpc")
  const { limitResult, onEvent } = options
  const shared = { pause, fetch, limitResult, maxRequestBytes, attributes, headers, onEvent }
  const pool = poolOf(endpoints, { ...shared, rateLimit, queue })
  const isShared = options.share ?? mayJoin
  const maxBatchCalls = batch.maxCalls ?? 1_000
  return { pool, pause, policy, maxPause, maxBytes, maxItemBytes, isBatched, isShared, maxBatchCalls, chain, onEvent }
})
