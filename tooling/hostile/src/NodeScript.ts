/**
 * Generated scripts for a hostile node, and the check of a client that ran against one.
 *
 * A script is a function of its seed alone, so the seed reproduces it. The check is a pure function of the script, the
 * limits of the client, the exchanges that the node recorded, and the outcomes of the calls.
 */
import { isDeepStrictEqual } from "node:util"
import type { Exchange, Options, Step } from "./HostileNode.ts"
import { sumCounts } from "./internal/histogram.ts"
import * as NodeFault from "./NodeFault.ts"
import * as Random from "@daybook/testkit/internal/Random"
import * as VirtualChain from "./VirtualChain.ts"

/** A run of a client against a hostile node. */
export interface Script {
  readonly seed: number
  /** Distinct calls whose correct result is not null. */
  readonly calls: ReadonlyArray<VirtualChain.Call>
  readonly steps: ReadonlyArray<Step>
  readonly batchLimit?: Options["batchLimit"]
}

/** Bounds of a generated script. */
export interface Bounds {
  /** Largest number of calls; the smallest is 1. Default 12. */
  readonly maxCalls?: number
  /** Largest number of steps; the smallest is 0. Default 8. */
  readonly maxSteps?: number
  /** Faults to choose from. Default: all. */
  readonly faults?: ReadonlyArray<NodeFault.Name>
  /** Share of scripts whose node limits the size of a batch. Default 0.1. */
  readonly batchLimitShare?: number
}

/** The limits that a client was configured with. */
export interface Policy {
  readonly maxAttempts: number
  /** Time for one call: all attempts, waits and bodies. */
  readonly deadlineMillis: number
  /** Time for one attempt; absent when only the deadline bounds it. */
  readonly attemptTimeoutMillis?: number
  /** Longest wait between two attempts that the client chooses itself. */
  readonly backoffMillis: number
  /** Tolerance beyond the deadline, for a busy machine. Default 500. */
  readonly slackMillis?: number
}

/** The outcome of a call: see `outcomeOf` for a value; the tag of an error. */
export interface Observed {
  readonly call: VirtualChain.Call
  readonly outcome: NodeFault.Outcome | "wrong" | (string & {})
  readonly elapsedMillis: number
}

/** A call about one of the blocks. The block is removed from the list, so that no two calls of a script have the same result. */
const generateCall = (random: Random.Random, blocks: Array<(typeof VirtualChain.fullBlocks)[number]>) => {
  const block = random.pick(blocks)
  blocks.splice(blocks.indexOf(block), 1)
  const { hash, number, transactions } = block
  const id = `0x${number.toString(16)}`
  const transaction = random.pick(transactions).hash
  const address = random.hex(20)
  return random.pick<VirtualChain.Call>([
    { method: "eth_getBlockByNumber", params: [id, false] },
    { method: "eth_getBlockByNumber", params: [id, true] },
    { method: "eth_getBlockByHash", params: [hash, random.integer(2) === 0] },
    { method: "eth_getTransactionByBlockHashAndIndex", params: [hash, `0x${random.integer(3)}`] },
    { method: "eth_getBlockReceipts", params: [id] },
    { method: "trace_block", params: [id] },
    { method: "debug_traceBlockByNumber", params: [id, { tracer: "callTracer" }] },
    { method: "eth_getTransactionByHash", params: [transaction] },
    { method: "eth_getTransactionReceipt", params: [transaction] },
    { method: "eth_getBalance", params: [address, id] },
    { method: "eth_getTransactionCount", params: [address, id] },
    { method: "eth_getCode", params: [address, id] },
    { method: "eth_getStorageAt", params: [address, "0x0", id] },
    { method: "eth_call", params: [{ to: address, data: random.hex(4) }, id] },
    { method: "eth_getLogs", params: [{ fromBlock: id, toBlock: id }] },
  ])
}

const waits: Readonly<Partial<Record<NodeFault.Name, ReadonlyArray<number>>>> = {
  limitedMillis: [0, 60, 150, 400, 3_600_000],
  limitedDate: [0, 1_000, 2_000, 3_600_000],
}

