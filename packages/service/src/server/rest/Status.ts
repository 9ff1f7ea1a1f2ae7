/**
 * Status of the index of a chain: what is stored, what the indexer reports, and whether the index follows its node. It is the body
 * of `/ready`, and what `daybook status` prints.
 */
import * as Effect from "effect/Effect"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { Checkpoint } from "../../store/BlockRows.ts"
import type { GapCounts } from "../../store/ChainReader.ts"
import type { IndexerStatus, ReportedStatus } from "../../store/StatusBoard.ts"
import type { IndexedChain } from "../IndexedChain.ts"

/** Status of the index of a chain. */
export interface Status {
  readonly chain: string
  readonly chainId: number
  /** The index follows the head of its node within `maxLagBlocks`. */
  readonly ready: boolean
  /**
   * State of the indexer. `not_started`: none has written to this database. `unresponsive`: it stopped reporting. `unreadable`: the
   * database is damaged, or holds another chain.
   */
  readonly state: IndexerStatus["state"] | "not_started" | "unresponsive" | "unreadable"
  /** First and last indexed block; `null` while there is none. */
  readonly indexed: { readonly from: number; readonly to: number } | null
  /** Last indexed block that is final; `null` while none is known. */
  readonly finalized: number | null
  /** Head of the node; `null` while it is unknown, because no indexer runs or no node responds. */
  readonly head: number | null
  /** Blocks between the head of the node and the last indexed block. */
  readonly lag: number | null
  readonly traces: IndexerStatus["traces"] | null
  /** A sentence for the operator. */
  readonly message: string
  /** Blocks stored per second (moving average); left out while none were. */
  readonly blocksPerSecond?: number
  /** Estimated time until the head of the node is reached, in milliseconds; left out while it is unknown. */
  readonly etaMillis?: number
  /** Checks of blocks that are skipped; left out when none. */
  readonly unchecked?: string
  /** Number of gaps of each kind: what the stored blocks lack; left out while it is unknown. */
  readonly gaps?: GapCounts
}

/** Blocks that a ready index may be behind its node. */
export const maxLagBlocks = 16

/** Three times the interval of an indexer's heartbeat. */
const unresponsiveMillis = 15_000

const unknown = ({ id, name }: Pick<ServedChain, "id" | "name">) => ({
  chain: name,
  chainId: id,
  ready: false,
  indexed: null,
  finalized: null,
  head: null,
  lag: null,
  traces: null,
})

const unresponsiveMessage = (ageMillis: number | null, last: string): string => {
  const time = ageMillis === null ? "" : ` for ${Math.round(ageMillis / 1000)} s`
  return `No heartbeat from the indexer${time} (killed, unresponsive, or disk full). Last status: ${last}`
}

/** The status of a chain from what is stored and what its indexer last reported. Pure. */
export const fromReport = (
  chain: Pick<ServedChain, "id" | "name">,
  checkpoint: Checkpoint | null,
  reported: ReportedStatus | null,
): Status => {
  if (reported === null) {
    return { ...unknown(chain), state: "not_started", message: "No indexer has written to this database." }
  }
  const { ageMillis, blocksPerSecond, etaMillis, message, nodeHead, state, traces, unchecked } = reported
  const isUnresponsive = (ageMillis === null || ageMillis > unresponsiveMillis) && state !== "stopped"
  const isRunning = !isUnresponsive && (state === "backfill" || state === "synced")
  const indexed = checkpoint === null ? null : { from: checkpoint.first, to: checkpoint.head.number }
  // The reported head is out of date once the indexer no longer runs.
  const head = isRunning ? nodeHead : null
  const lag = head === null || indexed === null ? null : Math.max(0, head - indexed.to)
  return {
    ...unknown(chain),
    ...(blocksPerSecond === undefined || !isRunning ? {} : { blocksPerSecond }),
    ...(etaMillis === undefined || !isRunning ? {} : { etaMillis }),
    ...(unchecked === undefined ? {} : { unchecked }),
    ready: isRunning && state === "synced" && lag !== null && lag <= maxLagBlocks,
    state: isUnresponsive ? "unresponsive" : state,
    indexed,
    finalized: checkpoint?.finalized ?? null,
    head,
    lag,
    traces,
    message: isUnresponsive ? unresponsiveMessage(ageMillis, message) : message,
  }
}

/** Reads the status of a chain. A database that cannot be read is a state too. */
export const read = Effect.fn("Status.read")(function* (chain: IndexedChain): Effect.fn.Return<Status> {
  return yield* Effect.gen(function* () {
    const reported = yield* chain.status
    const [checkpoint, gaps] = yield* chain.reader.snapshot((snapshot) =>
      Effect.all([snapshot.checkpoint, snapshot.gapCounts]),
    )
    return { ...fromReport(chain, checkpoint, reported), gaps }
  }).pipe(
    Effect.catch(({ isRetryable, message }) =>
      Effect.succeed({
        ...unknown(chain),
        state: isRetryable ? ("not_started" as const) : ("unreadable" as const),
        message,
      }),
    ),
  )
})
