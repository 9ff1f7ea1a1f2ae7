/**
 * History entries, in both copies, whose transaction is not stored or does not name the wallet, and ledger rows that their block does not
 * name. Functions named `Unsafe` throw what SQLite throws.
 */
import type { Appearance } from "../Audit.ts"
import { StoreError } from "../StoreError.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import type * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as Histories from "./Histories.ts"
import * as Journal from "./Journal.ts"
import * as Ranges from "./KeyRanges.ts"
import * as LedgerAudit from "./LedgerAudit.ts"
import * as LedgerStatements from "./LedgerStatements.ts"
import * as RowId from "../rows/RowId.ts"
import * as WalletKey from "../rows/WalletKey.ts"

/** Tables to search, in this order. */
const tables = ["history", "history_copy", "ledger", "ledger_block"] as const

const isTable = (text: string): text is (typeof tables)[number] => tables.some((table) => table === text)

const startOf = (table: (typeof tables)[number]): Appearance => ({ table, key: "0x", block: -1, index: 0 })

const idOf = ({ block, index }: Appearance): number => (block < 0 ? -1 : RowId.make(block, index))

/** Whether the row of an entry names its wallet; a damaged row is a separate issue. */
const isNamedUnsafe = (connection: Connection, [key, id]: Histories.Entry): boolean => {
  const [columns] = connection.valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documents, [id, id + 1])
  if (columns === undefined) return false
  try {
    const { addresses } = Documents.fromColumnsUnsafe(connection, columns, false)
    return addresses.some((address) => Buffer.compare(WalletKey.fromAddress(address), key) === 0)
  } catch (cause) {
    if (cause instanceof StoreError) return true
    throw cause
  }
}

/** Whether a block is in the index. */
const isIndexedUnsafe = (connection: Connection, chain: number) => {
  const { first, number } = Checkpoints.readUnsafe(connection, chain)
  return (block: number): boolean => first !== null && number !== null && block >= first && block <= number
}

const entriesAfter = (
  connection: Connection,
  chain: number,
  table: (typeof tables)[number],
  after: Appearance,
  limit: number,
): ReadonlyArray<LedgerAudit.Entry> => {
  if (table === "ledger") return LedgerAudit.rowsAfterUnsafe(connection, after, idOf(after), limit)
  if (table === "ledger_block") {
    return LedgerAudit.placesAfterUnsafe(connection, after.block, limit, isIndexedUnsafe(connection, chain))
  }
  const key = fromHex(after.key)
  const copy = table === "history" ? 0 : 1
  return Histories.entriesAfterUnsafe(connection, copy, [key, idOf(after), after.range ?? -1], limit).map(
    ([entryKey, id, range]) => {
      const entry = [entryKey, id] as const
      return {
        appearance: { table, key: toHex(entryKey), range, ...RowId.toPosition(id) },
        // An entry in both copies was examined in the first one.
        isOrphaned: () =>
          Ranges.isInOtherRangeUnsafe(connection, id, range) ||
          ((copy === 0 || !Histories.isInFirstUnsafe(connection, entry)) && !isNamedUnsafe(connection, entry)),
      }
    },
  )
}

/** Orphaned entries among the next entries after one, and the last entry examined; `null` at the end. */
export const afterUnsafe = (connection: Connection, chain: number, after: Appearance | null, limit: number) => {
  const from = after ?? startOf(tables[0])
  const table = isTable(from.table) ? from.table : tables[0]
  const entries = entriesAfter(connection, chain, table, from, limit)
  const orphaned = entries.filter(({ isOrphaned }) => isOrphaned()).map(({ appearance }) => appearance)
  const next = tables[tables.indexOf(table) + 1]
  const last = entries.length < limit ? (next === undefined ? null : startOf(next)) : entries.at(-1)!.appearance
  return { orphaned, last }
}

/** Removes entries that are still orphaned. */
export const removeUnsafe = (file: ChainFile, appearances: ReadonlyArray<Appearance>): void => {
  const { connection, ref } = file
  const isIndexed = isIndexedUnsafe(connection, ref.id)
  for (const appearance of appearances) {
    const { block, key, table } = appearance
    if (table === "ledger") {
      LedgerAudit.removeOrphanUnsafe(connection, appearance)
      continue
    }
    if (table === "ledger_block") {
      if (!isIndexed(block)) connection.rowsUnsafe(LedgerStatements.deletePlaces, [block, block])
      continue
    }
    const entry = [fromHex(key), idOf(appearance)] as const
    const { range = 0 } = appearance
    if (Ranges.isInOtherRangeUnsafe(connection, entry[1], range) || !isNamedUnsafe(connection, entry)) {
      Histories.removeEntryUnsafe(connection, [...entry, range])
      Journal.recordUnsafe(file, "clear", block, block)
    }
  }
}
