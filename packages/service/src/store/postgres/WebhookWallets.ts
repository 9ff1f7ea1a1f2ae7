/** The wallets of webhooks in the schema `daybook`. */
import * as Effect from "effect/Effect"
import type { StoreError } from "../StoreError.ts"
import { columns, type Columns, fromColumns, positionConditions } from "../WebhookWallets.ts"
import type { WalletChanges, WalletSelection, WebhookWallet } from "../WebhookWallets.ts"
import type { Session } from "./Pool.ts"
import * as Values from "./Values.ts"

const rowsOf = `unnest($2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[]) AS given (${columns})`
const insert = `INSERT INTO daybook.webhook_wallet (webhook, ${columns}) SELECT $1, given.* FROM ${rowsOf} ON CONFLICT DO NOTHING`
const move = `UPDATE daybook.webhook_wallet AS own
  SET journal = given.journal, next = given.next, start = given.start, highest = given.highest
  FROM ${rowsOf} WHERE own.webhook = $1 AND own.wallet = given.wallet`
const remove = `DELETE FROM daybook.webhook_wallet WHERE webhook = $1 AND wallet = ANY($2::text[])`
const reset = `UPDATE daybook.webhook_wallet SET journal = '', next = 0, start = 0, highest = -1 WHERE webhook = $1`
const part = `UPDATE daybook.webhook_wallet SET journal = $2, next = $3 WHERE webhook = $1 AND journal IS NULL`
const rewind = `UPDATE daybook.webhook_wallet SET next = $2, start = least(start, $2) WHERE webhook = $1 AND journal <> ''`
const raise = `UPDATE daybook.webhook_wallet SET highest = greatest(highest, $3) WHERE webhook = $1 AND wallet = $2`

/** Webhooks that have one of the given wallets, some of which may have their own positions. */
export const having = `SELECT DISTINCT webhook FROM daybook.webhook_wallet WHERE wallet = ANY($1::text[])`

/** Statement of a selection, and its parameters after the name of the webhook. */
const selecting = ({
  after,
  among,
  highestFrom,
  limit,
  position,
}: WalletSelection): readonly [sql: string, params: ReadonlyArray<Values.Value>] => {
  const params: Array<Values.Value> = []
  const param = (value: Values.Value): string => `$${params.push(value) + 1}`
  const conditions = ["webhook = $1"]
  if (among !== undefined) conditions.push(`wallet = ANY(${param(Values.texts(among))}::text[])`)
  if (position !== undefined) conditions.push(positionConditions[position])
  if (highestFrom !== undefined) conditions.push(`highest >= 0 AND highest >= ${param(Values.big(highestFrom))}`)
  if (after !== undefined) conditions.push(`wallet > ${param(Values.text(after))}`)
  const bound = limit === undefined ? "" : ` LIMIT ${param(Values.big(limit))}`
  const where = conditions.join(" AND ")
  return [`SELECT ${columns} FROM daybook.webhook_wallet WHERE ${where} ORDER BY wallet${bound}`, params]
}

/** Wallets of a webhook. */
export const read = (session: Session, webhook: string, selection: WalletSelection) => {
  const [sql, params] = selecting(selection)
  const found = session.rows<Columns>(sql, [Values.text(webhook), ...params])
  return Effect.map(found, (rows) => rows.map(fromColumns))
}

const arraysOf = (wallets: ReadonlyArray<WebhookWallet>) => [
  Values.texts(wallets.map(({ wallet }) => wallet)),
  Values.texts(wallets.map(({ journal }) => journal)),
  Values.bigs(wallets.map(({ next }) => next)),
  Values.bigs(wallets.map(({ start }) => start)),
  Values.bigs(wallets.map(({ highest }) => highest)),
]

/** Changes wallets of a webhook, within a transaction. */
export const change = Effect.fnUntraced(function* (
  session: Session,
  webhook: string,
  {
    add = [],
    isReset = false,
    move: moved = [],
    part: parted,
    raise: raised,
    remove: removed = [],
    rewind: from,
    within = {},
  }: WalletChanges,
): Effect.fn.Return<void, StoreError> {
  const name = Values.text(webhook)
  const changeRange = (sql: string, ...params: ReadonlyArray<Values.Value>) => {
    const values = [name, ...params]
    const ends = [["wallet >", within.after] as const, ["wallet <=", within.to] as const]
    const conditions = ends.map(([sql, wallet]) =>
      wallet === undefined ? "" : ` AND ${sql} $${values.push(Values.text(wallet))}`,
    )
    return session.rows([sql, ...conditions].join(""), values)
  }
  if (isReset) yield* changeRange(reset)
  if (parted !== undefined) yield* changeRange(part, Values.text(parted.journal), Values.big(parted.next))
  if (from !== undefined) yield* changeRange(rewind, Values.big(from))
  if (raised !== undefined) yield* session.rows(raise, [name, Values.text(raised[0]), Values.big(raised[1])])
  if (removed.length > 0) yield* session.rows(remove, [name, Values.texts(removed)])
  if (add.length > 0) yield* session.rows(insert, [name, ...arraysOf(add)])
  if (moved.length > 0) yield* session.rows(move, [name, ...arraysOf(moved)])
})