const defaultWaits = [0, 1_000, 1_000, 2_000, 3_600_000]

const generateStep = (random: Random.Random, faults: ReadonlyArray<NodeFault.Name>): Step => {
  const fault = random.pick(faults)
  const waitMillis = random.pick(waits[fault] ?? defaultWaits)
  const target = random.next()
  return NodeFault.all[fault].retryAfter === undefined ? { fault, target } : { fault, target, waitMillis }
}

/** The script of a seed. */
export const make = (seed: number, bounds: Bounds = {}): Script => {
  const { maxCalls = 12, maxSteps = 8, faults = NodeFault.names, batchLimitShare = 0.1 } = bounds
  const random = Random.make(seed)
  const blocks = [...VirtualChain.fullBlocks]
  const wanted = 1 + random.integer(maxCalls)
  const calls = Array.from({ length: wanted }, () => generateCall(random, blocks))
  const steps = Array.from({ length: random.integer(maxSteps + 1) }, () => generateStep(random, faults))
  const isLimited = random.next() < batchLimitShare
  const fault = random.pick(["rejected413", "rejectedSize", "rejectedBatch"] as const)
  const limit = fault === "rejectedBatch" ? 1 : 1 + random.integer(wanted)
  return { seed, calls, steps, batchLimit: isLimited ? { maxCalls: limit, fault } : undefined }
}

/** Smaller scripts to try when one fails: without one of the steps, without the batch limit, or with half of the calls. */
export const shrink = (script: Script): ReadonlyArray<Script> => {
  const { batchLimit, ...rest } = script
  const half = script.calls.slice(0, Math.ceil(script.calls.length / 2))
  return [
    ...(half.length < script.calls.length ? [{ ...script, calls: half }] : []),
    ...(batchLimit === undefined ? [] : [rest]),
    ...script.steps.map((_, at) => ({ ...script, steps: script.steps.toSpliced(at, 1) })),
  ]
}

/** Classifies the JSON value that a call ended with: its correct result, null, or a wrong one. */
export const outcomeOf = (call: VirtualChain.Call, value: unknown): "correct" | "null" | "wrong" => {
  const reply = VirtualChain.answer(call)
  if ("result" in reply && isDeepStrictEqual(reply.result, value)) return "correct"
  return value === null ? "null" : "wrong"
}

/** Outcomes that any call of a script may have, whatever the order of its requests, on a machine without delays. */
export const allowed = (script: Script, policy: Policy): ReadonlySet<NodeFault.Outcome> => {
  const possible = new Set<NodeFault.Outcome>(["correct"])
  const limit = script.batchLimit === undefined ? [] : [{ fault: script.batchLimit.fault }]
  for (const { fault, waitMillis = 0 } of [...script.steps, ...limit] as ReadonlyArray<Step>) {
    for (const outcome of NodeFault.all[fault].outcomes) possible.add(outcome)
    if (waitMillis > 0) possible.add("RateLimited")
    if (waitMillis + policy.backoffMillis > policy.deadlineMillis) possible.add("TimeoutError")
  }
  return possible
}

const splits = (fault: NodeFault.Name): boolean => NodeFault.all[fault].splits === true

/** Largest number of requests of a correct client: each call alone in each attempt, and the batches that are split. */
export const maxRequests = (script: Script, policy: Policy): number => {
  const rejections = script.steps.filter(({ fault }) => splits(fault)).length
  const canSplit = rejections > 0 || script.batchLimit !== undefined
  return script.calls.length * (policy.maxAttempts + (canSplit ? 1 : 0)) + rejections
}

/** How early a timer may fire. */
const timerMillis = 2
/** How long a first request may have been in flight when a wait was requested. */
const sendingMillis = 1_000
/** A response that ended this much later than another was read after it. */
const readingMillis = 50

/** One attempt of one call. */
interface Attempt {
  readonly exchange: Exchange
  readonly fault: NodeFault.Name
}

