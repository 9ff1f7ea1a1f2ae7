/**
 * Runs the scripts of a hostile node against the client in each of its calling styles, and checks the outcomes. A `Bug` is injected
 * outside the client to verify that the check detects it; the client itself has no switch for it.
 */
import { isDeepStrictEqual } from "node:util"
import { HostileNode, NodeFault, NodeScript, ScriptRunner, VirtualChain } from "@daybook/hostile"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { Fetch } from "@daybook/transport/Fetch"
import { Clock, Effect, Result, Schema } from "effect"
import type { Call } from "@daybook/rpc/Method"
import { createRpcClient } from "@daybook/rpc/promise"
import * as RpcClient from "@daybook/rpc/RpcClient"

/** Calling styles. */
const styles = ["typed", "alone", "batch", "raw", "promise"] as const

export type Style = (typeof styles)[number]

/** Common mistakes of clients, which are injected. */
export type Bug = "matches by position" | "timeout ends at the headers" | "Retry-After in the wrong unit"

export const policy: NodeScript.Policy = {
  maxAttempts: 4,
  deadlineMillis: 400,
  backoffMillis: 20,
  slackMillis: 2_000,
}

/** Raw requests cannot detect a result of the wrong type. */
const untyped = NodeFault.names.filter((name) => name !== "undecodable")

const styleOf = (seed: number): Style => styles[seed % styles.length] ?? "typed"

/** Script of a seed, for the style of that seed. */
const scriptOf = (seed: number): NodeScript.Script =>
  NodeScript.make(seed, styleOf(seed) === "raw" ? { faults: untyped } : {})

/** Renumbers the items of a response in the order of the request, so that matching by id becomes matching by position. */
const byPosition =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const text = await new Response((response as unknown as Response).body).text()
    const ids = (JSON.parse(init.body ?? "[]") as ReadonlyArray<{ readonly id: number }>) ?? []
    const parsed = ((): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    })()
    const isBatch = Array.isArray(parsed) && Array.isArray(ids)
    const renumbered = isBatch
      ? JSON.stringify(parsed.map((item: object, at) => ({ ...item, id: ids[at]?.id ?? null })))
      : text
    const { status } = response
    const renumberedResponse = new Response(status === 204 ? null : renumbered, { status })
    return {
      status,
      headers: response.headers,
      body: renumberedResponse.body as never,
      arrayBuffer: () => renumberedResponse.arrayBuffer(),
    }
  }

/** Number of requests whose headers were received. */
let startedCount = 0

const counting =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    startedCount++
    return response
  }

/** A clock whose timers never fire once headers were received, to simulate a timeout that ends at the headers. */
const stopped = Effect.map(Clock.Clock, (clock): Clock.Clock => ({
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanos: clock.monotonicTimeNanos,
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  sleep: (duration) => Effect.flatMap(clock.sleep(duration), () => (startedCount > 0 ? Effect.never : Effect.void)),
}))

/** Interprets seconds as milliseconds. */
const wrongUnit =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = (await fetch(url, init)) as unknown as Response
    const headers = new Headers(response.headers)
    const retryAfter = headers.get("retry-after")
    if (retryAfter !== null && /^\d+$/.test(retryAfter)) {
      headers.delete("retry-after")
      headers.set("retry-after-ms", retryAfter)
    }
    return { status: response.status, headers, body: response.body as never, arrayBuffer: () => response.arrayBuffer() }
  }

const fetchWithBug: Readonly<Record<Bug, (fetch: Fetch) => Fetch>> = {
  "matches by position": byPosition,
  "timeout ends at the headers": counting,
  "Retry-After in the wrong unit": wrongUnit,
}

const truthOf = (call: VirtualChain.Call): unknown => {
  const reply = VirtualChain.answer(call)
  return "result" in reply ? reply.result : undefined
}

/** Whether a value is what its method decodes `null` as. */
const isDecodedNull = (method: RpcMethod.Name, value: unknown): boolean =>
  value === null || (method === "eth_getLogs" && isDeepStrictEqual(value, []))

/** Compares a typed value with the correct one: equal, null, or the result of another call. */
const typedOutcome = (call: VirtualChain.Call, value: unknown): NodeScript.Observed["outcome"] => {
  if (!RpcMethod.isName(call.method)) return "wrong"
  const right = Schema.decodeUnknownSync(RpcMethod.resultOf(call.method, call.params))(truthOf(call))
  if (isDeepStrictEqual(value, right)) return "correct"
  return isDecodedNull(call.method, value) ? "null" : "wrong"
}

/** Outcome of a failed call. In place of the state at a block, `null` is the error of a block that the node does not have. */
const tagOf = (error: unknown): string => {
  if (!(error instanceof Error && "_tag" in error)) return String(error)
  const isNull = "kind" in error && error.kind === "notFound" && error.message.includes("The node returned null")
  return isNull ? "null" : String(error._tag)
}

const platform: Fetch = (url, init) => globalThis.fetch(url, init)

const optionsFor = (
  url: string,
  style: Style,
  bug: Bug | undefined,
  limits: NodeScript.Policy,
  fetch: Fetch,
): RpcClient.Options => {
  return {
    url,
    timeout: limits.deadlineMillis,
    maxBytes: 1024 * 1024,
    maxItemBytes: 512 * 1024,
    retry: { maxAttempts: limits.maxAttempts, base: 5, cap: limits.backoffMillis },
    batch: style === "alone" ? false : undefined,
    fetch: bug === undefined ? fetch : fetchWithBug[bug](fetch),
  }
}

type Ended = (call: VirtualChain.Call, outcome: string) => void

