/** A chain in a session whose results are returned by a function. */
import { Effect } from "effect"
import * as CheckpointRow from "../../../src/store/rows/CheckpointRow.ts"
import * as Chain from "../../../src/store/postgres/Chain.ts"
import type { Session } from "../../../src/store/postgres/Pool.ts"
import type { StoreError } from "../../../src/store/StoreError.ts"
import { ref } from "../TestDatabase.ts"

export const chain = Chain.make(ref, "database")

/** A statement and its parameters. */
export type Statement = readonly [sql: string, params: ReadonlyArray<unknown>]

type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A session, and the statements that it ran. */
export const sessionOf = (respond: (...statement: Statement) => Rows | StoreError = () => []) => {
  const ran: Array<Statement> = []
  const rows = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.suspend(() => {
      ran.push([sql, params])
      const result = respond(sql, params)
      return Array.isArray(result) ? Effect.succeed(result as Rows) : Effect.fail(result as StoreError)
    })
  // Sound: the rows are those of the statement.
  return { at: { chain, session: { rows } as unknown as Session }, ran }
}

/** Row of a snapshot of an empty index, without joined rows. */
export const snapshotRow = (serial: number, isDistributed = false): ReadonlyArray<unknown> => [
  ...CheckpointRow.make(ref.id, { ...CheckpointRow.empty, serial }),
  ["trace"],
  [3],
  isDistributed,
  ...Array.from({ length: 30 }, () => null),
]