const attemptsOf = (exchanges: ReadonlyArray<Exchange>, key: string): ReadonlyArray<Attempt> =>
  exchanges.flatMap((exchange) =>
    exchange.calls.filter((call) => call.key === key).map(({ fault }) => ({ exchange, fault })),
  )

/** True when the client closed the socket no earlier than half its timeout. */
const isAborted = ({ exchange }: Attempt, policy: Policy): boolean => {
  const timeout = Math.min(policy.attemptTimeoutMillis ?? policy.deadlineMillis, policy.deadlineMillis)
  const lasted = (exchange.endedAtMillis ?? Infinity) - exchange.atMillis
  return exchange.end === "closedByClient" && lasted >= timeout * 0.5
}

/** Attempts that must not have been made. */
const forbiddenRetries = (attempts: ReadonlyArray<Attempt>, policy: Policy): ReadonlyArray<string> =>
  attempts.slice(0, -1).flatMap((attempt) => {
    const mayBeLate = isAborted(attempt, policy) || policy.attemptTimeoutMillis !== undefined
    if (attempt.fault === "none") return mayBeLate ? [] : ["sent again after its correct response"]
    return NodeFault.all[attempt.fault].retry === "forbidden" ? [`sent again after ${attempt.fault}`] : []
  })

/** Attempts that count towards the limit: a batch rejected for its size does not. */
const countOf = (attempts: ReadonlyArray<Attempt>): number => attempts.filter(({ fault }) => !splits(fault)).length

/** How long a response may delay every call: as requested, or for the client's own backoff after a rate limit. */
const pauseOf = ({ waitMillis = 0, calls }: Exchange, policy: Policy): number => {
  const isLimited = calls.some(({ fault }) => NodeFault.all[fault].outcomes.includes("RateLimited"))
  return waitMillis > 0 || !isLimited ? waitMillis : policy.backoffMillis
}

/** Outcomes that the last attempt of a call permits. */
const permitted = (
  last: Attempt | undefined,
  observed: Observed,
  policy: Policy,
  longestPauseMillis: number,
): ReadonlySet<string> => {
  const outcomes = new Set<string>(last === undefined ? [] : NodeFault.all[last.fault].outcomes)
  const isLate = observed.elapsedMillis >= policy.deadlineMillis * 0.9
  const isPaused = longestPauseMillis > 0 && longestPauseMillis + observed.elapsedMillis >= policy.deadlineMillis
  if (isPaused) outcomes.add("RateLimited")
  if (isLate || (last !== undefined && isAborted(last, policy))) outcomes.add("TimeoutError")
  return outcomes
}

/** True when a call failed although a retry was required and there was time for it. */
const gaveUp = (
  attempts: ReadonlyArray<Attempt>,
  observed: Observed,
  policy: Policy,
  longestPauseMillis: number,
): boolean => {
  const last = attempts.at(-1)
  if (last === undefined || NodeFault.all[last.fault].retry !== "required") return false
  const soonest = observed.elapsedMillis + Math.max(policy.backoffMillis, longestPauseMillis)
  return countOf(attempts) < policy.maxAttempts && soonest < policy.deadlineMillis * 0.8
}

const checkCall = (script: Script, policy: Policy, exchanges: ReadonlyArray<Exchange>, observed: Observed) => {
  const name = VirtualChain.keyOf(observed.call)
  const attempts = attemptsOf(exchanges, name)
  const count = countOf(attempts)
  const longestPauseMillis = Math.max(0, ...exchanges.map((exchange) => pauseOf(exchange, policy)))
  const outcomes = permitted(attempts.at(-1), observed, policy, longestPauseMillis)
  const issues = [...forbiddenRetries(attempts, policy)]
  if (!outcomes.has(observed.outcome)) issues.push(`ended with ${observed.outcome}, not ${[...outcomes].join(" or ")}`)
  if (observed.outcome !== "correct" && gaveUp(attempts, observed, policy, longestPauseMillis)) {
    issues.push(`gave up with ${observed.outcome} after ${count} of ${policy.maxAttempts} attempts`)
  }
  if (count > policy.maxAttempts) issues.push(`sent ${count} times, more than ${policy.maxAttempts}`)
  const latest = policy.deadlineMillis + (policy.slackMillis ?? 500)
  if (observed.elapsedMillis > latest) {
    issues.push(`took ${Math.round(observed.elapsedMillis)} ms, more than ${policy.deadlineMillis}`)
  }
  const history = attempts.map(({ exchange, fault }) => `${exchange.number}:${fault}`).join(" ") || "never sent"
  return issues.map((issue) => `seed ${script.seed}: ${name} [${history}]: ${issue}`)
}

