/**
 * Movements of several wallets by block, from an index: what an export writes without searching the chain.
 *
 * Source: decision 0048.
 */
import { format } from "@daybook/schema/Issue"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DiscoveredBlock, WalletRow } from "../ledger/DiscoveredBlock.ts"
import { ChainReorganized } from "../node/CallsError.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { LinkedBlock } from "../block/BlockRows.ts"
import type { ChainReader, LedgerEntry, Position } from "../store/ChainReader.ts"
import * as StatusBoard from "../store/StatusBoard.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"

/**
 * The index lacks what was requested.
 */
export class NotIndexed extends Data.TaggedError("NotIndexed")<{
  readonly path: string
  readonly expected: string
  readonly received: string
}> {
  override get message() {
    return format("export", this)
  }
}

/**
 * Wallets of an index, and the blocks of their movements.
 */
export interface Range {
  readonly wallets: ReadonlyArray<string>
  readonly first: number
  readonly closing: LinkedBlock
}

/**
 * What to read.
 */
export interface Options {
  /** Name of the chain, for messages. */
  readonly chain: string
  /** Lower case, without duplicates. */
  readonly wallets: ReadonlyArray<string>
  /** First block, which the index must have. Default: the first one from which it has all of the wallets. */
  readonly fromBlock?: number | undefined
  /** Last block. */
  readonly to: number
  /** Whether the last block was not requested explicitly: an index may be a few blocks behind its node. */
  readonly isOpenEnded?: boolean
}

/**
 * Determines the blocks for which an index has the ledgers of wallets.
 *
 * **Errors**
 * - `NotIndexed`: the ledgers are not derived yet, or not for these wallets or blocks.
 */
export const rangeOf = (
  reader: ChainReader,
  { chain, fromBlock, isOpenEnded = false, to, wallets }: Options,
): Effect.Effect<Range, NotIndexed | StoreError> =>
  reader.snapshot((snapshot) =>
    Effect.gen(function* () {
      const checkpoint = yield* snapshot.checkpoint
      const ledger = yield* snapshot.projection(WalletLedger.id)
      const path = chain
      if (checkpoint === null)
        return yield* new NotIndexed({ path, expected: "an index with blocks", received: "none" })
      const missing = wallets.find(
        (wallet) => checkpoint.watch !== undefined && !WatchList.has(checkpoint.watch, wallet),
      )
      if (missing !== undefined)
        return yield* new NotIndexed({ path, expected: "an indexed wallet", received: missing })
      const next = WalletLedger.nextOf(ledger) ?? 0
      // Wallets that were added later are complete from a later block on.
      const lowest = Math.max(0, ...wallets.map((wallet) => WatchList.firstBlock(checkpoint, wallet)))
      const first = fromBlock ?? lowest
      const derived = Math.min(checkpoint.head.number, next - 1)
      const last = Math.min(derived, to)
      const isWhole = first >= lowest && derived >= to - (isOpenEnded ? StatusBoard.maxLagBlocks : 0)
      const closing = last < first || !isWhole ? null : yield* snapshot.block(last)
      if (closing !== null) return { wallets, first, closing }
      const expected = `ledgers of the blocks ${first} to ${to}`
      return yield* new NotIndexed({ path, expected, received: `ledgers of the blocks ${lowest} to ${derived}` })
    }),
  )

/** Default number of a wallet's rows read at once. */
const defaultPageRows = 128

/** A row with its block. */
interface Stored {
  readonly block: LinkedBlock
  readonly row: WalletRow
}

/** Rows of one wallet that were read but not emitted yet, and where reading continues. */
interface Reading {
  readonly wallet: string
  readonly pageRows: number
  readonly rows: Array<Stored>
  after: Position | null
  hasMore: boolean
}

/** Maximum number of bytes of rows and of transactions read at once: a row has up to 20,000 movements. */
const maxBytes = 4 * 1024 * 1024

/** Row of an entry. */
const rowOf = (
  wallet: string,
  { index, movements, roles }: LedgerEntry,
  transactionHash: string | null,
): WalletRow => ({
  wallet,
  transactionHash,
  index: transactionHash === null ? null : index,
  roles,
  movements,
})

/** Reads the next rows of a wallet, all from one state of the index. */
const readMore = (
  reader: ChainReader,
  { closing, first: from }: Range,
  reading: Reading,
): Effect.Effect<void, StoreError> =>
  reader.snapshot((snapshot) =>
    Effect.gen(function* () {
      const { after, pageRows, wallet } = reading
      const to = closing.number
      const query = { wallet, from, to, order: "ASC", after, limit: pageRows, maxBytes } as const
      const { hasMore, rows } = yield* snapshot.ledger(query)
      const places = yield* snapshot.places(rows, maxBytes)
      for (const [at, { block, transactionHash }] of places.entries()) {
        reading.rows.push({ block, row: rowOf(wallet, rows[at]!, transactionHash) })
      }
      reading.after = rows[places.length - 1] ?? after
      reading.hasMore = hasMore || places.length < rows.length
    }),
  )

/** Orders the rows of a block by transaction, with those of the block itself last. */
const byIndex = ({ index: one }: WalletRow, { index: other }: WalletRow): number =>
  (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY) || 0

/** Fails if the last block is no longer the one whose ledgers are read. */
const verifyClosing = Effect.fnUntraced(function* (reader: ChainReader, { closing }: Range) {
  const found = yield* reader.snapshot((snapshot) => snapshot.block(closing.number))
  if (found?.hash === closing.hash) return
  const received = found?.hash ?? "no block"
  return yield* new ChainReorganized({ block: closing.number, expected: closing.hash, received })
})

/**
 * Streams the blocks of a range that concern the wallets, ascending. A limited number of rows per wallet is held at a time.
 *
 * **Errors**
 * - `ChainReorganized`: the last block was replaced meanwhile.
 */
export const blocks = (
  reader: ChainReader,
  range: Range,
  pageRows = defaultPageRows,
): Stream.Stream<DiscoveredBlock, StoreError | ChainReorganized> => {
  const readings = range.wallets.map((wallet): Reading => ({ wallet, pageRows, rows: [], after: null, hasMore: true }))
  const fill = Effect.forEach(readings, (reading) =>
    reading.rows.length === 0 && reading.hasMore ? readMore(reader, range, reading) : Effect.void,
  )
  /** Takes the rows of a wallet in a block, which may be more than are read at once. */
  const take = Effect.fnUntraced(function* (reading: Reading, number: number) {
    const taken: Array<WalletRow> = []
    for (;;) {
      const end = reading.rows.findIndex(({ block }) => block.number !== number)
      const own = reading.rows.splice(0, end === -1 ? reading.rows.length : end)
      for (const { row } of own) taken.push(row)
      if (reading.rows.length > 0 || !reading.hasMore) return taken
      yield* readMore(reader, range, reading)
    }
  })
  const next = Effect.gen(function* () {
    yield* fill
    const heads = readings.flatMap(({ rows }) => rows.slice(0, 1).map(({ block }) => block))
    const block = heads.reduce<LinkedBlock | null>(
      (lowest, head) => (lowest === null || head.number < lowest.number ? head : lowest),
      null,
    )
    if (block === null) {
      yield* verifyClosing(reader, range)
      return [[], Option.none<undefined>()] as const
    }
    const { hash, number, timestamp } = block
    const rows = (yield* Effect.forEach(readings, (reading) => take(reading, number))).flat().toSorted(byIndex)
    return [[{ number, hash, timestamp, rows, hasGaps: false }], Option.some(undefined)] as const
  })
  return Stream.paginate(undefined, () => next)
}
