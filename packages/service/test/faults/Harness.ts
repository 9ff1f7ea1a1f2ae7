/**
 * Runs a service with a faulty node while the chain grows, and measures what an operator observes: calls to the node, the difference
 * between the reported and the actual lag, and the time to recover.
 */
import { Anvil } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect, References } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import { latePollMillis, type Status } from "../../src/server/monitoring/Status.ts"
import * as FaultProxy from "./FaultProxy.ts"
import type { Scenario } from "./scenarios.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** Durations of a measurement. */
export interface Timing {
  /** Duration of the fault, in seconds. */
  readonly faultSeconds: number
  /** Duration at the end of the fault in which calls are counted, in seconds. */
  readonly countedSeconds: number
}

/** Measurements of a scenario. */
export interface Outcome {
  readonly name: string
  readonly callsPerMinute: number
  /** Largest difference between the actual lag and the reported one, in blocks; `null` if none was reported. */
  readonly lagError: number | null
  /** Longest time for which a head was still reported after the next block was mined, in milliseconds. */
  readonly staleMillis: number
  /** Longest delay of a sample, by which a busy machine distorts the times, in milliseconds. */
  readonly delayMillis: number
  /** Share of the samples during the fault that reported a lag. */
  readonly knownShare: number
  /** Largest actual lag during the fault, in blocks. */
  readonly maxLag: number
  /** Time from the end of the fault until the index was in sync, in seconds. */
  readonly recoverySeconds: number
  /** Last message during the fault. */
  readonly message: string
}

/** Interval between two polls of the head. */
const pollMillis = 1_000
const blockMillis = 500
const sampleMillis = 250
const startBlocks = 50
/** Tolerance for a poll, the write of the status and its read on a busy machine, in addition to the latency of the node. */
const slackMillis = 500
/** Minimum share of samples with a known lag. On a busy machine a poll may be late, and the lag unknown until the next one. */
const minKnownShare = 0.9

/** Longest time for which an outdated head may be reported: one polling interval plus the response time of the node. */
const maxStaleMillis = ({ fault }: Scenario): number => {
  const { blockMillis: busyMillis = 0, latencyMillis = 0, response } = fault
  // An unresponsive node is detected by the age of its head.
  const silenceMillis = response?.delivery?.kind === "stalledHeaders" ? latePollMillis : 0
  return pollMillis + 2 * latencyMillis + busyMillis + silenceMillis + slackMillis
}

const hex = (number: number) => `0x${number.toString(16)}`

/** Mines a block with a transfer at each interval, and records when each block was first observed. */
const makeChain = Effect.fnUntraced(function* (node: Anvil.Node) {
  const minedAt = new Map<number, number>()
  let head = 0
  const look = Effect.map(node.call<string>("eth_blockNumber"), (text) => {
    const now = performance.now()
    for (let number = head + 1; number <= Number(text); number++) minedAt.set(number, now)
    head = Number(text)
  })
  const [from = "", to = ""] = node.accounts
  const transfer = node.call("eth_sendTransaction", [{ from, to, value: hex(1) }])
  const mine = Effect.andThen(Effect.andThen(transfer, node.call("evm_mine")), look)
  const jump = (blocks: number) => Effect.andThen(node.call("anvil_mine", [hex(blocks)]), look)
  yield* jump(startBlocks)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(blockMillis), mine)))
  return { head: () => head, minedAt: (number: number) => minedAt.get(number), jump }
})

/** A sample of the status, compared with the chain. */
const takeSample = Effect.fnUntraced(function* (
  url: string,
  chain: { readonly head: () => number; readonly minedAt: (number: number) => number | undefined },
) {
  const askedAt = performance.now()
  const headBefore = chain.head()
  const status = yield* Effect.promise(async () => (await (await fetch(`${url}/ready?chain=test`)).json()) as Status)
  const { head, indexed, lag } = status
  const trueLag = headBefore - (indexed?.to ?? 0)
  const overtakenAt = head === null ? undefined : chain.minedAt(head + 1)
  return {
    status,
    trueLag,
    error: lag === null ? null : Math.abs(trueLag - lag),
    staleMillis: overtakenAt === undefined ? 0 : Math.max(0, askedAt - overtakenAt),
  }
})

const isSynced = (url: string) => Effect.promise(async () => (await fetch(`${url}/ready?chain=test`)).status === 200)

