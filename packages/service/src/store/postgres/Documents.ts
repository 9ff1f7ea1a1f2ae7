/**
 * The rows of transactions.
 *
 * Source: decisions 0033, 0034 and 0051.
 */
import * as Effect from "effect/Effect"
import * as DocumentRow from "../rows/DocumentRow.ts"
import type * as Frame from "../rows/Frame.ts"
import * as RowId from "../rows/RowId.ts"
import { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Values from "./Values.ts"

const { column } = Values

const columnsOf = (rows: ReadonlyArray<DocumentRow.Prepared>): ReadonlyArray<Values.Value> => {
  const columns = rows.map((row) => row.columns)
  return [
    Values.bigs(column(columns, 0)),
    Values.ints(column(columns, 1)),
    Values.ints(column(columns, 2)),
    Values.ints(column(columns, 3)),
    Values.ints(column(columns, 4)),
    Values.manyBytes(column(columns, 5)),
    Values.manyBytes(column(columns, 6)),
    Values.manyBytes(column(columns, 7)),
    Values.ints(column(columns, 8)),
  ]
}

const apartOf = (rows: ReadonlyArray<DocumentRow.ApartColumns | null>): ReadonlyArray<Values.Value> => [
  Values.manyBytes(rows.map((row) => row?.[1] ?? null)),
  Values.ints(rows.map((row) => row?.[2] ?? null)),
]

/** Inserts rows that are not stored. */
export const insert = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  rows: ReadonlyArray<DocumentRow.Prepared>,
): Effect.fn.Return<void, StoreError> {
  const isLarge = ({ largeDocument, largeInternal }: DocumentRow.Prepared) =>
    largeDocument !== null || largeInternal !== null
  const small = rows.filter((row) => !isLarge(row))
  const large = rows.filter(isLarge)
  if (small.length > 0) yield* session.rows(sql.insertDocuments, columnsOf(small))
  if (large.length === 0) return
  yield* session.rows(sql.insertLargeDocuments, [
    ...columnsOf(large),
    ...apartOf(large.map(({ largeDocument }) => largeDocument)),
    ...apartOf(large.map(({ largeInternal }) => largeInternal)),
  ])
})

/** Replaces documents; their row ids are unchanged. */
export const replace = Effect.fnUntraced(function* (
  at: At,
  rows: ReadonlyArray<readonly [block: number, row: DocumentRow.StoredRow]>,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  if (rows.length === 0) return
  const ids = rows.map(([block, { index }]) => RowId.make(block, index))
  yield* at.session.rows(at.chain.sql.deleteDocumentsOf, [Values.bigs(ids)])
  yield* insert(
    at,
    rows.map(([block, row]) => DocumentRow.prepare(block, row, codec)),
  )
})

const rangeOf = (from: number, to: number): readonly [first: number, last: number] => {
  const [first, end] = RowId.range(from, to)
  return [first, end - 1]
}

/** Parameters of a range of row ids. */
export const rangeParams = (from: number, to: number): ReadonlyArray<Values.Value> =>
  rangeOf(from, to).map((id) => Values.big(id))

/** Runs code that throws a `StoreError` for a damaged row. */
export const attempt = <A>(work: () => A): Effect.Effect<A, StoreError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      if (cause instanceof StoreError) return Effect.fail(cause)
      throw cause
    }
  })

/** Frames of a row that are stored apart, read before the row is decoded. */
const readApart = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  columns: DocumentRow.Columns,
  wantsInternal: boolean,
): Effect.fn.Return<DocumentRow.ReadApart, StoreError> {
  const { isBodyApart, isInternalApart } = DocumentRow.formOf(columns)
  const read = (isWanted: boolean, statement: string) =>
    isWanted
      ? session.rows<DocumentRow.Apart>(statement, [Values.big(columns[0])])
      : Effect.succeed<ReadonlyArray<DocumentRow.Apart>>([])
  const document = yield* read(isBodyApart, sql.largeDocument)
  const internal = yield* read(isInternalApart && wantsInternal, sql.largeInternal)
  return (part) => (part === "document" ? document[0] : internal[0])
})

/** Texts of a row, with its internal transactions if requested. */
export const texts = Effect.fnUntraced(function* (at: At, columns: DocumentRow.Columns, wantsInternal: boolean) {
  const apart = yield* readApart(at, columns, wantsInternal)
  return yield* attempt(() => DocumentRow.textsUnsafe(at.chain.name, columns, wantsInternal, apart))
})

/** A stored transaction, with its internal transactions if requested. */
export const read = Effect.fnUntraced(function* (at: At, columns: DocumentRow.Columns, wantsInternal: boolean) {
  const apart = yield* readApart(at, columns, wantsInternal)
  return yield* attempt(() => DocumentRow.fromColumnsUnsafe(at.chain.name, columns, wantsInternal, apart))
})

/** A stored transaction, or the issue of its row. */
export type Read = readonly [id: number, row: DocumentRow.StoredRow | StoreError]

/** Transactions in a range of blocks, inclusive, including damaged ones. */
export const list = Effect.fnUntraced(function* (
  at: At,
  from: number,
  to: number,
): Effect.fn.Return<ReadonlyArray<Read>, StoreError> {
  const rows = yield* at.session.rows<DocumentRow.Columns>(at.chain.sql.documents, rangeParams(from, to))
  return yield* Effect.forEach(rows, (columns) =>
    Effect.map(
      Effect.catchIf(
        read(at, columns, true),
        (error) => error.damagedBlock !== undefined,
        (error) => Effect.succeed(error),
      ),
      (row): Read => [columns[0], row],
    ),
  )
})

/** Rows by row id; those that are not stored are absent. */
export const byId = Effect.fnUntraced(function* (
  at: At,
  ids: ReadonlyArray<number>,
): Effect.fn.Return<ReadonlyMap<number, DocumentRow.Columns>, StoreError> {
  if (ids.length === 0) return new Map()
  const { chain, session } = at
  const rows = yield* session.rows<DocumentRow.Columns>(chain.sql.documentsOf, [Values.bigs(ids)])
  return new Map(rows.map((columns) => [columns[0], columns]))
})

/** Whether a document of a range of blocks, inclusive, has another revision. */
export const hasStale = ({ chain: { sql }, session }: At, from: number, to: number, revision: number) =>
  Effect.map(
    session.rows(sql.staleDocuments, [...rangeParams(from, to), Values.int(revision)]),
    (rows) => rows.length > 0,
  )

/** Removes the transactions of a range of blocks, inclusive. */
export const remove = ({ chain: { sql }, session }: At, from: number, to: number) =>
  Effect.asVoid(session.rows(sql.deleteDocuments, rangeParams(from, to)))
