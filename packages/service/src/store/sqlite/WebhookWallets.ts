/** The wallets of webhooks in the file of API keys. */
import { columns, type Columns, fromColumns, positionConditions } from "../WebhookWallets.ts"
import type { WalletChanges, WalletRange, WalletSelection, WebhookWallet } from "../WebhookWallets.ts"
import type { Connection, Params } from "./Connection.ts"

const insert = `INSERT INTO webhook_wallet (webhook, ${columns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const move = `UPDATE webhook_wallet SET journal = ?, next = ?, start = ?, highest = ? WHERE webhook = ? AND wallet = ?`
const remove = `DELETE FROM webhook_wallet WHERE webhook = ? AND wallet = ?`
const reset = `UPDATE webhook_wallet SET journal = '', next = 0, start = 0, highest = -1 WHERE webhook = ?`
const part = `UPDATE webhook_wallet SET journal = ?, next = ? WHERE webhook = ? AND journal IS NULL`
const rewind = `UPDATE webhook_wallet SET next = ?, start = min(start, ?) WHERE webhook = ? AND journal <> ''`
const raise = `UPDATE webhook_wallet SET highest = max(highest, ?) WHERE webhook = ? AND wallet = ?`

/** Conditions of a selection, with their parameters. */
const conditionsOf = ({ after, among, highestFrom, position }: WalletSelection) => {
  const conditions: ReadonlyArray<readonly [sql: string, ...params: Params]> = [
    ...(among === undefined ? [] : [["wallet IN (SELECT value FROM json_each(?))", JSON.stringify(among)] as const]),
    ...(position === undefined ? [] : [[positionConditions[position]] as const]),
    ...(highestFrom === undefined ? [] : [["highest >= 0 AND highest >= ?", highestFrom] as const]),
    ...(after === undefined ? [] : [["wallet > ?", after] as const]),
  ]
  return conditions
}

/** Statement of a selection, and its parameters after the name of the webhook. */
export const selecting = (selection: WalletSelection): readonly [sql: string, params: Params] => {
  const conditions = conditionsOf(selection)
  const where = ["webhook = ?", ...conditions.map(([sql]) => sql)].join(" AND ")
  const params = conditions.flatMap(([, ...own]) => own)
  // The key would not help SQLite, which does not know that few wallets have their own positions.
  const isOwn = selection.position === "own" || selection.position === "none"
  const index = isOwn && selection.among === undefined ? " INDEXED BY webhook_wallet_own" : ""
  return [
    `SELECT ${columns} FROM webhook_wallet${index} WHERE ${where} ORDER BY wallet LIMIT ?`,
    [...params, selection.limit ?? -1],
  ]
}

/** Webhooks that have one of the given wallets, some of which may have their own positions. */
export const having = `SELECT DISTINCT webhook FROM json_each(?) CROSS JOIN webhook_wallet ON wallet = value`

/** Wallets of a webhook. */
export const readUnsafe = (connection: Connection, webhook: string, selection: WalletSelection) => {
  const [sql, params] = selecting(selection)
  return connection.valuesUnsafe<Columns>(sql, [webhook, ...params]).map(fromColumns)
}

const columnsOf = ({ highest, journal, next, start }: WebhookWallet) => [journal, next, start, highest] as const

/** Condition of a range of addresses, and its parameters. */
const within = ({ after, to }: WalletRange): readonly [sql: string, params: ReadonlyArray<string>] => {
  const ends = [
    ["wallet > ?", after],
    ["wallet <= ?", to],
  ] as const
  const given = ends.flatMap(([sql, wallet]) => (wallet === undefined ? [] : [[sql, wallet] as const]))
  return [given.map(([sql]) => ` AND ${sql}`).join(""), given.map(([, wallet]) => wallet)]
}

/** Changes wallets of a webhook. */
export const changeUnsafe = (connection: Connection, webhook: string, changes: WalletChanges): void => {
  const { add = [], isReset = false, move: moved = [], part: parted, raise: raised, remove: removed = [] } = changes
  const [condition, ends] = within(changes.within ?? {})
  const changeRange = (sql: string, params: Params) =>
    connection.rowsUnsafe(`${sql}${condition}`, [...params, webhook, ...ends])
  if (isReset) changeRange(reset, [])
  if (parted !== undefined) changeRange(part, [parted.journal, parted.next])
  if (changes.rewind !== undefined) changeRange(rewind, [changes.rewind, changes.rewind])
  if (raised !== undefined) connection.rowsUnsafe(raise, [raised[1], webhook, raised[0]])
  const keys = removed.map((wallet) => [webhook, wallet])
  connection.manyUnsafe(remove, keys)
  connection.manyUnsafe(
    insert,
    add.map((one) => [webhook, one.wallet, ...columnsOf(one)]),
  )
  connection.manyUnsafe(
    move,
    moved.map((one) => [...columnsOf(one), webhook, one.wallet]),
  )
}