type Run = (
  options: RpcClient.Options,
  calls: ReadonlyArray<VirtualChain.Call>,
  ended: Ended,
  bug?: Bug,
) => Promise<unknown>

const callOf = (client: RpcClient.Client, call: VirtualChain.Call) =>
  // Sound for a test: each call of a script is one of a method and its parameters.
  (
    client[call.method as "eth_getBlockByNumber"] as (
      ...params: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown, unknown>
  )(...call.params)

const runs: Readonly<Record<Style, Run>> = {
  typed: (options, calls, ended, bug) => {
    const client = RpcClient.makeUnsafe(options)
    startedCount = 0
    const clock = bug === "timeout ends at the headers" ? stopped : Clock.Clock
    return Effect.runPromise(
      Effect.provideServiceEffect(
        Effect.forEach(
          calls,
          (call) =>
            Effect.map(Effect.result(callOf(client, call)), (result) =>
              ended(call, Result.isSuccess(result) ? typedOutcome(call, result.success) : tagOf(result.failure)),
            ),
          { concurrency: "unbounded" },
        ),
        Clock.Clock,
        clock,
      ),
    )
  },
  alone: (options, calls, ended) => runs.typed(options, calls, ended),
  batch: async (options, calls, ended) => {
    const client = RpcClient.makeUnsafe(options)
    const results = await Effect.runPromise(client.batch(calls as unknown as ReadonlyArray<Call>))
    for (const [at, result] of results.entries()) {
      const call = calls[at]!
      ended(call, Result.isSuccess(result) ? typedOutcome(call, result.success) : tagOf(result.failure))
    }
  },
  raw: (options, calls, ended) => {
    const client = createRpcClient(options)
    return Promise.all(
      calls.map((call) =>
        client.request(call).then(
          (value) => ended(call, NodeScript.outcomeOf(call, value)),
          (error: unknown) => ended(call, tagOf(error)),
        ),
      ),
    )
  },
  promise: (options, calls, ended) => {
    const client = createRpcClient(options) as unknown as Readonly<
      Record<string, (...params: ReadonlyArray<unknown>) => Promise<unknown>>
    >
    return Promise.all(
      calls.map((call) =>
        client[call.method]!(...call.params).then(
          (value) => ended(call, typedOutcome(call, value)),
          (error: unknown) => ended(call, tagOf(error)),
        ),
      ),
    )
  },
}

/** Runs one script in one style. */
export const runScript = async (
  script: NodeScript.Script,
  style: Style,
  bug?: Bug,
  limits = policy,
  fetch = platform,
) => {
  const { steps, batchLimit } = script
  const node = await HostileNode.start({ script: steps, batchLimit })
  try {
    const observed = new Map<VirtualChain.Call, NodeScript.Observed>()
    const began = performance.now()
    const ended: Ended = (call, outcome) =>
      void observed.set(call, { call, outcome, elapsedMillis: performance.now() - began })
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limits.deadlineMillis + (limits.slackMillis ?? 500))
    })
    await Promise.race([runs[style](optionsFor(node.url, style, bug, limits, fetch), script.calls, ended, bug), limit])
    clearTimeout(timer)
    await node.settled(200)
    const all = script.calls.map(
      (call) => observed.get(call) ?? { call, outcome: "hangs", elapsedMillis: performance.now() - began },
    )
    const issues = NodeScript.check(script, limits, node.exchanges(), all)
    return { issues, histogram: node.histogram(), requests: node.exchanges().length, observed: all }
  } finally {
    await node.stop()
  }
}

type Result = Awaited<ReturnType<typeof runScript>>

const isLate = ({ issues, requests }: Result): boolean =>
  requests === 0 || issues.some((issue) => /: (?:took \d|ended with (?:TimeoutError|hangs)|gave up)/.test(issue))

const runWithTime = (script: NodeScript.Script, style: Style, timeFactor: number, fetch: Fetch) =>
  runScript(script, style, undefined, { ...policy, deadlineMillis: policy.deadlineMillis * timeFactor }, fetch)

/** Runs a script alone until the result is not late; returns the last result. */
export const runAlone = (script: NodeScript.Script, style: Style): Promise<Result> =>
  ScriptRunner.runAlone(script, { isLate, run: (one, timeFactor) => runWithTime(one, style, timeFactor, platform) })

/** Runs the scripts of many seeds, several at a time; late ones are repeated alone. */
export const runAll = async (seeds: Iterable<number>, workers: number, fetch = platform) => {
  const results = await ScriptRunner.runAll(seeds, workers, {
    isLate,
    run: (seed, timeFactor) => runWithTime(scriptOf(seed), styleOf(seed), timeFactor, fetch),
  })
  const ends = new Map<string, number>()
  for (const { outcome } of results.flatMap(({ result }) => result.observed))
    ends.set(outcome, (ends.get(outcome) ?? 0) + 1)
  return {
    late: results.filter(({ wasLate }) => wasLate).length,
    issues: results.flatMap(({ result, script: seed }) => result.issues.map((issue) => `${styleOf(seed)}: ${issue}`)),
    histogram: NodeScript.histogram(results.map(({ result }) => result.histogram)),
    requests: results.reduce((sum, { result }) => sum + result.requests, 0),
    calls: results.reduce((sum, { result }) => sum + result.observed.length, 0),
    ends,
  }
}

/** The histogram as text, rarest first. */
export const format = (histogram: ReadonlyArray<readonly [string, number]>): string =>
  histogram.map(([name, count]) => `${String(count).padStart(7)} ${name}`).join("\n")
