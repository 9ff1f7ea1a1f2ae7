/**
 * How a chain's index stands: what is stored, what the indexer says of itself, and whether it follows its node. The answer of
 * `/ready` and of `daybook status`.
 */
import * as Effect from "effect/Effect"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { ChainReader } from "../../store/ChainReader.ts"
import type { IndexerStatus, ReportedStatus } from "../../store/StatusBoard.ts"
import type { StoreError } from "../../store/StoreError.ts"

/** How a chain's index stands. */
export interface Status {
  readonly chain: string
  readonly chainId: number
  /** The index follows its node's head within the bound. */
  readonly ready: boolean
  /**
   * State of the indexer; `not_started` when none has written to this database, `unresponsive` when its heartbeat stopped without
   * an orderly stop, `unreadable` when the database is damaged or of another chain.
   */
  readonly state: IndexerStatus["state"] | "not_started" | "unresponsive" | "unreadable"
  /** First and last indexed block; `null` while there is none. */
  readonly indexed: { readonly from: number; readonly to: number } | null
  /** Last indexed block that is final; `null` while none is known. */
  readonly finalized: number | null
  /** Head of the node; `null` while it is not known, since no indexer looks or no node answers. */
  readonly head: number | null
  /** Blocks that the node has and the index has not. */
  readonly lag: number | null
  readonly traces: IndexerStatus["traces"] | null
  /** A sentence for the operator. */
  readonly message: string
  /** Blocks stored per second of late; left out while none were. */
  readonly blocksPerSecond?: number
  /** Time until the node's head is reached at this speed, in milliseconds; left out while it is not known. */
  readonly etaMillis?: number
  /** Which checks of blocks are left out; left out when none. */
  readonly unchecked?: string
}

/** Blocks that a synced index may be behind. */
export const longestLagBlocks = 16
/** Three heartbeats of an indexer. */
const unresponsiveMillis = 15_000

/** Reads how the index of a chain stands. A database that cannot be read is a state too. */
export const of = Effect.fn("Status.of")(function* (
  chain: ServedChain & {
    readonly reader: ChainReader
    readonly status: Effect.Effect<ReportedStatus | null, StoreError>
  },
): Effect.fn.Return<Status> {
  const { id: chainId, name, reader } = chain
  const nothing = {
    chain: name,
    chainId,
    ready: false,
    indexed: null,
    finalized: null,
    head: null,
    lag: null,
    traces: null,
  }
  return yield* Effect.gen(function* () {
    const status = yield* chain.status
    const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
    if (status === null)
      return { ...nothing, state: "not_started", message: "No indexer has written here yet." } satisfies Status
    const indexed = checkpoint === null ? null : { from: checkpoint.first, to: checkpoint.head.number }
    const age = status.ageMillis ?? Infinity
    const isUnresponsive = age > unresponsiveMillis && status.state !== "stopped"
    const isLive = !isUnresponsive && (status.state === "backfill" || status.state === "synced")
    // The stored head of the node is stale when no indexer polls it.
    const head = isLive ? status.nodeHead : null
    const lag = head === null || indexed === null ? null : Math.max(0, head - indexed.to)
    const isNear = lag !== null && lag <= longestLagBlocks
    const { blocksPerSecond, etaMillis, unchecked } = status
    return {
      ...nothing,
      ...(blocksPerSecond === undefined || !isLive ? {} : { blocksPerSecond }),
      ...(etaMillis === undefined || !isLive ? {} : { etaMillis }),
      ...(unchecked === undefined ? {} : { unchecked }),
      ready: status.state === "synced" && isLive && isNear,
      state: isUnresponsive ? "unresponsive" : status.state,
      indexed,
      finalized: checkpoint?.finalized ?? null,
      head,
      lag,
      traces: status.traces,
      message: isUnresponsive
        ? `No heartbeat of the indexer${age === Infinity ? "" : ` for ${Math.round(age / 1000)} s`} (killed, unresponsive, or disk full). Last status: ${status.message}`
        : status.message,
    } satisfies Status
  }).pipe(
    Effect.catch((error) => {
      const state = error.isRetryable ? "not_started" : "unreadable"
      return Effect.succeed({ ...nothing, state, message: error.message } satisfies Status)
    }),
  )
})
