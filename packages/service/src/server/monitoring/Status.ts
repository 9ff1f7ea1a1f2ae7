/**
 * Status of a chain's index: what is stored, what the indexer reports, and whether the index follows its node. It is the body of `/ready`,
 * the source of `/metrics`, and the output of `daybook status`.
 *
 * All of it is computed from one snapshot of the database, so that state, lag, remaining time and message never contradict each other.
 */
import { visibleLine } from "@daybook/schema/VisibleText"
import * as Effect from "effect/Effect"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { ProjectionCheckpoint } from "../../block/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import type { Checkpoint } from "../../block/BlockRows.ts"
import type { GapCounts } from "../../store/ChainReader.ts"
import * as StatusBoard from "../../store/StatusBoard.ts"
import type { IndexerCounts, IndexerStatus, ReportedStatus } from "../../store/StatusBoard.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as StatusNotes from "./StatusNotes.ts"

/** Status of the index of a chain. */
export interface Status {
  readonly chain: string
  readonly chainId: number
  /** Whether the index follows the head of its node within `maxLagBlocks`: the state is `synced`. */
  readonly ready: boolean
  /**
   * State of the indexer. `not_started`: none has written to this database, or it cannot be reached. `unresponsive`: it stopped
   * reporting. `unreadable`: the database is damaged, or holds another chain.
   */
  readonly state: IndexerStatus["state"] | "not_started" | "unresponsive" | "unreadable"
  /** First and last indexed block; `null` if there is none. */
  readonly indexed: { readonly from: number; readonly to: number } | null
  /** Last indexed block that is final; `null` if none is known. */
  readonly finalized: number | null
  /** Last seen head of the node; `null` if it is unknown, because no indexer runs or no node responds. */
  readonly head: number | null
  /** Time since a head was last seen, in milliseconds; absent if none was. */
  readonly headAgeMillis?: number | undefined
  /** Number of blocks between the head of the node and the last indexed block. */
  readonly lag: number | null
  readonly traces: IndexerStatus["traces"] | null
  /** A sentence for the operator. */
  readonly message: string
  /** Blocks stored per second (moving average), in the state `backfill`; absent until blocks are stored. */
  readonly blocksPerSecond?: number | undefined
  /**
   * Estimated time until the head of the node is reached, in milliseconds, taking the growth of the chain into account. Absent at the head,
   * if it is unknown, and while the head moves faster than the index.
   */
  readonly etaMillis?: number | undefined
  /** Blocks below the first one that are yet to be indexed; absent if there are none. */
  readonly prepend?: {
    /** Lowest block. */
    readonly to: number
    /** Number of blocks left. */
    readonly blocks: number
    /** Blocks stored per second (moving average); absent until blocks are stored. */
    readonly blocksPerSecond?: number | undefined
    /** Estimated time until all are indexed, in milliseconds; absent if it is unknown. */
    readonly etaMillis?: number | undefined
    /** Why no block can be indexed at present; absent if there is no obstacle. */
    readonly issue?: string | undefined
  }
  /** Block checks that are skipped; absent if there are none. */
  readonly unchecked?: string | undefined
  /** Sentences about settings that apply to only a part of the index; absent if all apply to the whole index. */
  readonly notes?: ReadonlyArray<string> | undefined
  /** What the nodes do not offer; absent if they offer everything. */
  readonly lacking?: string | undefined
  /** Number of Citus nodes over which the chain's rows are distributed; absent if they are not. */
  readonly nodes?: number | undefined
  /** Number of blocks whose ledgers are not derived yet, so that `scope=all` is not served; absent if there are none. */
  readonly blocksWithoutLedgers?: number | undefined
  /** Time of the last indexed block, in seconds since 1970; absent if there is none. */
  readonly indexedTimestamp?: number | undefined
  /** Counters of the indexer since its start; absent until they are reported. */
  readonly counts?: IndexerCounts | undefined
  /** Number of gaps of each kind in the stored blocks; absent if it is unknown. */
  readonly gaps?: GapCounts | undefined
  /** Numbers of the oldest and newest change in the journal; absent if it is empty or unknown. */
  readonly journal?: { readonly oldest: number; readonly newest: number } | undefined
}

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

