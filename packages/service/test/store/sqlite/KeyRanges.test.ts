/** Histories and ledgers in ranges of blocks: equal to a model whatever is merged, and complete after damage. */
import * as Runs from "@daybook/harness/Runs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Verify from "../../../src/maintenance/Verify.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as Formats from "../../../src/store/rows/KeyRanges.ts"
import { damage } from "../../maintenance/damage.ts"
import * as Model from "../model.ts"
import { chainOn, refOf, wallets } from "../model.ts"
import { expectedLedger, ledgerOf, ledgers } from "../projections.ts"
import { all, bodiesOf, laws, pageBodies, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"
import { ranBy } from "./statements.ts"

const rangeEntries = 4
const projections = [WalletTransactions.projection, ledgers(1)]
const wallet = wallets[0]!

/**
 * A file of blocks with a transaction of one wallet each, appended one by one in ranges of four entries, and its stored
 * ranges.
 */
const stored = Effect.fnUntraced(function* (length: number) {
  const folder = yield* temporaryFolder
  const file = join(folder, "chain-test.sqlite")
  const blocks = chainOn(null, length)
  const open = Effect.gen(function* () {
    return yield* TestStore.open(yield* Engine.fromUrl(`sqlite:${folder}`, "/", { rangeEntries }), ref, { projections })
  })
  const append = Effect.gen(function* () {
    const store = yield* open
    for (const [at, block] of blocks.entries()) yield* store.append(at === 0 ? null : refOf(blocks[at - 1]!), [block])
  })
  yield* Effect.scoped(append)
  const read = (sql: string) => {
    const database = new DatabaseSync(file)
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
  const ranges = () => Formats.parse(String(read("SELECT ranges FROM key_range")[0]!["ranges"]))!
  return { blocks, file, open, ranges, read }
})

/** A store's answers about a wallet, in both orders and for a part of the blocks, equal the model's. */
const expectWallet = Effect.fnUntraced(function* (store: TestStore.TestStore, model: Model.Model, address: string) {
  const ledger = expectedLedger(model.blocks, address)
  for (const order of ["ASC", "DESC"] as const) {
    const inOrder = <A>(list: ReadonlyArray<A>) => (order === "ASC" ? list : list.toReversed())
    expect(yield* ledgerOf(store, address, order)).toEqual(inOrder(ledger))
    for (const [from, to, limit] of [
      [0, 1_000_000, 1000],
      [model.blocks[0]?.number ?? 0, model.blocks.at(-2)?.number ?? 0, 3],
    ] as const) {
      const query = { ...all, key: address, order, from, to, limit }
      const rows = Model.page(model, query)
      const kept = yield* store.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, query))
      expect(kept.rows).toEqual(rows)
    }
    const rows = inOrder(Model.rowsOf(model, address))
    const behind = Math.ceil(rows.length / 2)
    const skipped = { key: address, from: 0, to: 1_000_000, order, after: null, rows: behind }
    const found = yield* store.snapshot((snapshot) =>
      snapshot.skip({ ...WalletTransactions.projection, kind: "appearances" }, skipped),
    )
    const row = rows[behind - 1]
    if (behind > 0) expect(found).toEqual({ block: row!.block, index: row!.index })
  }
})

/**
 * Blocks with a transaction that a history lacks, and orphaned entries. The generated documents belong to no chain,
 * which a verification finds first.
 */
const verified = Effect.fnUntraced(function* (store: TestStore.TestStore) {
  const { audit } = store.database.chain(ref)
  const { blocks } = yield* audit.range(0, 1_000)
  const lacking = blocks.filter((block) => block.transactions.some((row) => row.missingAppearances.length > 0))
  const { orphaned } = yield* Verify.run(audit)
  return { lacking: lacking.map(({ number }) => number), orphaned }
})

const nothing = { lacking: [], orphaned: [] }

