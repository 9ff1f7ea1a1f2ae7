/**
 * Descriptions of contracts in the file of API keys.
 */
import * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import * as Row from "../Contracts.ts"
import type { Contracts } from "../Contracts.ts"
import * as Connection from "./Connection.ts"
import type { KeysFile } from "./KeysFile.ts"

const select = `SELECT key, name, source, abi, implementations FROM contract WHERE chain = ? ORDER BY key`
const selectRevision = `SELECT revision FROM contract_revision WHERE chain = ?`
const selectUsage = `SELECT count(*), coalesce(sum(length(abi)), 0) FROM contract WHERE chain = ?`
const insert = `INSERT OR REPLACE INTO contract (chain, key, name, source, abi, implementations) VALUES (?, ?, ?, ?, ?, ?)`
const remove = `DELETE FROM contract WHERE chain = ? AND key = ? RETURNING key`
const advance = `INSERT INTO contract_revision (chain, revision) VALUES (?, 1)
  ON CONFLICT (chain) DO UPDATE SET revision = revision + 1`

/** Contracts in a file. */
export const make = ({ reading, writing }: KeysFile): Contracts => {
  const read = <A>(work: (connection: Connection.Connection) => A) =>
    Effect.flatMap(reading, (connection) => connection.attempt(() => work(connection)))
  const write = <A>(chain: ChainRef, work: (connection: Connection.Connection) => A) =>
    Effect.gen(function* () {
      const connection = yield* writing
      const attempt = connection.attempt(() => {
        const done = work(connection)
        connection.rowsUnsafe(advance, [chain.id])
        return done
      })
      return yield* Connection.transaction(connection, yield* Connection.make(connection), attempt)
    })

  return {
    list: ({ id }) => read((connection) => connection.valuesUnsafe<Row.Columns>(select, [id]).map(Row.fromColumns)),
    revision: ({ id }) =>
      read((connection) => connection.valuesUnsafe<readonly [number]>(selectRevision, [id])[0]?.[0] ?? 0),
    usage: ({ id }) =>
      read((connection) => {
        const [contracts, characters] = connection.valuesUnsafe<readonly [number, number]>(selectUsage, [id])[0]!
        return { contracts, characters }
      }),
    put: (chain, contracts) =>
      write(chain, (connection) => {
        for (const contract of contracts) connection.rowsUnsafe(insert, [chain.id, ...Row.toColumns(contract)])
      }),
    remove: (chain, keys) =>
      write(chain, (connection) => keys.filter((key) => connection.rowsUnsafe(remove, [chain.id, key]).length > 0)),
  }
}
