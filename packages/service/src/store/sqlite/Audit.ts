/**
 * Looking closely at a chain's SQLite file, a part at a time, beside an indexer and readers at work.
 */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Appearance, Audit, StoredBlock, StoredTransaction } from "../Audit.ts"
import { fromHex, split, toHex } from "./Bytes.ts"
import * as Connection from "./Connection.ts"
import type { Params, SqliteConnection } from "./Connection.ts"
import * as RowId from "./RowId.ts"
import * as Reader from "./Reader.ts"
import * as Rows from "./Rows.ts"
import * as Migrations from "./Migrations.ts"
import * as Statements from "./Statements.ts"
import { type BlockRows, StoreError } from "../Store.ts"

const addressBytes = 20
const problemsAtMost = 20

const blocksIn = `SELECT number, hash, parent_hash, timestamp, transactions FROM block
  WHERE chain = ? AND number BETWEEN ? AND ? ORDER BY number`
const transactionsIn = `SELECT block, tx_index, decoder_revision, hash, addresses, body, internal FROM "transaction"
  WHERE id >= ? AND id < ? ORDER BY id`
const hasAppearance = `SELECT 1 FROM appearance WHERE chain = ? AND address = ? AND block = ? AND tx_index = ?`
const appearancesAfter = `SELECT a.address, a.block, a.tx_index, t.addresses FROM appearance a
  LEFT JOIN "transaction" t ON t.id = a.block * ${RowId.ofBlock} + a.tx_index
  WHERE a.chain = ? AND (a.address, a.block, a.tx_index) > (?, ?, ?)
  ORDER BY a.address, a.block, a.tx_index LIMIT ?`
const deleteTransactionsOf = `DELETE FROM "transaction" WHERE id >= ? AND id < ?`
const deleteBlock = `DELETE FROM block WHERE chain = ? AND number = ?`
const parentOf = `SELECT parent_hash AS hash FROM block WHERE chain = ? AND number = ?`

type BlockColumns = readonly [
  number: number,
  hash: Uint8Array,
  parentHash: Uint8Array,
  timestamp: number,
  count: number | null,
]

type TransactionColumns = readonly [
  block: number,
  index: number,
  decoderRevision: number,
  hash: Uint8Array,
  addresses: Uint8Array,
  body: string,
  internal: string | null,
]

type AppearanceColumns = readonly [address: Uint8Array, block: number, index: number, addresses: Uint8Array | null]

/** Addresses of a row; a length that is no multiple of an address loses the rest, which then shows as lost. */
const addressesOf = (joined: Uint8Array) =>
  split(joined.subarray(0, joined.length - (joined.length % addressBytes)), addressBytes)

const transactionsUnsafe = (connection: SqliteConnection, chain: number, from: number, to: number) => {
  const byBlock = new Map<number, Array<StoredTransaction>>()
  const rows = connection.valuesUnsafe<TransactionColumns>(transactionsIn, RowId.range(from, to))
  for (const [block, index, decoderRevision, hash, joined, body, internal] of rows) {
    const addresses = addressesOf(joined)
    const lost = addresses.filter(
      (address) => connection.valuesUnsafe(hasAppearance, [chain, address, block, index]).length === 0,
    )
    const own = byBlock.get(block) ?? []
    byBlock.set(block, own)
    own.push({
      index,
      decoderRevision,
      hash: toHex(hash),
      addresses: addresses.map(toHex),
      lostAddresses: lost.map(toHex),
      body,
      internal,
    })
  }
  return byBlock
}

const blocksUnsafe = (
  connection: SqliteConnection,
  chain: number,
  from: number,
  to: number,
): ReadonlyArray<StoredBlock> => {
  const transactions = transactionsUnsafe(connection, chain, from, to)
  return connection
    .valuesUnsafe<BlockColumns>(blocksIn, [chain, from, to])
    .map(([number, hash, parentHash, timestamp, count]) => ({
      number,
      hash: toHex(hash),
      parentHash: toHex(parentHash),
      timestamp,
      count,
      transactions: transactions.get(number) ?? [],
    }))
}

const isStray = ([address, , , addresses]: AppearanceColumns): boolean =>
  addresses === null || !addressesOf(addresses).some((own) => Buffer.compare(own, address) === 0)

