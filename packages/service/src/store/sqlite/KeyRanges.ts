/**
 * The ranges of blocks in a chain's file, and the merging of their entries. Functions named `Unsafe` throw what SQLite throws, and a
 * `StoreError` for a damaged row.
 *
 * Source: decision 0027.
 */
import * as Checksum from "../rows/Checksum.ts"
import * as KeyRanges from "../rows/KeyRanges.ts"
import * as RowId from "../rows/RowId.ts"
import { StoreError } from "../StoreError.ts"
import type { Connection, Params } from "./Connection.ts"
import * as Statements from "./KeyRangeStatements.ts"

/** Number of entries after which a range ends: the pages of the newest range, and of the log, stay in memory. */
export const defaultEntries = 65_536

/** Minimum number of entries of one table that a write moves for each merge. */
const minMoved = 64

type Row = readonly [ranges: string, checksum: number]

/** What each connection last read: most reads find the same text. */
const parsed = new WeakMap<Connection, readonly [...Row, ranges: KeyRanges.KeyRanges]>()

const parseUnsafe = (connection: Connection, [text, checksum]: Row): KeyRanges.KeyRanges | null => {
  const known = parsed.get(connection)
  if (known !== undefined && known[0] === text && known[1] === checksum) return known[2]
  if (!Checksum.isOf([text], checksum)) return null
  const ranges = KeyRanges.parse(text)
  if (ranges === null) return null
  parsed.set(connection, [text, checksum, ranges])
  return ranges
}

/** The stored ranges; `null` for a damaged row. A missing row is damage if an entry is in a range other than the first one. */
const storedUnsafe = (connection: Connection): KeyRanges.KeyRanges | null => {
  const [row] = connection.valuesUnsafe<Row>(Statements.read, [])
  if (row === undefined) {
    return connection.valuesUnsafe(Statements.anyOther, []).length === 0 ? KeyRanges.initial : null
  }
  return parseUnsafe(connection, row)
}

/** Reads the ranges. */
export const readUnsafe = (connection: Connection): KeyRanges.KeyRanges => {
  const ranges = storedUnsafe(connection)
  if (ranges !== null) return ranges
  throw new StoreError({
    message: `Stored ranges of histories damaged: ${connection.name}. Start the indexer, which creates them again.`,
    isRetryable: false,
    cause: undefined,
  })
}

const writeUnsafe = (connection: Connection, ranges: KeyRanges.KeyRanges): void => {
  const text = KeyRanges.format(ranges)
  connection.rowsUnsafe(Statements.write, [text, Checksum.fromValues([text])])
}

const writeChangedUnsafe = (connection: Connection, before: KeyRanges.KeyRanges, after: KeyRanges.KeyRanges): void => {
  if (after !== before) writeUnsafe(connection, after)
}

/** Creates the row of a file that has none, and moves all entries to one range if the row is damaged. */
export const claimUnsafe = (connection: Connection): void => {
  const isStored = connection.valuesUnsafe(Statements.read, []).length > 0
  const ranges = storedUnsafe(connection)
  if (isStored && ranges !== null) return
  if (ranges === null) for (const sql of Statements.inFirst) connection.rowsUnsafe(sql, [])
  const [counted] = connection.valuesUnsafe<readonly [entries: number]>(Statements.countAll, [])
  writeUnsafe(
    connection,
    KeyRanges.initial.map((range) => ({ ...range, entries: counted![0] })),
  )
}

/** A table with keys in ranges. */
export type Table = Statements.Table

/** The number of the range for each inserted entry; an entry of a range that is being merged may be in the merged one. */
export const rangesOfUnsafe = (
  connection: Connection,
  table: Table,
  entries: ReadonlyArray<readonly [key: Uint8Array, id: number, ...rest: ReadonlyArray<unknown>]>,
): ReadonlyArray<number> => {
  const ranges = readUnsafe(connection)
  const lasts = new Map<number, readonly [key: Uint8Array, id: number] | undefined>()
  const isMoved = (into: number, key: Uint8Array, id: number): boolean => {
    if (!lasts.has(into))
      lasts.set(into, connection.valuesUnsafe<readonly [Uint8Array, number]>(Statements.last(table), [into])[0])
    const last = lasts.get(into)
    if (last === undefined) return false
    return (Buffer.compare(key, last[0]) || id - last[1]) <= 0
  }
  return entries.map(([key, id]) => {
    const { into, range } = KeyRanges.rangeOf(ranges, RowId.toPosition(id).block)
    return into !== null && isMoved(into, key, id) ? into : range
  })
}

/** Counts inserted entries. */
export const countUnsafe = (connection: Connection, ids: ReadonlyArray<number>): void => {
  if (ids.length > 0) writeUnsafe(connection, KeyRanges.count(readUnsafe(connection), ids))
}

/** Whether an entry is in a range that has none of its block. */
export const isInOtherRangeUnsafe = (connection: Connection, id: number, range: number): boolean =>
  !KeyRanges.rangesOf(readUnsafe(connection), id).includes(range)

