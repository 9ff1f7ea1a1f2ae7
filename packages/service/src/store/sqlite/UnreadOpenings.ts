/**
 * Opening balances that have not been read yet, by the blocks in which their wallets appear, and how far blocks were examined. Functions
 * named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0050.
 */
import type { UnreadOpenings, UnreadQuery } from "../Proofs.ts"
import { StoreError } from "../StoreError.ts"
import { fromHex } from "../rows/Bytes.ts"
import type { Connection } from "./Connection.ts"
import * as Ledgers from "./Ledgers.ts"
import * as LedgerHoldings from "../rows/LedgerHoldings.ts"
import * as OpeningRow from "../rows/OpeningRow.ts"

/** Parameters: first. */
const progress = `SELECT next FROM opening_progress WHERE first = ?`

/** Parameters: first, next. */
const advance = `INSERT OR REPLACE INTO opening_progress (id, first, next) VALUES (1, ?, ?)`

/** Parameters: lowest. */
const unwind = `UPDATE opening_progress SET next = min(next, ?)`

/** Parameters: wallet, holding, first. */
const has = `SELECT 1 FROM opening WHERE wallet = ? AND holding = ? AND first = ?`

/** Rows of a block; empty for a damaged one, which is examined again when it is repaired. */
export const rowsUnsafe = (connection: Connection, block: number): ReadonlyArray<Ledgers.Columns> => {
  try {
    return Ledgers.rowsUnsafe(connection, block, block)
  } catch (cause) {
    if (cause instanceof StoreError && cause.damagedBlock !== undefined) return []
    throw cause
  }
}

/** The next openings to read, for an index with this first block. */
export const readUnsafe = (
  connection: Connection,
  first: number,
  { limit, to, wallets }: UnreadQuery,
): UnreadOpenings => {
  let next = connection.valuesUnsafe<readonly [number]>(progress, [first])[0]?.[0] ?? first
  const known = new Set<string>()
  const holdings: Array<UnreadOpenings["holdings"][number]> = []
  for (let rows = 0; next <= to && rows < LedgerHoldings.maxRows && holdings.length < limit; next++) {
    const ofBlock = rowsUnsafe(connection, next)
    rows += ofBlock.length
    for (const one of LedgerHoldings.unknownOf(ofBlock, wallets, known)) {
      const params = [fromHex(one.wallet), OpeningRow.bytesOfHolding(one.holding), first]
      if (connection.valuesUnsafe(has, params).length === 0) holdings.push(one)
    }
  }
  return { holdings, next }
}

/** Remembers the first block that was not examined. */
export const advanceUnsafe = (connection: Connection, first: number, next: number): void =>
  void connection.rowsUnsafe(advance, [first, next])

/** Marks the blocks from `lowest` on to be examined again. */
export const unwindUnsafe = (connection: Connection, lowest: number): void =>
  void connection.rowsUnsafe(unwind, [lowest])
