/**
 * Checks whether an index is complete for a range of a wallet. A dialect that cannot report the extent of the index next to a list responds
 * with an error instead of a shorter list.
 *
 * Source: decision 0070.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type Checkpoint, isWithoutRow } from "../block/BlockRows.ts"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as AppliedSettings from "../store/AppliedSettings.ts"
import * as StatusBoard from "../store/StatusBoard.ts"
import type { ReportedStatus } from "../store/StatusBoard.ts"
import type { StoreError } from "../store/StoreError.ts"
import type * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"

/** The index is incomplete for a range. */
export class Incomplete extends Data.TaggedError("Incomplete")<{
  /** What is missing. */
  readonly message: string
}> {}

/** Blocks, both ends inclusive; the last one may be above all blocks. */
export interface Blocks {
  readonly from: number
  readonly to: number
}

/** Number of blocks that a node may have above the head last seen by the indexer. */
const maxUnseenBlocks = 1_000

/** Number of gaps read at once, and of reads; with more gaps, the range is considered incomplete. */
const [gapsAtOnce, maxGapReads] = [1_000, 20]

const named = (from: number, to: number): string => (from === to ? `block ${from}` : `blocks ${from} to ${to}`)

const notIndexed = (from: number, to: number): string =>
  `${named(from, to)} of this chain ${from === to ? "is" : "are"} not in the index`

const mayLackAbove = (head: number): string => `the blocks above ${head} of this chain may not be in the index`

/**
 * What an index may lack at the head of its chain: it is further behind the node than usual, or no indexer follows the node; undefined for
 * nothing.
 */
export const behind = (head: number, status: ReportedStatus | null): string | undefined => {
  if (status === null) return undefined
  const { nodeHead, state } = status
  if (nodeHead !== null && nodeHead - head > StatusBoard.maxLagBlocks) return `${notIndexed(head + 1, nodeHead)} yet`
  const above = mayLackAbove(head)
  if (state === "stopped") return `${above}: its indexer is stopped`
  if (StatusBoard.isUnresponsive(status)) return `${above}: its indexer does not report`
  return nodeHead === null ? `${above}: no node answers its indexer` : undefined
}

/** What the index lacks below, above and at its ends; undefined for nothing. */
const lackingBlocks = (
  { checkpoint, searchedTo }: Coverage.Coverage,
  { from, to }: Blocks,
  status: ReportedStatus | null,
  nodeHead: number | undefined,
): string | undefined => {
  if (checkpoint === null) return "no block of this chain is in the index yet"
  const { first, head } = checkpoint
  if (from < first && from <= to) {
    const lacking = notIndexed(from, Math.min(first - 1, to))
    // For a wallet whose past is completely searched, the first block of the index applies.
    return searchedTo === undefined || searchedTo >= first - 1 || searchedTo < 0
      ? lacking
      : `${lacking} for this wallet yet: its past is searched up to block ${searchedTo}`
  }
  if (to <= head.number) return undefined
  if (nodeHead === undefined) return `${mayLackAbove(head.number)}: no node has stated its newest block`
  return to <= nodeHead ? `${notIndexed(head.number + 1, nodeHead)} yet` : behind(head.number, status)
}

/** Reads the head of a node, if a range ends with a block that the node may have and the index lacks; undefined if no node reports it. */
const nodeHeadFor = Effect.fnUntraced(function* (
  { checkpoint }: Coverage.Coverage,
  to: number,
  status: ReportedStatus | null,
  readHead: Effect.Effect<number | undefined>,
) {
  const indexed = checkpoint?.head.number ?? 0
  const seen = Math.max(indexed, status?.nodeHead ?? 0)
  if (to <= seen || to > seen + maxUnseenBlocks) return seen
  const read = yield* readHead
  return read === undefined ? undefined : Math.max(seen, read)
})

