/** Contract tests of projections. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import type { Projection } from "../../src/block/Projection.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { LedgerEntry, LedgerRows, PageQuery, PageRow, PageRows } from "../../src/store/ChainReader.ts"
import * as Model from "./model.ts"
import { blockOn, chainOn, refOf, wallets } from "./model.ts"
import { entriesOf, expectedEntries, expectedLedger, hashes, ledgerOf, ledgers, upperCase } from "./projections.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { all, bodiesOf, pageBodies } from "./TestDatabase.ts"
import * as TestStore from "./TestStore.ts"

/** Runs the suites of projections against an engine. */
export const projectionContract = (database: TestDatabase.Make, law: TestDatabase.Laws): void => {
  const opened = TestDatabase.opened(database)
  const openedWith = (projections: ReadonlyArray<Projection>) =>
    Effect.gen(function* () {
      const { store } = yield* opened
      const registered = [WalletTransactions.projection, ...projections]
      return { store: yield* TestStore.open(store.database, store.ref, { projections: registered }) }
    })

  describe("projections", () => {
    it.effect("fill: derives documents of another revision, oldest first, and leaves current ones unchanged", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const wallet = [wallets[0]!]
        const first = blockOn(null, { revision: 2, transactions: [wallet, wallet] })
        const second = blockOn(first, { revision: 1 })
        const third = blockOn(second, { revision: 3 })
        yield* store.append(null, [first, second, third])
        const page = store.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, all))
        const revisions = Effect.map(page, ({ rows }) => rows.map(({ revision }) => revision))

        expect(yield* store.fill(upperCase(3), 1)).toEqual({ transactions: 2, isDone: false })
        expect(yield* revisions).toEqual([3, 3, 1, 3])
        expect(yield* store.fill(upperCase(3), 1)).toEqual({ transactions: 1, isDone: false })
        expect(yield* store.fill(upperCase(3), 1)).toEqual({ transactions: 0, isDone: true })
        expect(yield* store.fill(upperCase(3), 1)).toEqual({ transactions: 0, isDone: true })

        expect(yield* revisions).toEqual([3, 3, 3, 3])
        const bodies = bodiesOf([first, second, third])
        expect(yield* pageBodies(store)).toEqual([...bodies.slice(0, 3).map((body) => body.toUpperCase()), bodies[3]])
      }),
    )

    it.effect("append: derives the rows of a registered projection in the block's transaction", () =>
      Effect.gen(function* () {
        const { store } = yield* openedWith([hashes(1)])
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)

        expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(blocks, wallets[0]!))
        const read = (id: string, expected?: string) =>
          store.snapshot((snapshot) => snapshot.projection(id), {
            expected: expected === undefined ? {} : { projection: expected },
          })
        expect(yield* read("hashes")).toEqual({ revision: 1, next: 13 })
        // Read with the checkpoint of the chain.
        expect(yield* read("hashes", "hashes")).toEqual({ revision: 1, next: 13 })
        expect([yield* read("none"), yield* read("none", "none"), yield* read("none", "hashes")]).toEqual([
          null,
          null,
          null,
        ])
      }),
    )

    it.effect("page: reads long texts of a projection only if the preceding bytes leave room", () =>
      Effect.gen(function* () {
        const { store } = yield* openedWith([hashes(1)])
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        const page = (maxBytes?: number) =>
          store.snapshot((snapshot) => snapshot.page(hashes(1), { ...all, key: wallets[0]!, maxBytes }))
        const whole = yield* page()
        const size = whole.rows[0]!.body.length

        expect(whole.rows.length).toBeGreaterThan(2)
        for (const count of [1, 2]) expect((yield* page(count * size)).rows).toEqual(whole.rows.slice(0, count))
      }),
    )

    it.effect(
      "activeWallets: returns the wallets with rows in a range of blocks, and nothing if a block is not stored",
      () =>
        Effect.gen(function* () {
          const { store } = yield* openedWith([ledgers(1)])
          const blocks = chainOn(null, 3)
          yield* store.append(null, blocks)
          const ofBlocks = (from: number, to: number) =>
            store.snapshot((snapshot) => snapshot.activeWallets(blocks[from]!.number, blocks[to]!.number))
          const all = yield* ofBlocks(0, 2)
          const last = yield* ofBlocks(2, 2)
          yield* store.unwind(refOf(blocks[2]!), refOf(blocks[1]!))
          const removed = yield* ofBlocks(1, 2)

          // Rows on several nodes may belong to several states.
          const isDistributed = (yield* store.snapshot((snapshot) => snapshot.nodes)) > 0
          const addressesOf = (some: ReadonlyArray<BlockRows>) =>
            isDistributed
              ? null
              : new Set(some.flatMap(({ transactions }) => transactions.flatMap(({ addresses }) => addresses)))
          expect(all).toEqual(addressesOf(blocks))
          expect(last).toEqual(addressesOf(blocks.slice(2)))
          expect(removed).toBe(null)
        }),
    )

    it.effect("append: accepts a prepared ledger, and unwind removes it with its block", () =>
      Effect.gen(function* () {
        const { store } = yield* openedWith([ledgers(1)])
        const blocks = chainOn(null, 3)
        const ahead = ledgers(1).ledger({ ...blocks[1]!, number: 99 })
        yield* store.append(null, [blocks[0]!, { ...blocks[1]!, ledger: ahead }])

        const [first, second] = yield* ledgerOf(store, wallets[0]!)
        expect([first, second]).toMatchObject([
          { block: 10, movements: [{ amount: 10_001n }] },
          { block: 11, movements: [{ amount: 99_001n }] },
        ])
        yield* store.unwind(refOf(blocks[1]!), refOf(blocks[0]!))
        expect(yield* ledgerOf(store, wallets[0]!)).toEqual([first])
        yield* store.append(refOf(blocks[0]!), blocks.slice(1))
        expect(yield* ledgerOf(store, wallets[0]!)).toEqual(expectedLedger(blocks, wallets[0]!))
      }),
    )

    it.effect(
      "ledger: walks the rows of a wallet in both orders, within any bounds, with at least one row if none fits",
      () =>
        Effect.gen(function* () {
          const { store } = yield* openedWith([ledgers(1)])
          const model = yield* TestDatabase.grown(store, 8, Model.seeded(5))
          const high = Model.headOf(model)!.number
          const wallet = wallets[1]!
          for (const [from, to] of [
            [0, high],
            [5, high - 2],
            [7, 7],
            [8, 6],
          ] as const) {
            const within = expectedLedger(model.blocks, wallet).filter(({ block }) => block >= from && block <= to)
            for (const [order, limit, maxBytes] of [
              ["ASC", 2],
              ["DESC", 2],
              ["ASC", 3, 1],
              ["DESC", 3, 1],
            ] as const) {
              const walked: Array<LedgerEntry> = []
              for (let hasMore = true; hasMore;) {
                const bounds = { limit, maxBytes }
                const query = { wallet, order, from, to, after: walked.at(-1) ?? null, ...bounds }
                const page: LedgerRows = yield* store.snapshot((snapshot) => snapshot.ledger(query))
                expect(page.rows.length).toBeLessThanOrEqual(maxBytes === undefined ? limit : 1)
                walked.push(...page.rows)
                hasMore = page.hasMore
              }
              expect(walked).toEqual(order === "ASC" ? within : within.toReversed())
            }
          }
        }),
    )

    it.effect("page, skip: a ledger has the transactions of its rows, each with the roles of the wallet", () =>
      Effect.gen(function* () {
        const ledger = ledgers(1)
        const { store } = yield* openedWith([ledger])
        const model = yield* TestDatabase.grown(store, 4, Model.seeded(5))
        const key = wallets[1]!
        const range = { key, from: 3, to: Model.headOf(model)!.number }
        for (const order of ["ASC", "DESC"] as const) {
          for (const internal of [true, false]) {
            const whole = Model.page(model, { ...all, ...range, order })
            const expected = whole.map((row) => ({ ...row, internal: internal ? row.internal : null, roles: 1 }))
            for (const [limit, maxBytes] of [[2], [3, 1], [whole.length], [whole.length + 1]] as const) {
              const walked: Array<PageRow> = []
              for (let hasMore = true; hasMore;) {
                const query = { ...range, order, internal, after: walked.at(-1) ?? null, limit, maxBytes }
                const page: PageRows = yield* store.snapshot((snapshot) => snapshot.page(ledger, query))
                expect(page.rows.length).toBeLessThanOrEqual(maxBytes ?? limit)
                walked.push(...page.rows)
                hasMore = page.hasMore
              }
              expect(walked).toEqual(expected)
            }
          }
          const positions = Model.page(model, { ...all, ...range, order }).map(({ block, index }) => ({ block, index }))
          const skipped = yield* store.snapshot((snapshot) =>
            Effect.forEach([...positions.keys(), positions.length], (rows) =>
              snapshot.skip(ledger, { ...range, order, after: null, rows: rows + 1 }),
            ),
          )
          expect(skipped).toEqual([...positions, null])
        }
      }),
    )

    it.effect("page: reports a ledger row whose transaction is not stored as damaged", () =>
      Effect.gen(function* () {
        const ledger = ledgers(1)
        const { store } = yield* openedWith([ledger])
        const block = blockOn(null, { transactions: [[wallets[0]!]] })
        const transactions = block.transactions.map((one) => ({ ...one, index: 7 }))
        yield* store.append(null, [{ ...block, ledger: ledger.ledger({ ...block, transactions }) }])
        const error = yield* Effect.flip(store.snapshot((snapshot) => snapshot.page(ledger, all)))

        expect(error.damagedBlock).toBe(block.number)
      }),
    )

    it.effect("prepend: derives the rows of a registered projection, and restarts any other", () =>
      Effect.gen(function* () {
        const { store } = yield* openedWith([hashes(1), ledgers(1)])
        const blocks = chainOn(null, 6)
        yield* store.append(null, blocks.slice(4))
        yield* store.fill(upperCase(1), 100)
        const next = (id: string) =>
          Effect.map(
            store.snapshot((snapshot) => snapshot.projection(id)),
            (found) => found?.next,
          )

        yield* store.prepend(refOf(blocks[4]!), blocks.slice(0, 4))

        expect(yield* ledgerOf(store, wallets[0]!)).toEqual(expectedLedger(blocks, wallets[0]!))
        expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(blocks, wallets[0]!))
        expect([yield* next("hashes"), yield* next(upperCase(1).id)]).toEqual([16, 10])
        while (!(yield* store.fill(hashes(2), 2)).isDone) yield* Effect.yieldNow
        expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(blocks, wallets[0]!, 2))
      }),
    )

    it.effect("fill: derives a new projection, and a revised one again, from stored blocks", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const blocks = chainOn(null, 5)
        yield* store.append(null, blocks)
        expect(yield* entriesOf(store, wallets[0]!)).toEqual([])

        for (const revision of [1, 2]) {
          while (!(yield* store.fill(hashes(revision), 2)).isDone) yield* Effect.yieldNow
          expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(blocks, wallets[0]!, revision))
        }
      }),
    )

    it.effect.prop(
      "fill: a projection filled while the head moves equals one that was built from the start",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { open, store } = yield* opened
          const other = yield* open
          const numbers = Model.seeded(seed)
          const model = Model.empty()
          for (let step = 0; step < 30; step++) {
            const head = Model.headOf(model)
            const action = numbers.below(7)
            const [first] = model.blocks
            if (action === 6 && first !== undefined) {
              const blocks = Model.generateBelow(first, step, numbers)
              yield* numbers.pick([store, other]).prepend(refOf(first), blocks)
              Model.prepend(model, blocks)
              // Until the projection exists, blocks are only appended.
            } else if (action < 3 || step < 5) {
              const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
              yield* numbers.pick([store, other]).append(head, blocks)
              Model.append(model, blocks)
            } else if (action === 3 && head !== null) {
              const to = numbers.below(8) === 0 ? null : refOf(numbers.pick(model.blocks))
              yield* store.unwind(head, to)
              Model.unwind(model, to)
            } else {
              const projection = numbers.pick([hashes, ledgers])(step < 20 ? 1 : 2)
              yield* numbers.pick([store, other]).fill(projection, 1 + numbers.below(4))
            }
          }
          for (const projection of [hashes(2), ledgers(2)]) {
            while (!(yield* store.fill(projection, 3)).isDone) yield* Effect.yieldNow
          }
          for (const wallet of wallets) {
            for (const order of ["ASC", "DESC"] as const) {
              const ledger = expectedLedger(model.blocks, wallet, 2)
              expect(yield* ledgerOf(store, wallet, order)).toEqual(order === "ASC" ? ledger : ledger.toReversed())
              const rows = yield* entriesOf(store, wallet, order)
              const expected = expectedEntries(model.blocks, wallet, 2)
              expect(rows).toEqual(order === "ASC" ? expected : expected.toReversed())
            }
          }
        }).pipe(Effect.scoped),
      law(30),
    )

    it.effect(
      "page: walks the entries of a key in both orders, within any bounds, with at least one row if none fits",
      () =>
        Effect.gen(function* () {
          const { store } = yield* openedWith([hashes(1)])
          const model = yield* TestDatabase.grown(store, 8, Model.seeded(4))
          const high = Model.headOf(model)!.number
          for (const order of ["ASC", "DESC"] as const) {
            for (const [from, to] of [
              [0, high],
              [0, Number.MAX_SAFE_INTEGER - 1],
              [5, high - 2],
              [7, 7],
              [8, 6],
            ] as const) {
              const within = expectedEntries(model.blocks, wallets[1]!).filter(
                ({ block }) => block >= from && block <= to,
              )
              const expected = order === "ASC" ? within : within.toReversed()
              for (const limit of [1, 2, 5]) {
                const walked: Array<PageRow> = []
                for (let after: PageRow | null = null; ;) {
                  const query: PageQuery = { key: wallets[1]!, order, from, to, after, limit }
                  const { hasMore, rows }: PageRows = yield* store.snapshot((snapshot) =>
                    snapshot.page(hashes(1), query),
                  )
                  walked.push(...rows)
                  if (!hasMore) break
                  after = rows.at(-1)!
                }
                expect(walked).toEqual(expected)
              }
            }
          }
        }),
    )
  })
}
