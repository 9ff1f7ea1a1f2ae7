/** The faults with which an indexer is tested, and the requirements for each. */
import type { Call, Fault } from "./FaultProxy.ts"

/** A fault with its limits. */
export interface Scenario {
  readonly name: string
  readonly fault: Fault
  /** Number of blocks added at once when the fault starts. Default 0. */
  readonly jump?: number
  /** Maximum number of calls per minute during the fault; omitted if blocks are indexed meanwhile. */
  readonly maxCallsPerMinute?: number
  /** Maximum time from the end of the fault until the index is in sync, in seconds. */
  readonly maxRecoverySeconds: number
  /** True if the lag must be known during the fault. */
  readonly isLagKnown: boolean
}

const isHistorical = ({ params: [first] }: Call): boolean => first !== "latest" && first !== "finalized"

const failing =
  (pattern: RegExp, item: Readonly<Record<string, unknown>>): NonNullable<Fault["reply"]> =>
  (call) =>
    pattern.test(call.method) && isHistorical(call) ? item : undefined

const untraceable = { error: { code: -32000, message: "required historical state unavailable (reexec=128)" } }
const latencyMillis = 5

export const all: ReadonlyArray<Scenario> = [
  { name: "none", fault: { latencyMillis }, maxRecoverySeconds: 5, isLagKnown: true },
  {
    name: "catch-up of 2,000 blocks",
    fault: { latencyMillis, blockMillis: 5 },
    jump: 2_000,
    maxRecoverySeconds: 30,
    isLagKnown: true,
  },
  {
    name: "8x latency",
    fault: { latencyMillis: 8 * latencyMillis },
    jump: 2_000,
    maxRecoverySeconds: 10,
    isLagKnown: true,
  },
  {
    name: "node slower than its chain",
    fault: { latencyMillis, blockMillis: 1_000 },
    // Indexing the blocks that were requested during the fault takes time.
    maxRecoverySeconds: 30,
    isLagKnown: true,
  },
  {
    name: "pruned receipts",
    fault: { latencyMillis, reply: failing(/Receipt/, { result: null }) },
    maxCallsPerMinute: 10,
    maxRecoverySeconds: 70,
    isLagKnown: false,
  },
  {
    name: "failing traces",
    fault: { latencyMillis, reply: failing(/^(trace|debug)_/, untraceable) },
    maxRecoverySeconds: 70,
    isLagKnown: true,
  },
  {
    name: "pruned blocks",
    fault: { latencyMillis, reply: failing(/^eth_getBlockByNumber$/, { result: null }) },
    maxCallsPerMinute: 10,
    maxRecoverySeconds: 30,
    isLagKnown: false,
  },
  {
    name: "429, Retry-After of a day",
    fault: {
      latencyMillis,
      response: { status: 429, headers: { "retry-after": "86400", "content-type": "application/json" }, body: "{}" },
    },
    maxCallsPerMinute: 10,
    maxRecoverySeconds: 70,
    isLagKnown: false,
  },
  {
    name: "503 for everything",
    fault: { latencyMillis, response: { status: 503, body: "{}" } },
    maxCallsPerMinute: 10,
    maxRecoverySeconds: 30,
    isLagKnown: false,
  },
  {
    name: "no response",
    fault: { latencyMillis, response: { body: "{}", delivery: { kind: "stalledHeaders" } } },
    maxCallsPerMinute: 10,
    maxRecoverySeconds: 45,
    isLagKnown: false,
  },
]
