/**
 * Random scripts for a hostile node, and the judge of what a client made of them.
 *
 * A script is made from one number and nothing else, so that number replays it. The judge is a pure function of the
 * script, the client's limits, what the node noted and what the calls ended with. It knows no client.
 */
import { isDeepStrictEqual } from "node:util"
import type { Exchange, Options, Step } from "./HostileNode.ts"
import * as NodeFault from "./NodeFault.ts"
import * as Random from "./Random.ts"
import * as VirtualChain from "./VirtualChain.ts"

/** A run of a client against a hostile node. */
export interface Script {
  readonly seed: number
  /** Distinct calls with right answers that are not null. */
  readonly calls: ReadonlyArray<VirtualChain.Call>
  readonly steps: ReadonlyArray<Step>
  readonly batchLimit?: NonNullable<Options["batchLimit"]>
}

/** What to draw from. */
export interface Draw {
  /** Most calls; at least one is drawn. Default 12. */
  readonly mostCalls?: number
  /** Most steps; none may be drawn. Default 8. */
  readonly mostSteps?: number
  /** Faults to draw from. Default: all. */
  readonly faults?: ReadonlyArray<NodeFault.Name>
  /** Share of scripts whose node limits its batches. Default 0.1. */
  readonly limited?: number
}

/** The limits that a client was given. */
export interface Policy {
  readonly maxAttempts: number
  /** For one call: all attempts, waits and bodies. */
  readonly deadlineMillis: number
  /** For one attempt, if it has a limit of its own. */
  readonly attemptTimeoutMillis?: number
  /** Longest wait of the client's own choosing between two attempts. */
  readonly backoffMillis: number
  /** How late a busy machine may make an end. Default 500. */
  readonly slackMillis?: number
}

/** What a call ended with: see `outcomeOf` for values; for errors their tag. */
export interface Observed {
  readonly call: VirtualChain.Call
  readonly outcome: NodeFault.Outcome | "wrong" | (string & {})
  readonly elapsedMillis: number
}