/** Status of a chain whose database does not answer in time. */
export const unanswered = (chain: Pick<ServedChain, "id" | "name">): Status => ({
  ...unknown(chain),
  state: "not_started",
  message: "The database does not respond.",
})

const unresponsiveMessage = (ageMillis: number | null, last: string): string => {
  const gone =
    ageMillis === null
      ? "No heartbeat from the indexer since the clock was set back"
      : `No heartbeat from the indexer for ${Math.round(ageMillis / 1000)} s`
  return `${gone} (killed, unresponsive, or disk full). Last status: ${last}`
}

const unknownHead = "The head of the node is unknown at present."

const blocks = (count: number): string => (count === 1 ? "1 block" : `${count} blocks`)

/** Time that a poll may take beyond the interval before the head counts as unknown. */
export const latePollMillis = 3_000

/** Time since the head was seen; `null` if unknown. */
const headAgeOf = ({ ageMillis, headAgeMillis }: ReportedStatus): number | null =>
  headAgeMillis === undefined || ageMillis === null ? null : headAgeMillis + ageMillis

/** Distance between the index and the node's head, in numbers and words, while the indexer works. */
const atWork = (indexed: Status["indexed"], { headBlocksPerSecond = 0, ...reported }: ReportedStatus) => {
  const { blocksPerSecond, nodeHead: head, pollMillis = 0 } = reported
  const headAgeMillis = headAgeOf(reported)
  if (head === null) {
    return { head, blocksPerSecond, state: "backfill", lag: null, message: unknownHead } as const
  }
  const start = { head, headAgeMillis: headAgeMillis ?? undefined }
  if (headAgeMillis !== null && headAgeMillis > pollMillis + latePollMillis) {
    const message = `The head of the node is unknown: it was last seen ${Math.round(headAgeMillis / 1000)} s ago.`
    return { ...start, state: reported.state, head: null, lag: null, message }
  }
  if (indexed === null) {
    return { ...start, blocksPerSecond, state: "backfill", lag: null, message: "No block is indexed yet." } as const
  }
  const lag = Math.max(0, head - indexed.to)
  if (indexed.to > head) {
    const above = `The node lags behind the index by ${blocks(indexed.to - head)}.`
    return { ...start, state: "synced", lag, message: above } as const
  }
  if (reported.state === "synced" && lag <= StatusBoard.maxLagBlocks) {
    const message = lag === 0 ? "In sync with the head of the node." : `${blocks(lag)} behind the head of the node.`
    return { ...start, state: "synced", lag, message } as const
  }
  if (lag === 0) {
    return {
      ...start,
      blocksPerSecond,
      state: "backfill",
      lag,
      message: "Indexed up to the head of the node as last seen.",
    } as const
  }
  const gain = (blocksPerSecond ?? 0) - headBlocksPerSecond
  const etaMillis = gain > 0 ? Math.round((lag * 1000) / gain) : undefined
  const pace = blocksPerSecond === undefined || gain > 0 ? "" : " The head moves faster than the index."
  const message = `Indexing: ${blocks(lag)} behind the head of the node.${pace}`
  return { ...start, blocksPerSecond, etaMillis, state: "backfill", lag, message } as const
}

/** Blocks left below the first one; with a rate only while the indexer works. */
const prependOf = (
  indexed: Status["indexed"],
  { prepend }: ReportedStatus,
  isAtWork: boolean,
): Pick<Status, "prepend"> => {
  if (prepend === undefined || indexed === null || indexed.from <= prepend.to) return {}
  const { blocksPerSecond = 0, issue, to } = prepend
  const left = { to, blocks: indexed.from - to, issue: issue && visibleLine(issue) }
  if (!isAtWork || blocksPerSecond === 0) return { prepend: left }
  return { prepend: { ...left, blocksPerSecond, etaMillis: Math.round((left.blocks * 1000) / blocksPerSecond) } }
}

