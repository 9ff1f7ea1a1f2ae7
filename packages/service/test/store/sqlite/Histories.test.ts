/** Entries of histories, including those that a damaged file lost or gained in one of their two copies. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Verify from "../../../src/maintenance/Verify.ts"
import { projection } from "../../../src/projection/WalletTransactions.ts"
import * as Histories from "../../../src/store/sqlite/Histories.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"
import * as WalletKey from "../../../src/store/rows/WalletKey.ts"
import { damage } from "../../maintenance/damage.ts"
import { chainOn, wallets } from "../model.ts"
import { all, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

const [wallet = "", other = "", third = ""] = wallets
const id = RowId.make(11, 0)
const entry = (address: string, rowId: number) =>
  `(x'${Buffer.from(WalletKey.fromAddress(address)).toString("hex")}', ${rowId})`

/** A store of blocks 10 to 12 with a transaction of the wallet each, damaged by statements. */
const damaged = Effect.fnUntraced(function* (...statements: ReadonlyArray<string>) {
  const folder = yield* temporaryFolder
  yield* Effect.scoped(Effect.flatMap(TestStore.inFolder(folder, ref), (store) => store.append(null, chainOn(null, 3))))
  damage(join(folder, "chain-test.sqlite"), ...statements)
  return yield* TestStore.inFolder(folder, ref)
})

const failureOf = (store: TestStore.TestStore, order: "ASC" | "DESC") =>
  store.snapshot((snapshot) => snapshot.page(projection, { ...all, order })).pipe(Effect.flip)

describe("Histories", () => {
  it("entriesOf: returns an entry per address, and leaves duplicates to the tables, which reject them", () => {
    const keys = [wallet, other].map((address) => WalletKey.fromAddress(address))

    expect(Histories.entriesOf(id, [wallet, other])).toEqual(keys.map((key) => [key, id]))
    expect(Histories.entriesOf(id, [wallet, wallet])).toHaveLength(2)
    expect(Histories.entriesOf(id, [])).toEqual([])
  })

  it.effect.each([
    ["lost", `DELETE FROM history_copy WHERE id = ${id}`],
    ["gained", `INSERT INTO history_copy (key, id) VALUES ${entry(wallet, RowId.make(11, 1))}`],
  ])("page: fails if one copy has %s an entry", ([, statement]) =>
    Effect.gen(function* () {
      const store = yield* damaged(statement)
      const failure = yield* failureOf(store, "ASC")

      expect(failure).toMatchObject({ damagedBlock: 11, isRetryable: false })
      expect(failure.message).toContain("the history of a wallet differs from its copy")
      expect((yield* failureOf(store, "DESC")).message).toContain("differs from its copy")
    }),
  )

  it.effect.each([
    ["lost by the copy", `DELETE FROM history_copy WHERE id = ${id}`, 11],
    ["lost by the history", `DELETE FROM history WHERE id = ${id}`, 11],
    ["lost by the copy at the end of a page", `DELETE FROM history_copy WHERE id = ${RowId.make(10, 0)}`, 10],
    ["lost by the copy at the begin of a page", `DELETE FROM history_copy WHERE id = ${RowId.make(12, 0)}`, 12],
  ])("page: names the block of an entry that was %s, in either order", ([, statement, block]) =>
    Effect.gen(function* () {
      const store = yield* damaged(statement)

      expect(yield* failureOf(store, "ASC")).toMatchObject({ damagedBlock: block })
      expect(yield* failureOf(store, "DESC")).toMatchObject({ damagedBlock: block })
    }),
  )

  it.effect("page: fails for an entry whose transaction is not stored", () =>
    Effect.gen(function* () {
      const store = yield* damaged(`DELETE FROM document WHERE id = ${id}`)
      const failure = yield* failureOf(store, "ASC")

      expect(failure).toMatchObject({ damagedBlock: 11 })
      expect(failure.message).toContain("a transaction of a history is not stored")
    }),
  )

  it.effect.each(["ASC", "DESC"] as const)("transactions: fails for a block that lacks one, %s", (order) =>
    Effect.gen(function* () {
      const store = yield* damaged(`DELETE FROM document WHERE id = ${id}`)
      const read = (limit: number, from = 0, to = 99) =>
        store.snapshot((snapshot) => snapshot.transactions({ from, to, order, after: null, limit }))

      expect(yield* Effect.flip(read(9))).toMatchObject({ damagedBlock: 11, isRetryable: false })
      expect(yield* Effect.flip(read(1))).toMatchObject({ damagedBlock: 11 })
      expect((yield* read(9, 12)).rows).toHaveLength(1)
    }),
  )

  it.effect("page: fails for an entry of a wallet that its transaction does not name", () =>
    Effect.gen(function* () {
      const tables = ["history", "history_copy"]
      const store = yield* damaged(
        ...tables.map((table) => `INSERT INTO ${table} (key, id) VALUES ${entry(other, id)}`),
      )
      const failure = yield* store
        .snapshot((snapshot) => snapshot.page(projection, { ...all, key: other }))
        .pipe(Effect.flip)

      expect(failure).toMatchObject({ damagedBlock: 11 })
      expect(failure.message).toContain("a history has a transaction of another wallet")
    }),
  )

  it.effect("afterUnsafe: reports an orphaned entry of both copies once, and also one of a single copy", () =>
    Effect.gen(function* () {
      const insert = (table: string, address: string) => `INSERT INTO ${table} (key, id) VALUES ${entry(address, id)}`
      const store = yield* damaged(
        insert("history", other),
        insert("history_copy", other),
        insert("history_copy", third),
      )
      const { orphaned } = yield* Verify.run(store.database.chain(ref).audit)

      const hexOf = (address: string) => `0x${Buffer.from(WalletKey.fromAddress(address)).toString("hex")}`
      expect(orphaned.map(({ key, table }) => `${table} ${key}`).toSorted()).toEqual([
        `history ${hexOf(other)}`,
        `history_copy ${hexOf(third)}`,
      ])
    }),
  )
})