const someCall = (random: Random.Random): VirtualChain.Call => {
  const number = 1 + random.integer(VirtualChain.head - 1)
  const full = number - (number % 4) + 3
  const [id, hash] = [`0x${full.toString(16)}`, VirtualChain.blockHash(full)]
  const transaction = VirtualChain.transactionHash(full, random.integer(3))
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

const otherWaits = [0, 1_000, 1_000, 2_000, 3_600_000]

const someStep = (random: Random.Random, faults: ReadonlyArray<NodeFault.Name>): Step => {
  const fault = random.pick(faults)
  const waitMillis = random.pick(waits[fault] ?? otherWaits)
  const victim = random.next()
  return NodeFault.all[fault].asksWait === undefined ? { fault, victim } : { fault, victim, waitMillis }
}

/** The script of a seed. */
export const make = (seed: number, jitter: Draw = {}): Script => {
  const { mostCalls = 12, mostSteps = 8, faults = NodeFault.names, limited = 0.1 } = jitter
  const random = Random.make(seed)
  const calls = new Map<string, VirtualChain.Call>()
  const wanted = 1 + random.integer(mostCalls)
  while (calls.size < wanted) {
    const call = someCall(random)
    calls.set(VirtualChain.keyOf(call), call)
  }
  const steps = Array.from({ length: random.integer(mostSteps + 1) }, () => someStep(random, faults))
  const isLimited = random.next() < limited
  const fault = random.pick(["refused413", "refusedSize", "refusedBatch"] as const)
  const most = fault === "refusedBatch" ? 1 : 1 + random.integer(wanted)
  return { seed, calls: [...calls.values()], steps, ...(isLimited ? { batchLimit: { most, fault } } : {}) }
}

/** Smaller scripts to try when one fails: without one of the steps, without the limit, with half of the calls. */
export const shrink = (script: Script): ReadonlyArray<Script> => {
  const { batchLimit, ...rest } = script
  const half = script.calls.slice(0, Math.ceil(script.calls.length / 2))
  return [
    ...(half.length < script.calls.length ? [{ ...script, calls: half }] : []),
    ...(batchLimit === undefined ? [] : [rest]),
    ...script.steps.map((_, at) => ({ ...script, steps: script.steps.toSpliced(at, 1) })),
  ]
}

/** What the JSON value that a call ended with is: its right answer, null, or another call's. */
export const outcomeOf = (call: VirtualChain.Call, value: unknown): "truth" | "null" | "wrong" => {
  const reply = VirtualChain.answer(call)
  if ("result" in reply && isDeepStrictEqual(reply.result, value)) return "truth"
  return value === null ? "null" : "wrong"
}

/** What any call of a script may end with, in whatever order its requests come, on a machine that is not late itself. */
export const allowed = (script: Script, policy: Policy): ReadonlySet<NodeFault.Outcome> => {
  const found = new Set<NodeFault.Outcome>(["truth"])
  const limit = script.batchLimit === undefined ? [] : [{ fault: script.batchLimit.fault }]
  for (const { fault, waitMillis = 0 } of [...script.steps, ...limit] as ReadonlyArray<Step>) {
    for (const outcome of NodeFault.all[fault].outcomes) found.add(outcome)
    if (waitMillis > 0) found.add("RateLimited")
    if (waitMillis + policy.backoffMillis > policy.deadlineMillis) found.add("TimeoutError")
  }
  return found
}

const splits = (fault: NodeFault.Name): boolean => NodeFault.all[fault].splits === true

/** Most requests that a script may cost: each call alone in each attempt, and the batches that are refused and split. */
export const mostRequests = (script: Script, policy: Policy): number => {
  const refusals = script.steps.filter(({ fault }) => splits(fault)).length
  const canSplit = refusals > 0 || script.batchLimit !== undefined
  return script.calls.length * (policy.maxAttempts + (canSplit ? 1 : 0)) + refusals
}

/** A timer may fire this much early. */
const timerMillis = 2

/** A call that was not sent before may have been on its way for so long when a wait was asked for. */
const sendingMillis = 1_000

/** An answer that ended so much later than another was surely read after it. */
const readingMillis = 50

interface Turn {
  readonly exchange: Exchange
  readonly fate: NodeFault.Name
}

const turnsOf = (exchanges: ReadonlyArray<Exchange>, key: string): ReadonlyArray<Turn> =>
  exchanges.flatMap((exchange) =>
    exchange.calls.filter((dealt) => dealt.key === key).map(({ fate }) => ({ exchange, fate })),
  )

/** True when the client closed the socket, and not before it could have been out of patience. */
const isCut = ({ exchange }: Turn, policy: Policy): boolean => {
  const patience = Math.min(policy.attemptTimeoutMillis ?? policy.deadlineMillis, policy.deadlineMillis)
  const lasted = (exchange.endedAtMillis ?? Infinity) - exchange.atMillis
  return exchange.end === "closedByClient" && lasted >= patience * 0.5
}

/** The calls that were sent again although they should not have been. */
const repeats = (turns: ReadonlyArray<Turn>, policy: Policy): ReadonlyArray<string> =>
  turns.slice(0, -1).flatMap((turn) => {
    const { again } = NodeFault.all[turn.fate]
    const mayBeLate = isCut(turn, policy) || policy.attemptTimeoutMillis !== undefined
    if (turn.fate === "right") return mayBeLate ? [] : ["sent again after its right answer"]
    return again === "never" ? [`sent again after ${turn.fate}`] : []
  })

/** How long an answer may make every call wait: as it asked, or as long as the client backs off when it was limited. */
const pauseOf = ({ waitMillis = 0, calls }: Exchange, policy: Policy): number => {
  const isLimited = calls.some(({ fate }) => NodeFault.all[fate].outcomes.includes("RateLimited"))
  return waitMillis > 0 || !isLimited ? waitMillis : policy.backoffMillis
}

const mayEnd = (last: Turn | undefined, observed: Observed, policy: Policy, longestPauseMillis: number) => {
  const outcomes = new Set<string>(last === undefined ? [] : NodeFault.all[last.fate].outcomes)
  const isLate = observed.elapsedMillis >= policy.deadlineMillis * 0.9
  const isPaused = longestPauseMillis > 0 && longestPauseMillis + observed.elapsedMillis >= policy.deadlineMillis
  if (isPaused) outcomes.add("RateLimited")
  if (isLate || (last !== undefined && isCut(last, policy))) outcomes.add("TimeoutError")
  return outcomes
}

/** An error although another attempt was due. */
const givesUp = (
  turns: ReadonlyArray<Turn>,
  observed: Observed,
  policy: Policy,
  longestPauseMillis: number,
): boolean => {
  const last = turns.at(-1)
  if (last === undefined || last.fate === "right" || NodeFault.all[last.fate].again !== "must") return false
  const attempts = turns.filter(({ fate }) => !splits(fate)).length
  const soonest = observed.elapsedMillis + Math.max(policy.backoffMillis, longestPauseMillis)
  return attempts < policy.maxAttempts && soonest < policy.deadlineMillis * 0.8
}

const judgeCall = (script: Script, policy: Policy, exchanges: ReadonlyArray<Exchange>, observed: Observed) => {
  const name = VirtualChain.keyOf(observed.call)
  const turns = turnsOf(exchanges, name)
  const last = turns.at(-1)
  const longestPauseMillis = Math.max(0, ...exchanges.map((exchange) => pauseOf(exchange, policy)))
  const ends = mayEnd(last, observed, policy, longestPauseMillis)
  const attempts = turns.filter(({ fate }) => !splits(fate)).length
  const story = turns.map(({ exchange, fate }) => `${exchange.number}:${fate}`).join(" ") || "never sent"
  const issues = [...repeats(turns, policy)]
  if (!ends.has(observed.outcome)) issues.push(`ended with ${observed.outcome}, not ${[...ends].join(" or ")}`)
  if (observed.outcome !== "truth" && givesUp(turns, observed, policy, longestPauseMillis)) {
    issues.push(`gave up with ${observed.outcome} after ${attempts} of ${policy.maxAttempts} attempts`)
  }
  if (attempts > policy.maxAttempts) issues.push(`sent ${attempts} times, more than ${policy.maxAttempts}`)
  const latest = policy.deadlineMillis + (policy.slackMillis ?? 500)
  if (observed.elapsedMillis > latest) {
    issues.push(`took ${Math.round(observed.elapsedMillis)} ms, more than ${policy.deadlineMillis}`)
  }
  return issues.map((issue) => `seed ${script.seed}: ${name} [${story}]: ${issue}`)
}

/** True when the client had surely read an answer before it sent this request. */
const isSentAfter = (request: Exchange, told: Exchange, exchanges: ReadonlyArray<Exchange>): boolean => {
  const { endedAtMillis = Infinity } = told
  if (request.number <= told.number || request.atMillis <= endedAtMillis) return false
  const keys = new Set(request.calls.map(({ key }) => key))
  if (told.calls.some(({ key }) => keys.has(key))) return true
  const before = exchanges.filter(
    ({ number, calls }) => number < request.number && calls.some(({ key }) => keys.has(key)),
  )
  if (before.length === 0) return request.atMillis > endedAtMillis + sendingMillis
  return before.every((earlier) => (earlier.endedAtMillis ?? Infinity) > endedAtMillis + readingMillis)
}

/** Requests that came before a wait was over that an earlier answer had asked of all calls. */
const impatient = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<string> =>
  exchanges.flatMap((told) => {
    const { waitMillis = 0, endedAtMillis } = told
    if (waitMillis === 0 || told.end !== "sent" || endedAtMillis === undefined) return []
    const inexact = NodeFault.all[told.fault].asksWait === "second" ? 1_000 : 0
    const until = endedAtMillis + waitMillis - inexact - timerMillis
    return exchanges
      .filter((request) => request.atMillis < until && isSentAfter(request, told, exchanges))
      .map(({ number, atMillis }) => {
        const after = Math.round(atMillis - endedAtMillis)
        return `request ${number} came ${after} ms after request ${told.number} was asked to wait ${waitMillis} ms (${told.fault})`
      })
  })

/**
 * What is wrong with how a client fared; nothing when all is well.
 *
 * Every call ends with its own right answer or with an error that the last thing done to it allows; within its
 * deadline; not given up while another attempt is due; not sent again when it was answered or refused for good. No
 * request comes during a wait that was asked for, follows a redirect, or exceeds `mostRequests`.
 */
export const judge = (
  script: Script,
  policy: Policy,
  exchanges: ReadonlyArray<Exchange>,
  observed: ReadonlyArray<Observed>,
): ReadonlyArray<string> => {
  const most = mostRequests(script, policy)
  const seed = `seed ${script.seed}: `
  const wild = exchanges.filter(({ path }) => path.includes("/elsewhere")).map(({ number }) => number)
  const doubled = exchanges.filter(({ calls }) => new Set(calls.map(({ id }) => id)).size < calls.length)
  return [
    ...observed.flatMap((one) => judgeCall(script, policy, exchanges, one)),
    ...impatient(exchanges).map((issue) => seed + issue),
    ...(exchanges.length > most ? [`${seed}${exchanges.length} requests, more than ${most}`] : []),
    ...wild.map((number) => `${seed}request ${number} followed a redirect`),
    ...doubled.map(({ number }) => `${seed}request ${number} has an id twice`),
  ]
}

/** Adds up how often faults were played, for many scripts; every fault is there, the rarest first. */
export const histogram = (
  runs: Iterable<Readonly<Partial<Record<NodeFault.Name, number>>>>,
): ReadonlyArray<readonly [NodeFault.Name, number]> => {
  const total = new Map<NodeFault.Name, number>(NodeFault.names.map((name) => [name, 0]))
  for (const run of runs) {
    for (const name of NodeFault.names) total.set(name, (total.get(name) ?? 0) + (run[name] ?? 0))
  }
  return [...total].toSorted(([, a], [, b]) => a - b)
}
