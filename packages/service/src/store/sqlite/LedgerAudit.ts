/**
 * Compares the stored ledgers of wallets in a chain's file with what their blocks justify. Functions named `Unsafe` throw what SQLite
 * throws.
 *
 * Source: decision 0048.
 */
import type { Appearance } from "../Audit.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as LedgerDifferences from "../rows/LedgerDifferences.ts"
import * as RowId from "../rows/RowId.ts"
import type { Connection } from "./Connection.ts"
import * as Ranges from "./KeyRanges.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Statements from "./LedgerStatements.ts"

const placesUnsafe = (connection: Connection, block: number): LedgerDifferences.Places | undefined =>
  connection.valuesUnsafe<LedgerDifferences.Places>(Statements.places, [block, block])[0]

/** Differences between the stored and the derived rows of a block. */
export const differencesUnsafe = (connection: Connection, block: number, packed: Uint8Array): ReadonlyArray<string> => {
  const rowOf = (wallet: Uint8Array, id: number) => Ledgers.findUnsafe(connection, wallet, id)
  return LedgerDifferences.find({ places: placesUnsafe(connection, block), rowOf }, block, packed)
}

/** Whether a block does not name a row as its own, or has its rows in another range. */
const isOrphanedUnsafe = (connection: Connection, range: number, wallet: Uint8Array, id: number): boolean =>
  Ranges.isInOtherRangeUnsafe(connection, id, range) ||
  LedgerDifferences.isOrphaned(placesUnsafe(connection, RowId.toPosition(id).block), wallet, id)

/** A ledger row, or a block's list of them. */
export interface Entry {
  readonly appearance: Appearance
  readonly isOrphaned: () => boolean
}

type Placed = readonly [...LedgerDifferences.Columns, range: number]

/** Rows after one, in table order. */
export const rowsAfterUnsafe = (
  connection: Connection,
  { key, range = -1 }: Appearance,
  id: number,
  limit: number,
): ReadonlyArray<Entry> =>
  connection.valuesUnsafe<Placed>(Statements.after, [range, fromHex(key), id, limit]).map((row) => ({
    appearance: {
      table: "ledger",
      range: row[4],
      key: toHex(row[0]),
      ...RowId.toPosition(row[1]),
      assets: LedgerDifferences.assetsOf(row[2]),
    },
    isOrphaned: () => isOrphanedUnsafe(connection, row[4], row[0], row[1]),
  }))

/** Lists of the ledgers of blocks after one; lists of blocks outside the index are orphaned. */
export const placesAfterUnsafe = (
  connection: Connection,
  after: number,
  limit: number,
  isIndexed: (block: number) => boolean,
): ReadonlyArray<Entry> =>
  connection.valuesUnsafe<readonly [block: number]>(Statements.placesAfter, [after, limit]).map(([block]) => ({
    appearance: { table: "ledger_block", key: "0x", block, index: 0 },
    isOrphaned: () => !isIndexed(block),
  }))

/** Removes a row that its block does not name. */
export const removeOrphanUnsafe = (connection: Connection, { block, index, key, range = 0 }: Appearance): void => {
  const [wallet, id] = [fromHex(key), RowId.make(block, index)]
  if (isOrphanedUnsafe(connection, range, wallet, id)) connection.rowsUnsafe(Statements.removeAt, [range, wallet, id])
}