/** Parts of ranges of row ids, both ends inclusive, in order. */
export const partsUnsafe = (
  connection: Connection,
  order: "ASC" | "DESC",
): ((first: number, last: number) => ReadonlyArray<KeyRanges.Part>) => {
  const ranges = readUnsafe(connection)
  return (first, last) => {
    const parts = KeyRanges.partsOf(ranges, first, last)
    return order === "ASC" ? parts : parts.toReversed()
  }
}

/** What is read from parts. */
export interface Reading {
  readonly parts: ReadonlyArray<KeyRanges.Part>
  /** Parameters of a part, with a maximum number of rows. */
  readonly paramsOf: (part: KeyRanges.Part, limit: number) => Params
  /** Maximum number of rows. */
  readonly limit: number
}

const rowsOfPartsUnsafe = <Row extends ReadonlyArray<unknown>>(
  connection: Connection,
  sqlOf: Statements.OfParts,
  { limit, paramsOf, parts }: Reading,
  endingOf: (parts: number) => Params,
): ReadonlyArray<Row> => {
  const rounded = Statements.roundedParts(parts.length)
  const params = Array.from({ length: rounded }, (_, at) => paramsOf(parts[at] ?? Statements.noPart, limit)).flat()
  return connection.valuesUnsafe<Row>(sqlOf(rounded), [...params, ...endingOf(rounded)])
}

/** First rows from the parts of a history or a ledger in order: from the first part, which fills most pages, and then from a few at once. */
export const rowsUnsafe = <Row extends ReadonlyArray<unknown>>(
  connection: Connection,
  sqlOf: Statements.OfParts,
  { limit, paramsOf, parts }: Reading,
): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let next = 0
  while (next < parts.length && rows.length < limit) {
    const end = next === 0 ? 1 : next + Statements.partsAtOnce
    const left = { limit: limit - rows.length, paramsOf, parts: parts.slice(next, end) }
    next = end
    rows.push(...rowsOfPartsUnsafe<Row>(connection, sqlOf, left, (count) => (count === 1 ? [] : [left.limit])))
  }
  return rows
}

/** The row of parts after a number of others, which is less than the limit; undefined if there are fewer. */
export const behindUnsafe = <Row extends ReadonlyArray<unknown>>(
  connection: Connection,
  sqlOf: Statements.OfParts,
  reading: Reading,
): Row | undefined => rowsOfPartsUnsafe<Row>(connection, sqlOf, reading, () => [reading.limit - 1])[0]

/** Begins a range with an appended block, or with those below the `first` one, if the entries of a range reach the limit. */
export const beginUnsafe = (
  connection: Connection,
  blocks: { readonly from: number } | { readonly below: number },
  limit: number,
): KeyRanges.KeyRanges => {
  claimUnsafe(connection)
  const ranges = readUnsafe(connection)
  const begun =
    "from" in blocks ? KeyRanges.append(ranges, blocks.from, limit) : KeyRanges.prepend(ranges, blocks.below, limit)
  writeChangedUnsafe(connection, ranges, begun)
  return begun
}

/** Removes the ranges of blocks from `lowest` on, whose entries were removed. */
export const unwindUnsafe = (connection: Connection, lowest: number, isEmpty: boolean): void => {
  const ranges = readUnsafe(connection)
  writeUnsafe(connection, isEmpty ? KeyRanges.initial : KeyRanges.unwind(ranges, lowest))
}

/** Position after every key. */
const end = [Buffer.alloc(32, 0xff), Number.MAX_SAFE_INTEGER] as const

/** Moves the lowest entries of ranges to the merged one; true once there are no more. */
const moveUnsafe = (connection: Connection, table: Table, { from, into }: KeyRanges.Merge, limit: number): boolean => {
  const parts = from.length
  const [found] = connection.valuesUnsafe<readonly [key: Uint8Array, id: number]>(Statements.bound(table, parts), [
    ...from,
    limit - 1,
  ])
  const bound = found ?? end
  const bounds = from.map((range) => [range, ...bound] as const)
  connection.rowsUnsafe(Statements.move(table, parts), [into, ...bounds.flat()])
  for (const each of bounds) connection.rowsUnsafe(Statements.removeTo(table), each)
  return found === undefined
}

/** Continues merging after a write, by as many entries as it inserted; `before` are the ranges before the write. */
export const mergeUnsafe = (connection: Connection, before: KeyRanges.KeyRanges, limit: number): void => {
  const ranges = readUnsafe(connection)
  const moved = Math.max(Math.min(minMoved, limit), KeyRanges.total(ranges) - KeyRanges.total(before))
  let after = KeyRanges.beginMerges(ranges, limit)
  for (const merge of KeyRanges.mergesOf(after)) {
    const isDone = Statements.tables.map((table) => moveUnsafe(connection, table, merge, moved)).every(Boolean)
    if (isDone) after = KeyRanges.endMerge(after, merge.into)
  }
  writeChangedUnsafe(connection, ranges, after)
}
