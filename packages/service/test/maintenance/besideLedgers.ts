/**
 * Changes, copies and removes single rows outside the ledgers of a chain's file, and evaluates whether verification reported each change
 * and repair reverted it.
 */
import { Effect } from "effect"
import * as Verify from "../../src/maintenance/Verify.ts"
import type { Audit } from "../../src/store/Audit.ts"
import type { Connection } from "../../src/store/sqlite/Connection.ts"
import type { Seeded } from "../store/model.ts"

type Value = number | string | Uint8Array | null
type Row = ReadonlyArray<Value>

/** A table and its key columns. */
interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly key: ReadonlyArray<number>
  /** True to copy rows above the head; false to copy them under another key. */
  readonly isOfBlocks: boolean
}

const names = {
  block: { key: ["chain", "number"], isOfBlocks: true },
  facts: { key: ["block"], isOfBlocks: true },
  opening: { key: ["wallet", "holding"], isOfBlocks: false },
  proof: { key: ["wallet"], isOfBlocks: false },
  reconciled: { key: ["wallet"], isOfBlocks: false },
  token: { key: ["address"], isOfBlocks: false },
} as const

const tableOf = (connection: Connection, name: keyof typeof names): Table => {
  const columns = connection
    .rowsUnsafe<{ readonly name: string }>(`PRAGMA table_info(${name})`, [])
    .map((column) => column.name)
  return { name, columns, key: names[name].key.map((one) => columns.indexOf(one)), isOfBlocks: names[name].isOfBlocks }
}

const flip = (bytes: Uint8Array, numbers: Seeded): Uint8Array => {
  const changed = Uint8Array.from(bytes)
  const at = numbers.below(changed.length)
  changed[at] = changed[at]! ^ (1 << numbers.below(8))
  return changed
}

/** Another value of a column: one bit, one character, or the number by one. */
const other = (value: Value, numbers: Seeded): Value => {
  if (value === null) return 7
  if (typeof value === "number") return value + 1 + numbers.below(9)
  if (typeof value === "string") return value === "" ? "x" : `${value.slice(0, -1)}${value.endsWith("x") ? "y" : "x"}`
  return value.length === 0 ? Uint8Array.of(1) : flip(value, numbers)
}

/** A row that replaces another one or is added. */
export interface Tampering {
  readonly table: Table
  readonly name: string
  readonly before: Row
  readonly after: Row | null
  readonly isAdded: boolean
}

const pickChange = (before: Row, numbers: Seeded): Row => {
  const column = numbers.below(before.length)
  return before.map((value, at) => (at === column ? other(value, numbers) : value))
}

const pickCopy = (table: Table, before: Row, numbers: Seeded, head: number): Row => {
  const column = table.key.at(-1)!
  const value = table.isOfBlocks ? head + 1 + numbers.below(5) : other(before[column]!, numbers)
  return before.map((one, at) => (at === column ? value : one))
}

/** A row of facts, for a file whose blocks have none. */
const madeFacts: Row = [0, 0, 0, Uint8Array.of(0)]

/** A random change to a row. */
const pick = (table: Table, rows: ReadonlyArray<Row>, numbers: Seeded, head: number): Tampering => {
  const before = rows.length === 0 ? madeFacts : numbers.pick(rows)
  const isAdded = table.isOfBlocks || numbers.below(2) === 0
  const after = isAdded ? pickCopy(table, before, numbers, head) : pickChange(before, numbers)
  return { table, name: `${table.name} ${isAdded ? "copied" : "changed"}`, before, after, isAdded }
}

const whereOf = ({ columns, key }: Table) => key.map((at) => `${columns[at]} = ?`).join(" AND ")

const remove = (connection: Connection, table: Table, row: Row): void =>
  void connection.rowsUnsafe(
    `DELETE FROM ${table.name} WHERE ${whereOf(table)}`,
    table.key.map((at) => row[at]!),
  )

const insert = (connection: Connection, { columns, name }: Table, row: Row): void =>
  void connection.rowsUnsafe(`INSERT INTO ${name} VALUES (${columns.map(() => "?").join(", ")})`, row)

const rowsOf = (connection: Connection, { columns, key, name }: Table): ReadonlyArray<Row> =>
  connection.valuesUnsafe<Row>(
    `SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${key.map((at) => at + 1).join(", ")}`,
    [],
  )

const text = (value: Value): string => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : `${value}`)

/** Tampers with rows sequentially; returns the cases that verification did not report, or repair did not revert. */
export const run = Effect.fnUntraced(function* (
  connection: Connection,
  audit: Audit,
  numbers: Seeded,
  cases: number,
  head: number,
) {
  // Sound: `tables` has the keys of `names`.
  const tables = (Object.keys(names) as ReadonlyArray<keyof typeof names>).map((name) => tableOf(connection, name))
  const kinds = new Map<string, number>()
  const missed: Array<{ readonly name: string; readonly reported: unknown; readonly left: unknown }> = []
  for (let at = 0; at < cases; at++) {
    const table = numbers.pick(tables)
    const rows = rowsOf(connection, table)
    const { after, before, isAdded, name } = pick(table, rows, numbers, head)
    if (!isAdded) remove(connection, table, before)
    insert(connection, table, after!)
    const { removable } = yield* Verify.run(audit)
    const key = text(after![table.key.at(isAdded && table.isOfBlocks ? -1 : 0)!]!)
    const isLocated = removable.length > 0 && removable.every(({ what }) => what.includes(key))
    yield* Effect.scoped(Effect.flatMap(audit.repairer, ({ removeRows }) => removeRows(removable)))
    const left = yield* Verify.run(audit)
    const isClean = left.removable.length + left.issues.length + left.orphaned.length === 0
    kinds.set(name, (kinds.get(name) ?? 0) + 1)
    if (!isLocated || !isClean) missed.push({ name, reported: removable, left: left.issues })
    if (!isAdded) insert(connection, table, before)
  }
  return { kinds, missed }
})