/** Blocks of a range without traces; undefined for none. */
const untraced = ({ first, head }: Checkpoint, { from, to }: Blocks, status: ReportedStatus | null) => {
  const stored = { from: Math.max(first, from), to: Math.min(head.number, to) }
  const off = AppliedSettings.ranges(status?.settings ?? [], "traces", stored).find(({ value }) => value === "off")
  return off === undefined ? undefined : `${named(off.from, off.to)} of this chain have no traces`
}

/**
 * What a list needs from blocks: the transactions that a wallet sent, received or created a contract with, those in which it has any role,
 * or those with their traces. `calls`: like traces, and all calls of the wallet are present, including those of value 0.
 */
export type Needs = "transactions" | "roles" | "traces" | "calls"

/** Blocks of a range in which a search of a wallet's past found no calls of value 0; undefined for none. */
const withoutCalls = (
  { first, head }: Checkpoint,
  { from, to }: Blocks,
  { searchedTo = -1 }: Pick<Coverage.Coverage, "searchedTo">,
) => {
  const searched = { from: Math.max(first, from), to: Math.min(head.number, to, searchedTo) }
  return searched.from > searched.to
    ? undefined
    : `the search of the wallet's past does not find calls of value 0 in ${named(searched.from, searched.to)} of this chain`
}

/** Blocks of a range that an earlier version stored without transactions in which a wallet only has a role; undefined for none. */
export const storedByParty = (
  { first, head }: Checkpoint,
  { from, to }: Blocks,
  { searchedTo = -1 }: Pick<Coverage.Coverage, "searchedTo">,
  status: ReportedStatus | null,
) => {
  const stored = { from: Math.max(first, from, searchedTo + 1), to: Math.min(head.number, to) }
  const range = AppliedSettings.storedByParty(status?.settings ?? [], stored)
  return range === undefined
    ? undefined
    : `an earlier version stored ${named(range.from, range.to)} of this chain without internal transactions and tokens of some wallets`
}

/** What lists and sums may be missing up to a block, as a sentence; none if there is no such block. */
const sentencesOf =
  (what: string) =>
  (to: bigint | number | null | undefined): ReadonlyArray<string> =>
    to == null ? [] : [`Up to block ${to}, ${what}.`]

/** The sentences of `directOnlyTo`. */
export const directOnlySentences = sentencesOf(
  "tokens and internal transactions may be missing: an earlier version stored those blocks",
)

/**
 * Last block of the index that an earlier version stored without transactions in which a wallet only has a role; undefined for none, as in
 * an index of all wallets.
 */
export const directOnlyTo = Effect.fnUntraced(function* (
  { status }: Pick<IndexedChain, "status">,
  checkpoint: Checkpoint | null,
  searchedTo: number | null,
): Effect.fn.Return<number | undefined, StoreError> {
  if (checkpoint?.watch === undefined) return undefined
  const stored = { from: Math.max(checkpoint.first, (searchedTo ?? -1) + 1), to: checkpoint.head.number }
  return AppliedSettings.storedByParty((yield* status)?.settings ?? [], stored)?.to
})

/** The sentences of `untracedTo`. */
export const untracedSentences = sentencesOf(
  "internal transactions and what they moved may be missing: not every transaction has a trace",
)

/**
 * Last block of the index that was stored without traces, or that has a transaction without them; undefined for none.
 *
 * A page pays for one indexed statement, and only if it is the first page of its state or ends below that block.
 */
export const untracedTo = Effect.fnUntraced(function* (
  { lastUntraced, settingsTo }: Pick<IndexedChain, "lastUntraced" | "settingsTo">,
  checkpoint: Checkpoint | null,
  untraced: Coverage.Untraced | undefined,
): Effect.fn.Return<number | undefined, StoreError> {
  if (checkpoint === null) return undefined
  const stored = { from: checkpoint.first, to: checkpoint.head.number }
  const ranges = AppliedSettings.ranges(yield* settingsTo(stored.to), "traces", stored)
  const off = ranges.findLast(({ value }) => value === "off")?.to
  if (off === stored.to || untraced === undefined || untraced.transactions === 0) return off
  const gap = yield* lastUntraced(untraced.serial, stored.to)
  return gap === null || gap < (off ?? stored.from) ? off : gap
})