type Writes = Pick<Audit, "dropStrays" | "replace">

const writesOf = (file: string, chain: number): Effect.Effect<Writes, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const writer = yield* Connection.connect({ file, readOnly: false })
    const client = yield* Connection.make(writer)
    yield* Migrations.migrate(writer, client, Statements.schema)
    yield* writer.attempt(() => Reader.checkChainUnsafe(writer, chain))
    const write = <A>(work: () => A) => Connection.transaction(writer, client, writer.attempt(work))

    /** Whether rows may stand where their number says: in place of themselves, or in a gap that they fill. */
    const fitsUnsafe = ({ hash, number, parentHash }: BlockRows): boolean => {
      const checkpoint = Reader.checkpointUnsafe(writer, chain)
      if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return false
      const stored = Reader.blockUnsafe(writer, chain, number)
      if (stored !== null) return stored.hash === hash
      const below = Reader.blockUnsafe(writer, chain, number - 1)?.hash ?? parentHash
      const [above] = writer.rowsUnsafe<{ readonly hash: Uint8Array }>(parentOf, [chain, number + 1])
      return below === parentHash && (above === undefined || toHex(above.hash) === hash)
    }

    return {
      dropStrays: (strays) =>
        write(() => {
          for (const { address, block, index } of strays) {
            const own = writer.valuesUnsafe<TransactionColumns>(transactionsIn, RowId.range(block, block))
            const document = own.find(([, at]) => at === index)
            if (document !== undefined && addressesOf(document[4]).map(toHex).includes(address)) continue
            writer.rowsUnsafe(Statements.deleteAppearance, [chain, fromHex(address), block, index])
          }
        }),
      replace: (rows) =>
        write(() => {
          const { number } = rows
          if (!fitsUnsafe(rows)) return false
          Rows.removeAppearancesUnsafe(writer, chain, number, number)
          for (const { addresses, index } of rows.transactions) {
            for (const address of addresses) {
              writer.rowsUnsafe(Statements.deleteAppearance, [chain, fromHex(address), number, index])
            }
          }
          writer.rowsUnsafe(deleteTransactionsOf, RowId.range(number, number))
          writer.rowsUnsafe(deleteBlock, [chain, number])
          Rows.insertUnsafe(writer, chain, rows)
          return true
        }),
    }
  })

const refusals = (name: string): Writes => {
  const message = `The database ${name} was opened for reading only.`
  const refuse = () => Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
  return { dropStrays: refuse, replace: refuse }
}

/**
 * Opens a chain's file for a close look until the scope ends; `canWrite` for putting it right.
 *
 * **Errors**
 * - `StoreError`: the file cannot be opened, has another schema, or holds another chain; a reader says so when it is used.
 */
export const make = (file: string, chain: number, canWrite: boolean): Effect.Effect<Audit, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const reader = yield* Reader.make(file, chain)
    const written = canWrite ? yield* writesOf(file, chain) : refusals(basename(file))
    return {
      ...written,
      engine: reader.once((connection) =>
        connection
          .rowsUnsafe<{ readonly quick_check: string }>(`PRAGMA quick_check(${problemsAtMost})`, [])
          .map(({ quick_check }) => quick_check)
          .filter((text) => text !== "ok"),
      ),
      part: (from, to) =>
        reader.once((connection) => ({
          checkpoint: Reader.checkpointUnsafe(connection, chain),
          blocks: blocksUnsafe(connection, chain, from, to),
        })),
      strays: (after, limit) =>
        reader.once((connection) => {
          const start: Params =
            after === null
              ? [chain, new Uint8Array(), -1, -1]
              : [chain, fromHex(after.address), after.block, after.index]
          const rows = connection.valuesUnsafe<AppearanceColumns>(appearancesAfter, [...start, limit])
          const toAppearance = ([address, block, index]: AppearanceColumns): Appearance => ({
            address: toHex(address),
            block,
            index,
          })
          const last = rows.length < limit ? undefined : rows.at(-1)
          return {
            strays: rows.filter(isStray).map(toAppearance),
            last: last === undefined ? null : toAppearance(last),
          }
        }),
    }
  })
