/**
 * Rows of a chain's schema that can be removed without loss: openings, proofs and tokens with invalid checksums, which will be read again,
 * and rows of blocks outside the index.
 *
 * Source: decision 0034.
 */
import * as Effect from "effect/Effect"
import type { RemovableRow } from "../Audit.ts"
import type * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as OutsideRows from "../rows/OutsideRows.ts"
import * as ReadAgain from "../rows/ReadAgain.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Documents from "./Documents.ts"
import * as Blocks from "./Blocks.ts"
import { quoted } from "./Migrations.ts"
import * as Openings from "./Openings.ts"
import * as Tokens from "./Tokens.ts"
import * as Values from "./Values.ts"

/** The proved block of a wallet is in the row of its proof. */
const provedColumns = "wallet, first, block, proved, proved_checksum"

const sourceOf = ({ columns, name }: ReadAgain.Table, schema: string) =>
  name === "reconciled"
    ? { columns: provedColumns, table: `${schema}.proof`, condition: "proved IS NOT NULL" }
    : { columns: columns.join(", "), table: `${schema}.${name}`, condition: "true" }

/** A row with the values that its checksum covers. */
const rowOf = ({ columns }: ReadAgain.Table, row: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  row.map((value, at) =>
    columns[at] === "body" && value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  )

const bytesOf = (key: ReadonlyArray<string>): ReadonlyArray<Values.Value> =>
  key.map((text) => {
    const value = ReadAgain.fromText(text)
    return Values.bytes(value instanceof Uint8Array ? value : Buffer.alloc(0))
  })

/** Damaged rows among the next rows of a table, and the key of the last one examined; `null` at the end. */
const damaged = Effect.fnUntraced(function* (
  { chain, session }: At,
  table: ReadAgain.Table,
  after: ReadonlyArray<string>,
  limit: number,
) {
  const { columns, condition, table: from } = sourceOf(table, quoted(chain.schema))
  const key = table.key.join(", ")
  const params = bytesOf(after)
  const beyond = params.length === 0 ? "" : `AND (${key}) > (${params.map((_, at) => `$${at + 2}`).join(", ")})`
  const rows = yield* session.rows<ReadonlyArray<unknown>>(
    `SELECT ${columns} FROM ${from} WHERE ${condition} ${beyond} ORDER BY ${key} LIMIT $1`,
    [Values.big(limit), ...params],
  )
  const last = rows.length < limit ? null : ReadAgain.keyOf(table, rows.at(-1)!)
  return { found: rows.flatMap((row) => ReadAgain.find(table, rowOf(table, row))), last }
})

const indexOf = ({ first, number }: CheckpointRow.Columns): OutsideRows.Index =>
  first === null || number === null ? OutsideRows.empty : { first, head: number }

const byBlock = { block: "number", facts: "block", gap: "block" } as const

/** Rows of blocks outside the index. Those of histories and ledgers are found because no block names them. */
const outside = Effect.fnUntraced(function* (at: At, index: OutsideRows.Index, limit: number) {
  const { chain, session } = at
  const ids = RowId.range(index.first, index.head)
  const found: Array<RemovableRow> = []
  for (const [name, column] of Object.entries(byBlock)) {
    const rows = yield* session.rows<readonly [number]>(
      `SELECT DISTINCT ${column} FROM ${quoted(chain.schema)}.${name} WHERE ${column} < $1 OR ${column} > $2 LIMIT $3`,
      [index.first, index.head, limit].map(Values.big),
    )
    found.push(...rows.map(([block]) => OutsideRows.make(name, block, index)))
  }
  const documents = yield* session.rows<readonly [number]>(
    `SELECT id FROM ${quoted(chain.schema)}.document WHERE id < $1 OR id >= $2 LIMIT $3`,
    [...ids, limit].map(Values.big),
  )
  return [...found, ...documents.map(([id]) => OutsideRows.make("document", RowId.toPosition(id).block, index))]
})

/** Removable rows after one, and the last one examined; `null` at the end. */
export const after = Effect.fnUntraced(function* (at: At, from: ReadAgain.Position | null, limit: number) {
  const { key, table } = from ?? ReadAgain.start
  const { found, last } = yield* damaged(at, ReadAgain.tableOf(table), key, limit)
  const others = from === null ? yield* outside(at, indexOf(yield* Checkpoints.read(at)), limit) : []
  return { found: [...found, ...others], last: last === null ? ReadAgain.following(table) : { table, key: last } }
})

/** Removes every row of blocks outside the index. */
export const removeOutside = Effect.fnUntraced(function* (
  at: At,
  columns: CheckpointRow.Columns,
): Effect.fn.Return<void, StoreError> {
  const { chain, session } = at
  const { first, head } = indexOf(columns)
  const ranges = [[head + 1, Number.MAX_SAFE_INTEGER], ...(first === 0 ? [] : [[0, first - 1] as const])] as const
  for (const [from, to] of ranges) {
    yield* Documents.remove(at, from, to)
    yield* Blocks.remove(at, from, to)
    const blocks = [Values.big(from), Values.big(to)]
    yield* session.rows(`DELETE FROM ${quoted(chain.schema)}.ledger_block WHERE block BETWEEN $1 AND $2`, blocks)
    const ids = RowId.range(from, to).map(Values.big)
    for (const name of ["appearance", "ledger", "entry"]) {
      yield* session.rows(`DELETE FROM ${quoted(chain.schema)}.${name} WHERE id >= $1 AND id < $2`, ids)
    }
  }
})

const removeDamaged = Effect.fnUntraced(function* (
  { chain, session }: At,
  table: ReadAgain.Table,
  key: ReadonlyArray<string>,
) {
  const { columns, condition, table: from } = sourceOf(table, quoted(chain.schema))
  const where = table.key.map((column, at) => `${column} = $${at + 1}`).join(" AND ")
  const params = bytesOf(key)
  const rows = yield* session.rows<ReadonlyArray<unknown>>(
    `SELECT ${columns} FROM ${from} WHERE ${condition} AND ${where}`,
    params,
  )
  const isDamaged = rows.some((row) => ReadAgain.find(table, rowOf(table, row)).length > 0)
  if (isDamaged) yield* session.rows(`DELETE FROM ${from} WHERE ${where}`, params)
  return isDamaged
})

/** Removes rows that are still removable. The blocks from which a removed opening or token was read are examined again. */
export const remove = Effect.fnUntraced(function* (at: At, rows: ReadonlyArray<RemovableRow>) {
  const { columns } = yield* Checkpoints.lock(at, null)
  const removed = new Set<string>()
  for (const { key, table } of rows) {
    const known = ReadAgain.tables.find(({ name }) => name === table)
    if (known !== undefined && (yield* removeDamaged(at, known, key))) removed.add(table)
  }
  const { first } = indexOf(columns)
  if (removed.has("opening")) yield* Openings.unwind(at, first)
  if (removed.has("token")) yield* Tokens.unwind(at, first, false)
  if (rows.some(({ table }) => OutsideRows.isOf(table))) yield* removeOutside(at, columns)
})