/**
 * Last block of the index up to which the chain changes native balances in ways that neither transactions nor headers show; undefined for
 * none.
 */
export const unstatedTo = (
  { config, id }: Pick<IndexedChain, "config" | "id">,
  checkpoint: Checkpoint | null,
): number | undefined =>
  checkpoint === null
    ? undefined
    : LedgerRules.unstatedTo(LedgerRules.fromChainId(id, config.feeRules), {
        from: checkpoint.first,
        to: checkpoint.head.number,
      })

/** The sentences of `unstatedTo`. */
export const unstatedSentences = sentencesOf(
  "changes of the native balance may be missing: this chain makes some that neither transactions nor headers record",
)

/** What the index lacks of the transactions in a range; most gaps concern something else. Undefined for nothing. */
const missingRows = Effect.fnUntraced(function* (
  { gaps: readGaps }: Pick<IndexedChain["reader"], "gaps">,
  { from, to }: Blocks,
): Effect.fn.Return<string | undefined, StoreError> {
  let first = from
  for (let reads = 0; reads < maxGapReads; reads++) {
    const gaps = yield* readGaps({ from: first, to, limit: gapsAtOnce })
    const gap = gaps.find(({ kind }) => isWithoutRow(kind))
    if (gap !== undefined) return `transactions of block ${gap.block} are missing from the index`
    const last = gaps.at(-1)
    if (last === undefined || gaps.length < gapsAtOnce) return undefined
    if (last.block === first) break
    // The gaps of the last block may be incomplete.
    first = last.block
  }
  return `${named(from, to)} have too many gaps`
})

/** What to check about a range. */
export interface Checked {
  /** What is read from its blocks. Default: transactions. */
  readonly needs?: Needs | undefined
  /** Reads the number of a node's newest block; undefined if no node reports it. Default: the head last seen by the indexer. */
  readonly readHead?: Effect.Effect<number | undefined> | undefined
}

/**
 * Fails if the index may lack rows of a range.
 *
 * **Errors**
 * - `Incomplete`: blocks, transactions or traces of the range are not indexed.
 * - `StoreError`: the database cannot be read.
 */
export const check = Effect.fnUntraced(function* (
  chain: Pick<IndexedChain, "reader" | "status">,
  coverage: Coverage.Coverage,
  blocks: Blocks,
  { needs = "transactions", readHead = Effect.succeed(0) }: Checked = {},
): Effect.fn.Return<void, Incomplete | StoreError> {
  const status = yield* chain.status
  const { checkpoint, missing } = coverage
  const nodeHead = yield* nodeHeadFor(coverage, blocks.to, status, readHead)
  const lacking = lackingBlocks(coverage, blocks, status, nodeHead)
  if (lacking !== undefined) return yield* new Incomplete({ message: lacking })
  if (checkpoint === null) return
  const calls = needs === "calls" ? withoutCalls(checkpoint, blocks, coverage) : undefined
  if (calls !== undefined) return yield* new Incomplete({ message: calls })
  const needsTraces = needs === "traces" || needs === "calls"
  const byParty = needs === "transactions" ? undefined : storedByParty(checkpoint, blocks, coverage, status)
  if (byParty !== undefined) return yield* new Incomplete({ message: byParty })
  if (missing === 0 && !needsTraces) return
  const withoutTraces = needsTraces ? untraced(checkpoint, blocks, status) : undefined
  if (withoutTraces !== undefined) return yield* new Incomplete({ message: withoutTraces })
  const range = { from: blocks.from, to: Math.min(blocks.to, checkpoint.head.number) }
  const lackingRows = missing === 0 ? undefined : yield* missingRows(chain.reader, range)
  if (lackingRows !== undefined) return yield* new Incomplete({ message: lackingRows })
  const gap = needsTraces ? yield* chain.reader.lastTraceGap(range.to) : null
  if (gap !== null && gap >= range.from) {
    return yield* new Incomplete({ message: `traces of block ${gap} are missing from the index` })
  }
})