describe("KeyRanges", () => {
  it.effect.prop(
    "append, prepend, unwind, replace: pages and ledgers equal those of a model, whatever is being merged",
    [Model.seed],
    ([seed]) =>
      Effect.gen(function* () {
        const numbers = Model.seeded(seed)
        const database = yield* Engine.fromUrl(`sqlite:${yield* temporaryFolder}`, "/", { rangeEntries })
        const store = yield* TestStore.open(database, ref, { projections })
        const writer = yield* database.chain(ref).writer({ projections })
        const model = Model.empty()
        for (let step = 0; step < 90; step++) {
          const head = Model.headOf(model)
          const [first] = model.blocks
          const action = numbers.below(12)
          if (action === 0 && head !== null) {
            const kept =
              numbers.below(6) === 0 ? numbers.below(model.blocks.length) : Math.max(0, model.blocks.length - 3)
            const to = kept === 0 ? null : refOf(model.blocks[kept - 1]!)
            yield* store.unwind(head, to)
            Model.unwind(model, to)
          } else if (action === 1 && first !== undefined) {
            const blocks = Model.generateBelow(first, step, numbers)
            yield* store.prepend(refOf(first), blocks)
            Model.prepend(model, blocks)
          } else if (action < 4 && first !== undefined) {
            const at = numbers.below(model.blocks.length)
            const block = model.blocks[at]!
            const addresses = () => wallets.filter(() => numbers.below(2) === 0)
            const transactions = block.transactions.map((row) => ({ ...row, addresses: addresses() }))
            const token = yield* database.leases.acquire(ref, "test store", 0)
            expect(yield* writer.replace({ ...block, transactions }, token!)).toBe(true)
            model.blocks = model.blocks.with(at, { ...block, transactions })
          } else {
            const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
            yield* store.append(head, blocks)
            Model.append(model, blocks)
          }
          if (step % 6 === 0) yield* expectWallet(store, model, numbers.pick(wallets))
        }
        for (const address of wallets) yield* expectWallet(store, model, address)
        expect(yield* verified(store)).toEqual(nothing)
      }).pipe(Effect.scoped),
    laws(Runs.usualPart)(6),
  )

  it.effect("append: merges eight ranges in steps, so that a store has few of them", () =>
    Effect.gen(function* () {
      const { blocks, open, ranges, read } = yield* stored(200)
      const store = yield* open

      expect(ranges().length).toBeLessThan(24)
      expect(Math.max(...ranges().map(({ entries }) => entries))).toBeGreaterThanOrEqual(64 * rangeEntries)
      const numbers = Formats.numbersOf(ranges())
      for (const table of ["history", "history_copy", "ledger"]) {
        const used = read(`SELECT DISTINCT range FROM ${table}`).map(({ range }) => Number(range))
        expect(used.filter((range) => !numbers.includes(range))).toEqual([])
      }
      expect(yield* pageBodies(store)).toEqual(bodiesOf(blocks))
      expect(yield* ledgerOf(store, wallet)).toEqual(expectedLedger(blocks, wallet))
    }),
  )

  it.effect("page: searches only the first range, then eight at once, and no others if these fill it", () =>
    Effect.gen(function* () {
      const { blocks, open, ranges } = yield* stored(60)
      const store = yield* open
      const searched = Effect.fnUntraced(function* (key: string, limit: number) {
        const query = { ...all, key, limit, order: "DESC" } as const
        const read = store.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, query))
        const [{ rows }, statements] = yield* ranBy(read)
        const parts = statements.map((sql) => sql.split("FROM history_copy").length - 1).filter((count) => count > 0)
        return { bodies: rows.map(({ body }) => body), parts }
      })
      const newest = bodiesOf(blocks).toReversed()

      expect(Formats.partsOf(ranges(), 0, Number.MAX_SAFE_INTEGER)).toHaveLength(9)
      expect(yield* searched(wallet, 0)).toEqual({ bodies: [], parts: [1] })
      expect(yield* searched(wallet, 3)).toEqual({ bodies: newest.slice(0, 3), parts: [1, 8] })
      expect(yield* searched(wallet, 50)).toEqual({ bodies: newest.slice(0, 50), parts: [1, 8] })
      expect(yield* searched(wallets[1]!, 3)).toEqual({ bodies: [], parts: [1, 8] })
    }),
  )

  it.effect.each([
    ["damaged", "UPDATE key_range SET ranges = replace(ranges, ',', ', ')"],
    ["missing", "DELETE FROM key_range"],
  ] as const)("read: rejects pages if the row of the ranges is %s, until a writer recreates it", ([, statement]) =>
    Effect.gen(function* () {
      const { blocks, file, open, ranges } = yield* stored(60)
      damage(file, statement)
      const database = yield* Engine.fromUrl(`sqlite:${join(file, "..")}`, "/")
      const query = { ...all, key: wallet }
      const page = database
        .chain(ref)
        .reader.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, query))
      const failure = yield* Effect.flip(page)

      expect(failure.message).toBe(
        "Stored ranges of histories damaged: chain-test.sqlite. Start the indexer, which creates them again.",
      )
      const store = yield* open
      expect(ranges()).toEqual([{ range: 0, first: 0, entries: 120, into: null }])
      expect(yield* pageBodies(store)).toEqual(bodiesOf(blocks))
      expect(yield* ledgerOf(store, wallet)).toEqual(expectedLedger(blocks, wallet))
      expect(yield* verified(store)).toEqual(nothing)
    }),
  )

  it.effect("verify: finds an entry in the wrong range, in either copy, and repair removes it", () =>
    Effect.gen(function* () {
      const { blocks, file, open } = yield* stored(30)
      const id = `${blocks[3]!.number} * 1048576`
      damage(
        file,
        `UPDATE history_copy SET range = range + 9 WHERE id = ${id}`,
        `INSERT INTO ledger SELECT wallet, id, body, checksum, range + 9 FROM ledger WHERE id = ${id}`,
      )
      const store = yield* open
      const page = store.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, { ...all, key: wallet }))
      const { audit } = store.database.chain(ref)
      const { lacking, orphaned } = yield* verified(store)

      expect(yield* Effect.flip(page)).toMatchObject({ damagedBlock: blocks[3]!.number })
      expect(yield* ledgerOf(store, wallet)).toEqual(expectedLedger(blocks, wallet))
      expect(lacking).toEqual([blocks[3]!.number])
      expect(orphaned.map(({ block, table }) => [table, block])).toEqual([
        ["history_copy", blocks[3]!.number],
        ["ledger", blocks[3]!.number],
      ])
      const repairer = yield* audit.repairer
      yield* repairer.removeOrphaned(orphaned)
      expect(yield* repairer.replace(blocks[3]!)).toBe(true)
      expect((yield* page).rows.map(({ body }) => body)).toEqual(bodiesOf(blocks))
      expect(yield* verified(store)).toEqual(nothing)
    }),
  )
})