/** Status of a chain from what is stored and what its indexer last reported, in one snapshot. Pure. */
export const fromReport = (
  chain: Pick<ServedChain, "id" | "name">,
  checkpoint: Checkpoint | null,
  reported: ReportedStatus | null,
): Status => {
  if (reported === null) {
    return { ...unknown(chain), state: "not_started", message: "No indexer has written to this database." }
  }
  const { ageMillis, counts, state, traces, unchecked } = reported
  // Both may contain text from a node.
  const message = visibleLine(reported.message)
  const indexed = checkpoint === null ? null : { from: checkpoint.first, to: checkpoint.head.number }
  const notes = StatusNotes.notesFor(reported, indexed)
  const stored = {
    ...unknown(chain),
    unchecked,
    notes: notes.length === 0 ? undefined : notes,
    lacking: reported.lacking && visibleLine(reported.lacking),
    ...prependOf(indexed, reported, false),
    indexedTimestamp: checkpoint?.headTimestamp,
    counts,
    indexed,
    finalized: checkpoint?.finalized ?? null,
    traces,
  }
  if (StatusBoard.isUnresponsive(reported)) {
    return { ...stored, state: "unresponsive", message: unresponsiveMessage(ageMillis, message) }
  }
  // The reported head is stale once the indexer no longer follows it.
  if (state !== "backfill" && state !== "synced") return { ...stored, state, message }
  if (state === "synced" && reported.nodeHead === null) return { ...stored, state: "waiting", message: unknownHead }
  const progress = atWork(indexed, reported)
  return { ...stored, ...prependOf(indexed, reported, true), ...progress, ready: progress.state === "synced" }
}

/** True if no indexer works. */
export const isAtRest = ({ state }: Pick<Status, "state">): boolean =>
  state === "stopped" || state === "unresponsive" || state === "not_started"

/** What is stored for a chain, and whether its file needs migration. */
interface Stored {
  readonly status: Status
  readonly isOutdated: boolean
}

/** Source of a status. */
type Source = Pick<IndexedChain, "id" | "name" | "reader" | "writeIssue">

/** Number of blocks whose ledgers are not derived with the current revision; 0 for an index without ledgers. */
const blocksWithoutLedgers = (checkpoint: Checkpoint | null, ledger: ProjectionCheckpoint | null): number => {
  if (checkpoint === null || ledger === null) return 0
  const next = WalletLedger.nextOf(ledger) ?? 0
  return Math.max(0, checkpoint.head.number + 1 - Math.max(checkpoint.first, next))
}

const readStored = (chain: Source): Effect.Effect<Stored> =>
  chain.reader
    .snapshot(({ changes, checkpoint, gapCounts, nodes, projection, status }) =>
      Effect.map(
        Effect.all([checkpoint, status, gapCounts, projection(WalletLedger.id), nodes, changes(null, 0)]),
        ([stored, reported, gaps, ledger, nodeCount, { newest, oldest }]) => {
          const underived = blocksWithoutLedgers(stored, ledger)
          return {
            isOutdated: false,
            status: {
              ...fromReport(chain, stored, reported),
              nodes: nodeCount === 0 ? undefined : nodeCount,
              blocksWithoutLedgers: underived === 0 ? undefined : underived,
              gaps,
              journal: newest.change === 0 ? undefined : { oldest, newest: newest.change },
            },
          }
        },
      ),
    )
    .pipe(
      Effect.catch(({ isRetryable, message, migration }) => {
        const state = migration === "running" ? "waiting" : isRetryable ? "not_started" : "unreadable"
        return Effect.succeed<Stored>({
          isOutdated: migration === "pending",
          status: { ...unknown(chain), state, message },
        })
      }),
    )

/**
 * Reads the status of a chain. An unreadable database is also a state. `isIndexing` means that the indexer runs in this process, or was
 * started beside it by the same command: if it cannot write the index, it cannot report that there either.
 */
export const read = Effect.fn("Status.read")(function* (
  chain: Source,
  { isIndexing = false }: { readonly isIndexing?: boolean } = {},
): Effect.fn.Return<Status> {
  const { isOutdated, status } = yield* readStored(chain)
  if (!isIndexing || !isAtRest(status)) return status
  const issue = yield* chain.writeIssue
  if (issue !== null) return { ...status, state: "misconfigured", message: issue }
  return isOutdated ? { ...status, state: "waiting" } : status
})
