/** How statements on marks handle the errors and the rows of a server. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import type * as Chain from "../../../src/store/postgres/Chain.ts"
import * as Issue from "../../../src/store/postgres/Issue.ts"
import * as Marks from "../../../src/store/postgres/Marks.ts"
import * as Values from "../../../src/store/postgres/Values.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import { chain, sessionOf } from "./scripted.ts"

const unproved = new StoreError({ message: "Index changing.", isRetryable: true, isUnproved: true, cause: undefined })
const unreachable = new StoreError({ message: "Unreachable.", isRetryable: true, cause: undefined })

/** Number of times that a read failing with an error is attempted. */
const readsOf = Effect.fnUntraced(function* <E>(error: E) {
  let reads = 0
  const reading: Chain.Reading = (read) =>
    Effect.suspend(() => {
      reads++
      return read(sessionOf().at)
    })
  yield* Effect.forkChild(Effect.exit(Marks.retried(reading)(() => Effect.fail(error))))
  yield* TestClock.adjust("1 minute")
  return reads
})

/** The store error for a server error. */
const sent = (code: string) => {
  const cause = Object.assign(new Error("server"), { severity: "ERROR", code })
  return Issue.toStoreError("database", new SqlError({ reason: new UnknownError({ cause }) }))
}

describe("Marks", () => {
  it.effect(
    "retried: reads again if nodes moved on in the meantime, at most eight times, and after no other failure",
    () =>
      Effect.gen(function* () {
        const errors = [unproved, unreachable, "reader failed", { isUnproved: true }]

        expect(yield* Effect.forEach(errors, readsOf)).toEqual([9, 1, 1, 1])
      }),
  )

  it.effect("proving: adds the serial to proved statements, and to no others", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf(() => [[7]])
      const session = Marks.proving(chain, at.session, 5)
      const statements = [chain.distributed.sql.pageUp, chain.sql.blocks]
      const rows = yield* Effect.forEach(statements, (sql) => session.rows(sql, [Values.big(1)]))

      expect(rows).toEqual([[[7]], [[7]]])
      expect(ran).toEqual([
        [statements[0], [Values.big(1), Values.big(5)]],
        [statements[1], [Values.big(1)]],
      ])
    }),
  )

  it.effect("proving: reports a node with another state as a moving index, and passes other failures on", () =>
    Effect.gen(function* () {
      const failed = (error: StoreError) =>
        Effect.flip(Marks.proving(chain, sessionOf(() => error).at.session, 5).rows(chain.distributed.sql.pageUp, []))
      const other = sent("22012")

      expect(yield* failed(sent("DY001"))).toMatchObject({
        isRetryable: true,
        isUnproved: true,
        message:
          "Index changing: daybook_test of database. The nodes of the database did not have the same state. Try again.",
      })
      expect([yield* failed(other), yield* failed(unreachable)]).toEqual([other, unreachable])
    }),
  )

  it.effect("lock: locks the marks of a serial, and names a node without the last writes", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf()
      yield* Marks.lock(at, 5)
      const failed = (error: StoreError) => Effect.flip(Marks.lock(sessionOf(() => error).at, 5))
      const other = sent("DY001")

      expect(ran).toEqual([
        [chain.sql.oneConnection, []],
        [chain.sql.lockMarks, [Values.big(5)]],
      ])
      expect(yield* failed(sent("22012"))).toMatchObject({
        isRetryable: false,
        message:
          "Database node without the last writes: daybook_test of database. Restore the node, or drop the schema and index the chain again.",
      })
      expect([yield* failed(other), yield* failed(unreachable)]).toEqual([other, unreachable])
    }),
  )

  it.effect("move: states whether the write only added rows above the head", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf()
      yield* Marks.move(at, 6, "added")
      yield* Marks.move(at, 7, "changed")

      expect(ran).toEqual([
        [chain.sql.moveMarks, [Values.big(6), Values.bool(true)]],
        [chain.sql.moveMarks, [Values.big(7), Values.bool(false)]],
      ])
    }),
  )

  it.effect("distribute: changes nothing if the database has no Citus", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf()
      yield* Marks.distribute(at.session, "daybook_test")

      expect(ran).toEqual([[Marks.citus, []]])
    }),
  )

  it.effect("distribute: distributes the tables by their columns, and transactions over separate shards", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf((sql) => {
        if (sql === Marks.citus) return [[1]]
        if (sql.includes("pg_dist_shard")) return [["mark_102008"]]
        return sql.includes("shard_count'") ? [[3, 32]] : []
      })
      yield* Marks.distribute(at.session, "o'brien")
      const statements = ran.map(([sql]) => sql)

      expect(statements.filter((sql) => sql.includes("create_distributed_table"))).toEqual([
        `SELECT create_distributed_table('"o''brien".appearance', 'key', shard_count := 32, colocate_with := 'none') IS NULL`,
        `SELECT create_distributed_table('"o''brien".document', 'id', shard_count := 3, colocate_with := 'none') IS NULL`,
        `SELECT create_distributed_table('"o''brien".ledger', 'wallet', shard_count := 32, colocate_with := 'none') IS NULL`,
      ])
      expect(statements.filter((sql) => sql.includes("create_reference_table"))).toEqual([
        `SELECT create_reference_table('"o''brien".mark') IS NULL`,
      ])
      // The function compares the shard on its node, and is created after the mark.
      expect(statements.findIndex((sql) => sql.includes("mark_102008"))).toBe(6)
      expect(statements.slice(1, 4).map((sql) => sql.trim().slice(0, 12))).toEqual([
        "CREATE TABLE",
        "INSERT INTO ",
        "ALTER TABLE ",
      ])
    }),
  )
})