export const run = Effect.fnUntraced(function* (scenario: Scenario, timing: Timing) {
  const { fault, jump = 0, name } = scenario
  const node = yield* Anvil.make()
  const chain = yield* makeChain(node)
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => FaultProxy.start(node.url)),
    ({ stop }) => Effect.promise(stop),
  )
  const config = yield* Effect.fromResult(
    Config.decode({
      listen: { host: "127.0.0.1", port: 0 },
      database: "sqlite:data",
      chains: { test: { id: node.chainId, rpc: [proxy.url], pollMillis } },
    }),
  )
  const { address } = yield* Effect.provideService(
    Service.run(config, { baseFolder: yield* temporaryFolder }),
    References.MinimumLogLevel,
    "None",
  )
  const url = address?.url ?? ""
  yield* Eventually.untilEffect(isSynced(url), {
    withinMillis: 120_000,
    everyMillis: 100,
    what: "the index is in sync",
  })

  proxy.become(fault)
  if (jump > 0) yield* chain.jump(jump)
  const samples: Array<Effect.Success<ReturnType<typeof takeSample>>> = []
  const begunAt = performance.now()
  let callsBefore: number | undefined
  let delayMillis = 0
  // A busy machine may need longer until the first lag is reported.
  const lacksLag = () => scenario.isLagKnown && samples.every(({ error }) => error === null)
  while (performance.now() - begunAt < timing.faultSeconds * 1000 || lacksLag()) {
    const isCounted = performance.now() - begunAt >= (timing.faultSeconds - timing.countedSeconds) * 1000
    if (isCounted) callsBefore ??= proxy.calls()
    const sampledAt = performance.now()
    yield* Effect.sleep(sampleMillis)
    samples.push(yield* takeSample(url, chain))
    delayMillis = Math.max(delayMillis, performance.now() - sampledAt - sampleMillis)
  }
  const calls = proxy.calls() - (callsBefore ?? 0)

  proxy.become({})
  const endedAt = performance.now()
  yield* Eventually.untilEffect(isSynced(url), {
    withinMillis: scenario.maxRecoverySeconds * 2_000,
    everyMillis: 100,
    what: `the index recovers from ${name}`,
  })
  const known = samples.filter(({ error }) => error !== null)
  // A jump changes the lag by thousands of blocks within one polling interval, so the first samples are skipped.
  const steady = known.slice(jump > 0 ? (2 * pollMillis) / sampleMillis : 0)
  return {
    name,
    callsPerMinute: Math.round((calls * 60) / timing.countedSeconds),
    lagError: steady.length === 0 ? null : Math.max(...steady.map(({ error }) => error ?? 0)),
    staleMillis: Math.round(Math.max(0, ...known.map(({ staleMillis }) => staleMillis))),
    delayMillis,
    knownShare: known.length / samples.length,
    maxLag: Math.max(...samples.map(({ trueLag }) => trueLag)),
    recoverySeconds: (performance.now() - endedAt) / 1000,
    message: samples.at(-1)?.status.message ?? "",
  } satisfies Outcome
}, Effect.scoped)

/** Duration of a fault after which the backoff has reached its maximum, in seconds. Earlier calls are not evaluated. */
const settledSeconds = 55

/** Limits that an outcome exceeds; empty if none. */
export const issuesOf = (
  scenario: Scenario,
  outcome: Outcome,
  { countedSeconds, faultSeconds }: Timing,
): ReadonlyArray<string> => {
  const { callsPerMinute, delayMillis, knownShare, lagError, recoverySeconds, staleMillis } = outcome
  const { isLagKnown, maxCallsPerMinute = Number.POSITIVE_INFINITY, maxRecoverySeconds } = scenario
  // Number of blocks between two polls, plus one that is mined while the status is read.
  const maxStale = maxStaleMillis(scenario) + 2 * delayMillis
  const maxError = Math.ceil(maxStale / blockMillis) + 1
  const isSettled = faultSeconds - countedSeconds >= settledSeconds
  return [
    ...(isSettled && callsPerMinute > maxCallsPerMinute
      ? [`${callsPerMinute} calls per minute, at most ${maxCallsPerMinute}`]
      : []),
    ...(staleMillis > maxStale ? [`a head was reported ${staleMillis} ms too long`] : []),
    ...(lagError !== null && lagError > maxError ? [`the reported lag is wrong by ${lagError} blocks`] : []),
    ...(isLagKnown && knownShare < minKnownShare
      ? [`no lag in ${Math.round(100 - 100 * knownShare)} % of the samples`]
      : []),
    ...(recoverySeconds > maxRecoverySeconds ? [`recovery took ${recoverySeconds.toFixed(1)} s`] : []),
  ]
}
