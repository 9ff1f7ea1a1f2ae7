/**
 * Payments of blocks themselves to a wallet: withdrawals from the beacon chain, and fees and rewards.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as BlockFacts from "../block/BlockFacts.ts"
import type { LinkedBlock } from "../block/BlockRows.ts"
import * as Movement from "../ledger/Movement.ts"
import * as Role from "../ledger/Role.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { LedgerEntry, Snapshot } from "../store/ChainReader.ts"
import { StoreError } from "../store/StoreError.ts"
import * as Coverage from "./Coverage.ts"
import type { InTurn } from "./PinnedReader.ts"
import type { NotWatched } from "./QueryError.ts"
import * as WalletPage from "./WalletPage.ts"

/** A withdrawal from the beacon chain. */
export interface Withdrawal {
  readonly block: LinkedBlock
  readonly index: bigint
  readonly validator: bigint
  /** In gwei. */
  readonly amount: bigint
}

/** Fees and rewards that a wallet received for a block, in wei. */
export interface Reward {
  readonly block: LinkedBlock
  readonly amount: bigint
}

type Query = WalletPage.SourceQuery<undefined>

/** How to find the rows of one ledger entry. */
interface Options<Row> {
  /** Bit of the role of the wallet. */
  readonly role: number
  readonly rowsOf: (
    snapshot: Snapshot,
    entry: LedgerEntry,
    wallet: string,
  ) => Effect.Effect<ReadonlyArray<Row>, StoreError>
}

const batch = 512
const maxBatchBytes = 256 * 1024

const isOf = ({ index, roles }: LedgerEntry, role: number): boolean =>
  index === Movement.blockLevelIndex && (roles & role) !== 0

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

const blockAt = Effect.fnUntraced(function* (snapshot: Snapshot, number: number) {
  const block = yield* snapshot.block(number)
  if (block === null) return yield* Effect.die(new Error("A block of a ledger is not stored."))
  return block
})

const makeReader = <Row>({ role, rowsOf }: Options<Row>) => {
  const readBatch = (snapshot: Snapshot, { from, order, to, wallet }: Query, after: WalletPage.Place | null) =>
    snapshot.ledger({ wallet, from, to, order, after, limit: batch, maxBytes: maxBatchBytes })

  /** Remaining rows of an entry, in page order, with their parts. */
  const left = Effect.fnUntraced(function* (snapshot: Snapshot, entry: LedgerEntry, { after, order, wallet }: Query) {
    const all = (yield* rowsOf(snapshot, entry, wallet)).map((row, part) => ({ row, part }))
    const sent = after?.block === entry.block && after.index === entry.index ? after.part : undefined
    const found = sent === undefined ? all : all.filter(({ part }) => (order === "ASC" ? part > sent : part < sent))
    return order === "ASC" ? found : found.toReversed()
  })

  const read = Effect.fnUntraced(function* (
    snapshot: Snapshot,
    query: Query,
  ): Effect.fn.Return<WalletPage.SourceRows<Row>, StoreError> {
    const { hasMore, rows: entries } = yield* readBatch(snapshot, query, WalletPage.placeBefore(query))
    const rows: Array<Row> = []
    let last: WalletPage.Place | null = null
    for (const entry of entries) {
      if (!isOf(entry, role)) continue
      for (const { part, row } of yield* left(snapshot, entry, query)) {
        if (rows.length === query.limit) return { rows, next: last }
        rows.push(row)
        last = { block: entry.block, index: entry.index, part }
      }
    }
    const end = hasMore ? entries.at(-1) : undefined
    return { rows, next: end === undefined ? null : { block: end.block, index: end.index } }
  })

  const skip = Effect.fnUntraced(function* (
    snapshot: Snapshot,
    query: Query,
    count: number,
    inTurn: InTurn,
  ): Effect.fn.Return<WalletPage.Place | null, StoreError> {
    let after = WalletPage.placeBefore(query)
    for (let remaining = count; ;) {
      const { hasMore, rows: entries } = yield* inTurn(readBatch(snapshot, query, after))
      for (const { block, index, ...entry } of entries) {
        if (!isOf({ block, index, ...entry }, role)) continue
        const found = yield* inTurn(left(snapshot, { block, index, ...entry }, query))
        const last = found[remaining - 1]
        if (last !== undefined) return { block, index, part: last.part }
        remaining -= found.length
      }
      if (!hasMore) return null
      after = entries.at(-1) ?? null
    }
  })

  return WalletPage.make<Row, undefined, NotWatched>({ ...projection, check: Coverage.checkWallet, read, skip })
}

/**
 * Reads a page of withdrawals, ordered by block and position within it. Includes those of amount 0.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index does not cover the wallet.
 */
export const withdrawals = makeReader<Withdrawal>({
  role: Role.bits.withdrawal_recipient,
  rowsOf: Effect.fnUntraced(function* (snapshot, { block: number }, wallet) {
    const text = yield* snapshot.blockFacts(number)
    const facts = text === null ? null : BlockFacts.fromText(text)
    if (facts === null) {
      const message = `Withdrawals of block ${number} cannot be read.`
      return yield* new StoreError({ message, isRetryable: false, cause: undefined, damagedBlock: number })
    }
    const block = yield* blockAt(snapshot, number)
    return facts.withdrawals.flatMap(({ address, amount, index, validator }) =>
      address === wallet ? [{ block, index, validator, amount }] : [],
    )
  }),
})

/**
 * Reads a page of blocks for which the wallet received fees or rewards, with their sum.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index does not cover the wallet.
 */
export const rewards = makeReader<Reward>({
  role: Role.bits.fee_recipient,
  rowsOf: (snapshot, { block: number, movements }) =>
    Effect.map(blockAt(snapshot, number), (block) => [
      { block, amount: movements.reduce((sum, { amount, kind }) => (kind === "reward" ? sum + amount : sum), 0n) },
    ]),
})
