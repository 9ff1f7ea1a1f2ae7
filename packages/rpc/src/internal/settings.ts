/** Reads the options of a client: where its node is, and how it is talked to. */
import * as Chain from "@daybook/schema/Chain"
import { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import type { Fetch } from "@daybook/transport/Http"
import * as OptionCheck from "@daybook/transport/OptionCheck"
import * as Pause from "@daybook/transport/Pause"
import { fromKey, type Key } from "@daybook/transport/Redaction"
import * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { BatchOptions, EndpointOptions, Options, RateLimit } from "../Options.ts"
import { type Fleet, member } from "./fleet.ts"
import * as limiter from "./limiter.ts"
import * as line from "./line.ts"

const refuse = (option: string, problem: string): Effect.Effect<never, InvalidOption> =>
  Effect.fail(new InvalidOption({ option, problem }))

/** A path segment of one or two dots would be resolved away, and an empty one changes the path. */
const segment = (option: string, text: unknown): Effect.Effect<string, InvalidOption> => {
  return Effect.flatMap(Effect.fromResult(OptionCheck.text(option, `text beside "rpcUrl"`, text)), (given) => {
    const trimmed = given.trim()
    return trimmed === "" || /^\.{1,2}$/.test(trimmed)
      ? refuse(option, "cannot be a part of a path. It takes text that is more than dots.")
      : Effect.succeed(trimmed)
  })
}

/** The path segment of a chain: the interface's spelling for RPC where it has the chain, other text as it is. */
export const chainSegment = (chain: string | number | bigint, hyphens: boolean): string => {
  const [found, another] = typeof chain === "string" ? Chain.fromText(chain) : Chain.fromId(chain)
  const given = typeof chain === "string" ? chain : `0x${chain.toString(16)}`
  const name = found === undefined || another !== undefined ? given : (found.rpcName ?? found.name)
  return hyphens ? name.replaceAll(/\s+/g, "-") : name
}

const chainOf = (given: unknown, hyphens: boolean): Effect.Effect<string, InvalidOption> => {
  const isNumber = typeof given === "bigint" || typeof given === "number"
  const takes = `a name such as "polygon amoy", an identifier such as "0x13882" or a number such as 80002`
  if (!isNumber && typeof given !== "string")
    return refuse("chain", `${given == null ? "is missing" : "is of another kind"}. It takes ${takes}.`)
  if (isNumber && (given < 0 || (typeof given === "number" && !Number.isSafeInteger(given)))) {
    return refuse("chain", `takes ${takes}; ${given} came.`)
  }
  return isNumber
    ? Effect.succeed(chainSegment(given, hyphens))
    : Effect.map(segment("chain", given), (chain) => chainSegment(chain, hyphens))
}

/** Where an option set leads. */
export interface Settings {
  readonly fleet: Fleet
  readonly pause: Pause.Pause
  readonly policy: RetryPolicy.RetryPolicy
  readonly maxBytes: number
  readonly maxItemBytes: number | undefined
  readonly isBatched: boolean
  readonly isShared: boolean
  /** Calls in one request of a batch by hand. */
  readonly maxHandCalls: number
  /** The chain's path segment; undefined with a URL that says nothing of it. */
  readonly chain: string | undefined
}

const mib = 1024 * 1024

const count = (option: string, value: number): Effect.Effect<number, InvalidOption> =>
  Number.isSafeInteger(value) && value > 0
    ? Effect.succeed(value)
    : refuse(option, `takes a whole number above 0; ${value} came.`)

const isPlain = (one: Key | URL | EndpointOptions): one is Key | URL =>
  typeof one !== "object" || one === null || one instanceof URL || Redacted.isRedacted(one)

const isMany = (url: NonNullable<Options["url"]>): url is ReadonlyArray<Key | URL | EndpointOptions> =>
  Array.isArray(url)

const endpointsOf = Effect.fnUntraced(function* (options: Partial<Options>) {
  const headers = options.headers === undefined ? {} : { headers: options.headers }
  const { url, rpcUrl } = options
  if (url !== undefined && url !== null) {
    if (rpcUrl !== undefined && rpcUrl !== null)
      return yield* refuse("url", 'stands beside "rpcUrl". Give one of them.')
    const all = isMany(url) ? url : [url]
    if (all.length === 0) return yield* refuse("url", "is an empty list. Give at least one URL.")
    const endpoints = yield* Effect.forEach(all, (one) =>
      isPlain(one)
        ? Endpoint.make({ url: one, ...headers })
        : Endpoint.make({ url: one.url, headers: { ...options.headers, ...one.headers } }),
    )
    return { endpoints, chain: undefined }
  }
  if (rpcUrl === undefined || rpcUrl === null)
    return yield* refuse("url", 'is missing. Give "url", or "rpcUrl" with "chain" and "apiKey".')
  const base = yield* Effect.fromResult(OptionCheck.baseUrl("rpcUrl", "a URL such as https://host/path", rpcUrl))
  const chain = yield* chainOf(options.chain, options.hyphens ?? false)
  const apiKey = yield* segment("apiKey", options.apiKey)
  const path = [chain, fromKey(apiKey)]
  return { endpoints: [yield* Endpoint.make({ url: fromKey(base), path, option: "rpcUrl", ...headers })], chain }
})

const windowOf = (window: Duration.Input | undefined): Effect.Effect<number, InvalidOption> => {
  const duration = Duration.fromInput(window ?? 0)
  const millis = duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
  return millis >= 0 && millis <= 10_000
    ? Effect.succeed(millis)
    : refuse("batch.window", 'takes a duration of at most 10 seconds, in milliseconds or as text such as "5 millis".')
}

const checkRate = (rate: RateLimit): Effect.Effect<void, InvalidOption> => {
  const { perSecond, burst = 1, defaultUnits = 1, units = {} } = rate
  const isRight = perSecond > 0 && burst > 0 && [defaultUnits, ...Object.values(units)].every((cost) => cost >= 0)
  return isRight ? Effect.void : refuse("rateLimit", "takes rates above 0 and costs of at least 0.")
}

const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init)

