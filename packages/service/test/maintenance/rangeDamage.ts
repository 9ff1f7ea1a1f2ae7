/**
 * Corrupts single bytes in the ranges of histories and ledgers in a chain's file: each column of their rows, and the row that lists the
 * ranges.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, Result } from "effect"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import type { Seeded } from "../store/model.ts"
import { all } from "../store/TestDatabase.ts"

/** Columns to corrupt. */
export const columns = [
  ...["history", "history_copy"].flatMap((table) => ["range", "key", "id"].map((column) => [table, column] as const)),
  ...["range", "wallet", "id", "body", "checksum"].map((column) => ["ledger", column] as const),
  ...["ranges", "checksum"].map((column) => ["key_range", column] as const),
]

type Value = number | string | Uint8Array

/** The value with one byte changed: of a blob, a text, or the eight bytes of a number. */
const withOtherByte = (value: Value, numbers: Seeded): Value => {
  const bytes = typeof value === "number" ? Buffer.from(new BigInt64Array([BigInt(value)]).buffer) : Buffer.from(value)
  // Only the lower 6 bytes of a number are changed, because rows contain no number above 53 bits and readers reject them.
  const length = typeof value === "number" ? 6 : bytes.length
  bytes[numbers.below(length)]! ^= 1 + numbers.below(255)
  if (typeof value === "number") return Number(bytes.readBigInt64LE())
  return typeof value === "string" ? bytes.toString("latin1") : new Uint8Array(bytes)
}

/** Corrupts one byte of a random row of a table; returns a description of the change. */
export const damageByte = (file: string, [table, column]: (typeof columns)[number], numbers: Seeded): string => {
  const database = new DatabaseSync(file)
  try {
    const keys = table === "key_range" ? ["id"] : ["range", table === "ledger" ? "wallet" : "key", "id"]
    const rows = database.prepare(`SELECT * FROM ${table} ORDER BY ${keys.join(", ")}`).all()
    const row = numbers.pick(rows) as Readonly<Record<string, Value>>
    const value = withOtherByte(row[column]!, numbers)
    const where = keys.map((key) => `${key} = ?`).join(" AND ")
    database
      .prepare(`UPDATE OR REPLACE ${table} SET ${column} = ? WHERE ${where}`)
      .run(value, ...keys.map((key) => row[key]!))
    return `${table}.${column} of ${keys.map((key) => String(row[key])).join(" ")}`
  } finally {
    database.close()
  }
}

/** Wallets with a ledger. */
export const walletsOf = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare("SELECT DISTINCT wallet FROM ledger ORDER BY wallet").all()
    return rows.map(({ wallet }) => `0x${Buffer.from(wallet as Uint8Array).toString("hex")}`)
  } finally {
    database.close()
  }
}

/** All rows of the ranges without their range numbers, which differ after a rebuild. */
export const contentOf = (file: string): ReadonlyArray<unknown> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return [
      ...["history", "history_copy"].map((table) =>
        database.prepare(`SELECT key, id FROM ${table} ORDER BY 1, 2`).all(),
      ),
      database.prepare("SELECT wallet, id, body, checksum FROM ledger ORDER BY 1, 2").all(),
    ]
  } finally {
    database.close()
  }
}

/** Rows of a wallet's page as text; `null` if the read failed. */
export interface Page {
  readonly list: "history" | "ledger"
  readonly rows: ReadonlyArray<string> | null
}

const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)

/** Reads the pages of histories and ledgers in both orders. */
export const readAll = (reader: ChainReader, wallets: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Page>> => {
  const pageOf = (list: Page["list"], read: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
    Effect.map(Effect.result(read), (result): Page => {
      const rows = Result.isSuccess(result) ? result.success.map((row) => JSON.stringify(row, plain)) : null
      return { list, rows }
    })
  return Effect.all(
    wallets.flatMap((wallet) =>
      (["ASC", "DESC"] as const).flatMap((order) => {
        const query = { ...all, key: wallet, wallet, order }
        return [
          pageOf(
            "history",
            reader.snapshot((snapshot) =>
              Effect.map(snapshot.page(WalletTransactions.projection, query), ({ rows }) => rows),
            ),
          ),
          pageOf(
            "ledger",
            reader.snapshot((snapshot) => Effect.map(snapshot.ledger(query), ({ rows }) => rows)),
          ),
        ]
      }),
    ),
  )
}

/**
 * Compares a page with the stored one. A row that was not stored must never be returned. A ledger row that the history of its wallet
 * does not name has no copy: a page may lack it if its key was damaged, which verification reports.
 */
export const compare = (page: Page, stored: Page): "same" | "refused" | "lacking" | "wrong" => {
  if (page.rows === null || stored.rows === null) return "refused"
  const isSame = page.rows.length === stored.rows.length && page.rows.every((row, at) => row === stored.rows?.[at])
  if (isSame) return "same"
  const left = stored.rows.filter((row) => page.rows?.includes(row) === true)
  const isPart = left.length === page.rows.length && left.every((row, at) => row === page.rows?.[at])
  return page.list === "ledger" && isPart && left.length === stored.rows.length - 1 ? "lacking" : "wrong"
}