/** True when the client had certainly read a response before it sent this request. */
const isSentAfter = (request: Exchange, limiting: Exchange, exchanges: ReadonlyArray<Exchange>): boolean => {
  const { endedAtMillis = Infinity } = limiting
  if (request.number <= limiting.number || request.atMillis <= endedAtMillis) return false
  const keys = new Set(request.calls.map(({ key }) => key))
  if (limiting.calls.some(({ key }) => keys.has(key))) return true
  const before = exchanges.filter(
    ({ number, calls }) => number < request.number && calls.some(({ key }) => keys.has(key)),
  )
  if (before.length === 0) return request.atMillis > endedAtMillis + sendingMillis
  // A client closes a socket before the server notices, on a busy machine long before.
  return before.every(
    ({ end, endedAtMillis: earlierEnd = Infinity }) =>
      (end === "sent" || end === "closedByServer") && earlierEnd > endedAtMillis + readingMillis,
  )
}

/** Requests sent during a wait that an earlier response requested for all calls. */
const sentTooEarly = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<string> =>
  exchanges.flatMap((limiting) => {
    const { waitMillis = 0, endedAtMillis } = limiting
    if (waitMillis === 0 || limiting.end !== "sent" || endedAtMillis === undefined) return []
    const inexact = NodeFault.all[limiting.fault].retryAfter === "second" ? 1_000 : 0
    const until = endedAtMillis + waitMillis - inexact - timerMillis
    return exchanges
      .filter((request) => request.atMillis < until && isSentAfter(request, limiting, exchanges))
      .map(({ number, atMillis }) => {
        const after = Math.round(atMillis - endedAtMillis)
        return `request ${number} was sent ${after} ms after request ${limiting.number} was asked to wait ${waitMillis} ms (${limiting.fault})`
      })
  })

/**
 * Lists the rules that a client broke; empty for a correct client.
 *
 * **Details**
 * - Every call ends with its own correct result, or with an error that its last attempt permits.
 * - Every call ends within its deadline, and not before a required retry for which there is time.
 * - No call is sent again after a correct response or an error that forbids it.
 * - No request is sent during a requested wait, follows a redirect, repeats an id, or exceeds `maxRequests`.
 */
export const check = (
  script: Script,
  policy: Policy,
  exchanges: ReadonlyArray<Exchange>,
  observed: ReadonlyArray<Observed>,
): ReadonlyArray<string> => {
  const most = maxRequests(script, policy)
  const redirected = exchanges.filter(({ url }) => url.includes("/elsewhere"))
  const repeatedIds = exchanges.filter(({ calls }) => new Set(calls.map(({ id }) => id)).size < calls.length)
  return [
    ...observed.flatMap((one) => checkCall(script, policy, exchanges, one)),
    ...[
      ...sentTooEarly(exchanges),
      ...(exchanges.length > most ? [`${exchanges.length} requests, more than ${most}`] : []),
      ...redirected.map(({ number }) => `request ${number} followed a redirect`),
      ...repeatedIds.map(({ number }) => `request ${number} uses an id twice`),
    ].map((issue) => `seed ${script.seed}: ${issue}`),
  ]
}

/** Total number of requests per fault over many runs, rarest first; every fault is listed. */
export const histogram = (
  runs: Iterable<Readonly<Partial<Record<NodeFault.Name, number>>>>,
): ReadonlyArray<readonly [NodeFault.Name, number]> => sumCounts(NodeFault.names, runs)