const optionNames = [
  "url",
  "rpcUrl",
  "chain",
  "apiKey",
  "hyphens",
  "timeout",
  "retry",
  "maxBytes",
  "maxItemBytes",
  "batch",
  "share",
  "rateLimit",
  "fetch",
  "headers",
] satisfies ReadonlyArray<keyof Options>

const retryNames = ["maxAttempts", "base", "cap", "jitter", "deadline", "attemptTimeout"] satisfies ReadonlyArray<
  keyof RetryPolicy.Options
>

const batchNames = ["window", "maxCalls", "maxBytes"] satisfies ReadonlyArray<keyof BatchOptions>

const rateNames = ["perSecond", "burst", "units", "defaultUnits"] satisfies ReadonlyArray<keyof RateLimit>

/** Reads options. */
export const read = Effect.fnUntraced(function* (
  given: Options | undefined,
): Effect.fn.Return<Settings, InvalidOption> {
  yield* Effect.fromResult(OptionCheck.names(given, optionNames))
  const options: Partial<Options> = given ?? {}
  yield* Effect.fromResult(OptionCheck.names(options.retry, retryNames, "retry"))
  if (typeof options.batch !== "boolean")
    yield* Effect.fromResult(OptionCheck.names(options.batch, batchNames, "batch"))
  yield* Effect.fromResult(OptionCheck.names(options.rateLimit, rateNames, "rateLimit"))
  const { endpoints, chain } = yield* endpointsOf(options)
  const { timeout, retry, rateLimit, fetch = globalFetch } = options
  const policy = yield* RetryPolicy.make(timeout === undefined ? retry : { ...retry, deadline: timeout })
  const maxBytes = yield* count("maxBytes", options.maxBytes ?? 64 * mib)
  const maxItemBytes =
    options.maxItemBytes === undefined ? undefined : yield* count("maxItemBytes", options.maxItemBytes)
  const batch: BatchOptions = typeof options.batch === "object" ? options.batch : {}
  const windowMillis = yield* windowOf(batch.window)
  const maxCalls = yield* count("batch.maxCalls", batch.maxCalls ?? 20)
  const maxHandCalls = yield* count("batch.maxCalls", batch.maxCalls ?? 1_000)
  const maxRequestBytes = yield* count("batch.maxBytes", batch.maxBytes ?? mib / 2)
  if (rateLimit !== undefined) yield* checkRate(rateLimit)
  const isBatched = options.batch !== false
  // Calls that are gathered come back from a pause as few requests; calls that go alone are spread.
  const pause = Pause.make(isBatched ? {} : { spread: Duration.times(policy.base, policy.jitter) })
  const attributes = { "rpc.system": "jsonrpc", ...(chain === undefined ? {} : { "daybook.chain": chain }) }
  const members = endpoints.map((endpoint) =>
    member(
      line.make({
        endpoint,
        pause,
        fetch,
        maxRequestBytes,
        attributes,
        gathering: { maxCalls, windowMillis, items: [] },
      }),
      rateLimit === undefined ? undefined : limiter.make(rateLimit),
    ),
  )
  const fleet: Fleet = { members, highest: -1n }
  const isShared = options.share !== false
  return { fleet, pause, policy, maxBytes, maxItemBytes, isBatched, isShared, maxHandCalls, chain }
})
