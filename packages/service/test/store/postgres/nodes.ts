/**
 * Tests of a chain whose tables are distributed over nodes, simulated on one server: when a node has another state than the snapshot,
 * the checkpoint or the mark belongs to an earlier write.
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { Database } from "../../../src/store/Database.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as DistributedStatements from "../../../src/store/postgres/DistributedStatements.ts"
import { chainOn, refOf, wallets } from "../model.ts"
import { pagesOf } from "../pages.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

const blocks = chainOn(null, 6)
const schema = "daybook_test"

/** Registers the tests of distributed chains on a server. */
export const nodes = (server: () => string): void => {
  const make = Effect.gen(function* () {
    const { rows, url } = yield* Effect.tap(TestServer.database(server()), TestServer.distribute)
    const run = (...statements: ReadonlyArray<string>) =>
      Effect.forEach([...statements], (sql) => rows(sql), { discard: true })
    const database = yield* TestServer.connect(url)
    const store = yield* TestStore.open(database, ref)
    yield* store.append(null, blocks.slice(0, 4))
    return { database, store, run, rows }
  })

  /** Numbers of the blocks of a page, newest first. */
  const numbers = (database: Database) =>
    Effect.map(pagesOf(database)({ limit: 10 }), ({ rows }) => rows.map(({ block }) => block))

  const keep = (table: string) => [
    `DROP TABLE IF EXISTS public.kept_${table}`,
    `CREATE TABLE public.kept_${table} AS SELECT * FROM ${schema}.${table}`,
  ]
  const putBack = (table: string) => [
    `DELETE FROM ${schema}.${table}`,
    `INSERT INTO ${schema}.${table} SELECT * FROM public.kept_${table}`,
  ]

  describe("nodes", () => {
    it.live("append and unwind: move the mark of the nodes with the serial of the head", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* make
        const mark = Effect.map(
          rows(`SELECT m.serial = c.serial AS all, m.since = c.serial AS since
          FROM ${schema}.mark m, ${schema}.checkpoint c`),
          ([row]) => row,
        )
        const appended = yield* mark
        yield* store.unwind(refOf(blocks[3]!), refOf(blocks[1]!))
        const unwound = yield* mark
        yield* store.append(refOf(blocks[1]!), blocks.slice(2, 5))

        expect([appended, unwound, yield* mark]).toEqual([
          { all: true, since: false },
          { all: true, since: true },
          { all: true, since: false },
        ])
      }),
    )

    it.live("page: omits the rows above its head from a node that is ahead", () =>
      Effect.gen(function* () {
        const { database, run, store } = yield* make
        const expected = yield* numbers(database)
        yield* run(...keep("checkpoint"))
        yield* store.append(refOf(blocks[3]!), blocks.slice(4))
        const newest = yield* numbers(database)
        yield* run(...putBack("checkpoint"))
        const page = yield* store.snapshot((snapshot) =>
          snapshot.page(WalletTransactions.projection, {
            key: wallets[0]!,
            from: 0,
            to: blocks[5]!.number,
            order: "DESC",
            after: null,
            limit: 10,
          }),
        )

        expect(newest.length).toBeGreaterThan(expected.length)
        expect(page.rows.map(({ block }) => block)).toEqual(expected)
        expect(yield* numbers(database)).toEqual(expected)
      }),
    )

    it.live("page: is rejected while a node has removed rows of its head", () =>
      Effect.gen(function* () {
        const { database, run, store } = yield* make
        yield* run(...keep("checkpoint"))
        yield* store.unwind(refOf(blocks[3]!), refOf(blocks[1]!))
        yield* run(...putBack("checkpoint"))

        expect(yield* Effect.flip(numbers(database))).toMatchObject({ isRetryable: true, isUnproved: true })
      }),
    )

    it.live("page: is empty for a wallet without transactions, and rejected while its node lacks the last writes", () =>
      Effect.gen(function* () {
        const { run, store } = yield* make
        const unknown = store.snapshot((snapshot) =>
          snapshot.page(WalletTransactions.projection, {
            key: `0x${"ff".repeat(20)}`,
            from: 0,
            to: blocks[5]!.number,
            order: "DESC",
            after: null,
            limit: 10,
          }),
        )
        yield* run(...keep("mark"))
        yield* store.append(refOf(blocks[3]!), [blocks[4]!])
        const { rows } = yield* unknown
        yield* run(...putBack("mark"))

        expect(rows).toEqual([])
        expect(yield* Effect.flip(unknown)).toMatchObject({ isRetryable: true, isUnproved: true })
      }),
    )

    it.live("page: is rejected while a node lacks the last writes, and so is a write", () =>
      Effect.gen(function* () {
        const { database, run, store } = yield* make
        yield* run(...keep("mark"))
        yield* store.append(refOf(blocks[3]!), [blocks[4]!])
        yield* run(...putBack("mark"))
        const refused = yield* Effect.flip(store.append(refOf(blocks[4]!), [blocks[5]!]))

        expect(yield* Effect.flip(numbers(database))).toMatchObject({ isRetryable: true, isUnproved: true })
        expect(refused).toMatchObject({
          _tag: "StoreError",
          isRetryable: false,
          message: expect.stringMatching(/^Database node without the last writes: daybook_test of /),
        })
      }),
    )

    it.live("statements: each statement on rows of the nodes is rejected while they have another state", () =>
      Effect.gen(function* () {
        const { rows } = yield* make
        const [head] = yield* rows(`SELECT serial FROM ${schema}.checkpoint`)
        yield* rows("SET plan_cache_mode = force_generic_plan")
        /** Outcome of a statement with a serial, for parameters that match no row. */
        const outcome = Effect.fnUntraced(function* ([name, sql]: readonly [string, string], serial: string) {
          const count = Math.max(...Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number)))
          const values = [...Array.from({ length: count - 1 }, () => "NULL"), serial]
          const execute = rows(`EXECUTE one (${values.join(", ")})`)
          yield* rows(`PREPARE one AS ${sql}`)
          const ended = yield* Effect.exit(execute)
          yield* rows("DEALLOCATE one")
          if (Exit.isSuccess(ended)) return `${name}: ${ended.value.length} rows`
          return `${name}: ${/The node has another state/.test(Cause.pretty(ended.cause)) ? "refused" : Cause.pretty(ended.cause)}`
        })
        const { proved, sql } = DistributedStatements.make(schema)
        const statements = Object.entries(sql).filter(([, statement]) => proved.has(statement))
        const names = statements.map(([name]) => name)
        const outcomes = (serial: string) => Effect.forEach(statements, (statement) => outcome(statement, serial))

        expect(names).toHaveLength(18)
        expect(yield* outcomes("9223372036854775807")).toEqual(names.map((name) => `${name}: refused`))
        expect(yield* outcomes(String(Object.values(head!)[0]))).toEqual(names.map((name) => `${name}: 0 rows`))
      }),
    )

    it("statements: unproved ones on rows of the nodes belong to writes, verification and single servers", () => {
      const { proved, sql } = DistributedStatements.make("chain")
      const reads = Object.entries(sql).filter(([, statement]) => {
        const from = /\b(FROM|JOIN) chain\.(document|appearance|ledger)\b/.test(statement)
        return from && !statement.startsWith("DELETE") && !proved.has(statement)
      })

      expect(reads.map(([name]) => name).toSorted()).toEqual([
        "appearancesAfter",
        "documents",
        "findAppearances",
        "ledgerAfter",
        "snapshotWithPageDown",
        "snapshotWithPageUp",
      ])
    })
  })
}
