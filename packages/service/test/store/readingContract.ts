/** Contract tests of reading: pages, snapshots, dates and changes. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { BlockRef, BlockRows } from "../../src/block/BlockRows.ts"
import { projection } from "../../src/projection/WalletTransactions.ts"
import * as Movement from "../../src/ledger/Movement.ts"
import type { PageQuery, PageRow, PageRows, Position } from "../../src/store/ChainReader.ts"
import * as PageFit from "../../src/store/rows/PageFit.ts"
import * as Model from "./model.ts"
import { blockOn, chainOn, refOf, wallets } from "./model.ts"
import { sameKey } from "./sameKey.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { all, bodiesOf, pageBodies } from "./TestDatabase.ts"

/** Limits around every size of a walk; a limit of one row only for the whole range, which then has the most pages. */
const limitsOf = (rows: number, isWhole: boolean): ReadonlyArray<number> =>
  [...new Set([isWhole ? 1 : 2, 3, 7, rows - 1, rows, rows + 1])].filter((limit) => limit > 0 && limit <= rows + 1)

/** Runs the suites of reading against an engine. */
export const readingContract = (database: TestDatabase.Make, law: TestDatabase.Laws, hasSnapshots: boolean): void => {
  const opened = TestDatabase.opened(database)

  describe("page", () => {
    it.effect(
      "page: of a wallet whose key a busy wallet has reads few rows at once, and its pages have all of its rows",
      () =>
        Effect.gen(function* () {
          const { store } = yield* opened
          const [own, busy] = sameKey
          const others = Array.from({ length: PageFit.maxOthers }, () => [busy])
          const numbers = [[own], ...others, [own, busy], ...others, ...others, [own]]
          const block = blockOn(null, { transactions: numbers })
          yield* store.append(null, [block])
          const expected = block.transactions
            .filter(({ addresses }) => addresses.includes(own))
            .map(({ index }) => index)

          for (const order of ["ASC", "DESC"] as const) {
            for (const limit of [1, 2, 100]) {
              const pages: Array<ReadonlyArray<number>> = []
              for (let after: Position | null = null; ;) {
                const query = { ...all, key: own, order, after, limit }
                const page: PageRows = yield* store.snapshot((snapshot) => snapshot.page(projection, query))
                pages.push(page.rows.map(({ index }) => index))
                if (!page.hasMore) break
                after = page.searched ?? page.rows.at(-1)!
              }
              expect(pages.flat()).toEqual(order === "ASC" ? expected : expected.toReversed())
              // Each page reads the rows of the busy wallet up to the bound.
              expect(pages.length).toBeGreaterThan(3)
            }
          }
          const ofBusy = yield* pageBodies(store, { ...all, key: busy, limit: 5 })
          expect(ofBusy).toEqual(block.transactions.slice(1, 6).map(({ body }) => body))
        }).pipe(Effect.scoped),
    )

    it.effect("page: walks every wallet in both orders, with small and large limits and within any bounds", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const model = yield* TestDatabase.grown(store, 8, Model.seeded(3))
        const high = Model.headOf(model)!.number
        let walks = 0
        for (const address of wallets) {
          for (const order of ["ASC", "DESC"] as const) {
            for (const [from, to] of [
              [0, high],
              [0, high + 5],
              [5, high - 2],
              [7, 7],
              [8, 6],
            ] as const) {
              const expected = Model.page(model, { ...all, key: address, order, from, to })
              for (const limit of limitsOf(expected.length, to === high && from === 0)) {
                const rows = yield* store.snapshot(
                  Effect.fn(function* (snapshot) {
                    const walked = []
                    for (let after: PageQuery["after"] = null; ;) {
                      const part: PageRows = yield* snapshot.page(projection, {
                        key: address,
                        order,
                        from,
                        to,
                        after,
                        limit,
                      })
                      walked.push(...part.rows)
                      if (!part.hasMore) return walked
                      after = part.rows.at(-1)!
                    }
                  }),
                )
                expect(rows).toEqual(expected)
                walks++
              }
            }
          }
        }
        expect(walks).toBeGreaterThan(100)
      }),
    )

    it.effect("skip: returns the position of the last of any number of rows, as a walk over the page does", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const model = yield* TestDatabase.grown(store, 5, Model.seeded(5))
        const high = Model.headOf(model)!.number
        let skipped = 0
        for (const key of wallets) {
          for (const order of ["ASC", "DESC"] as const) {
            const range = { key, order, from: 3, to: high - 1 }
            const whole = Model.page(model, { ...all, ...range })
            const found = yield* store.snapshot((snapshot) =>
              Effect.forEach([...whole.keys(), whole.length], (rows) =>
                snapshot.skip({ kind: "appearances" }, { ...range, after: null, rows: rows + 1 }),
              ),
            )
            const after = yield* store.snapshot((snapshot) =>
              snapshot.skip({ kind: "appearances" }, { ...range, after: whole[0] ?? null, rows: 1 }),
            )
            const positions = whole.map(({ block, index }) => ({ block, index }))
            expect(found).toEqual([...positions, null])
            expect(after).toEqual(positions[1] ?? null)
            skipped += whole.length
          }
        }
        expect(skipped).toBeGreaterThan(20)
      }),
    )

    it.effect("page: begins after a position without a row, or outside the bounds", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const model = Model.empty()
        Model.append(model, chainOn(null, 9))
        yield* store.append(null, model.blocks)
        for (const order of ["ASC", "DESC"] as const) {
          for (const block of [0, 11, 12, 14, 16, 17, 99]) {
            for (const index of [0, 3]) {
              const query = { ...all, order, from: 12, to: 16, after: { block, index } }
              const { rows } = yield* store.snapshot((snapshot) => snapshot.page(projection, query))
              expect(rows).toEqual(Model.page(model, query))
            }
          }
        }
      }),
    )

    it.effect(
      "page: reads rows until their bytes reach the limit, at least one, and every row once over all pages",
      () =>
        Effect.gen(function* () {
          const { store } = yield* opened
          yield* TestDatabase.grown(store, 6, Model.seeded(5))
          const bytesOf = ({ body, internal: text }: PageRow) => Buffer.byteLength(body) + Buffer.byteLength(text ?? "")
          for (const order of ["ASC", "DESC"] as const) {
            for (const internal of [true, false]) {
              const base = { ...all, order, internal }
              const { rows: expected } = yield* store.snapshot((snapshot) => snapshot.page(projection, base))
              for (const [limit, maxBytes] of [
                [1, 1],
                [100, 1],
                [3, 400],
                [100, 700],
                [2, 10_000],
                [100, 1_000_000],
              ] as const) {
                const walked: Array<PageRow> = []
                for (let after: PageQuery["after"] = null; ;) {
                  const { hasMore, rows }: PageRows = yield* store.snapshot((snapshot) =>
                    snapshot.page(projection, { ...base, after, limit, maxBytes }),
                  )
                  expect(rows.length).toBeGreaterThan(0)
                  expect(rows.length).toBeLessThanOrEqual(limit)
                  const total = rows.map(bytesOf).reduce((sum, bytes) => sum + bytes, 0)
                  if (rows.length > 1) expect(total).toBeLessThanOrEqual(maxBytes)
                  walked.push(...rows)
                  if (!hasMore) break
                  const next = expected[walked.length]!
                  if (rows.length < limit) expect(total + bytesOf(next)).toBeGreaterThan(maxBytes)
                  after = rows.at(-1)!
                }
                expect(walked).toEqual(expected)
              }
            }
          }
        }),
    )

    it.effect("page: omits internal transactions if they are not requested", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const model = Model.empty()
        Model.append(model, [blockOn(null, { transactions: [[wallets[0]!], [wallets[0]!]] })])
        yield* store.append(null, model.blocks)

        for (const order of ["ASC", "DESC"] as const) {
          const whole = yield* store.snapshot((snapshot) => snapshot.page(projection, { ...all, order }))
          const bare = yield* store.snapshot((snapshot) =>
            snapshot.page(projection, { ...all, order, internal: false }),
          )

          expect(whole.rows.some(({ internal }) => internal !== null)).toBe(true)
          expect(bare.rows).toEqual(whole.rows.map((row) => ({ ...row, internal: null })))
        }
      }),
    )
  })

  describe("transactions", () => {
    it.effect("transactions: walks those of every wallet in both orders, and omits internal transactions", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const numbers = Model.seeded(7)
        const model = Model.empty()
        for (let step = 0; step < 4; step++) Model.append(model, Model.generateOn(model.blocks.at(-1), step, numbers))
        yield* store.append(null, model.blocks)
        const high = Model.headOf(model)!.number
        const rowsBetween = (from: number, to: number) =>
          model.blocks
            .filter(({ number }) => number >= from && number <= to)
            .flatMap(({ decoderRevision: revision, number: block, transactions }) =>
              transactions.map(({ body, index, internal }) => ({ block, index, body, internal, revision })),
            )
        const walk = Effect.fnUntraced(function* (query: Omit<PageQuery, "after" | "key">) {
          const walked: Array<PageRow> = []
          for (let after: PageQuery["after"] = null; ;) {
            const at = after
            const part: PageRows = yield* store.snapshot((snapshot) => snapshot.transactions({ ...query, after: at }))
            walked.push(...part.rows)
            if (!part.hasMore) return walked
            after = part.rows.at(-1)!
          }
        })

        for (const [from, to] of [
          [0, high + 5],
          [high - 3, high - 1],
          [high + 1, high + 2],
        ] as const) {
          const expected = rowsBetween(from, to)
          for (const limit of [2, 100]) {
            expect(yield* walk({ from, to, limit, order: "ASC" })).toMatchObject(expected)
            expect(yield* walk({ from, to, limit, order: "DESC" })).toMatchObject(expected.toReversed())
          }
          expect(yield* walk({ from, to, limit: 100, maxBytes: 1, order: "ASC", internal: false })).toMatchObject(
            expected.map((row) => ({ ...row, internal: null })),
          )
        }
        expect(rowsBetween(0, high).length).toBeGreaterThan(5)
      }),
    )
  })

  describe("snapshot", () => {
    const keeps = "snapshot: keeps its state while another process appends, unwinds and finalizes"
    it.effect.runIf(hasSnapshots)(keeps, () =>
      Effect.gen(function* () {
        const { open, store: writer } = yield* opened
        const reader = yield* open
        const blocks = chainOn(null, 6)
        const fork = chainOn(blocks[1]!, 5, "b")
        yield* writer.append(null, blocks)

        const [before, after] = yield* reader.snapshot(
          Effect.fn(function* (snapshot) {
            const look = Effect.all([
              snapshot.checkpoint,
              snapshot.page(projection, all),
              snapshot.block(14),
              snapshot.lastAtOrBefore(1e9),
              snapshot.lowestReorgedBlock(refOf(blocks[5]!)),
            ])
            yield* writer.unwind(refOf(blocks[5]!), refOf(blocks[1]!))
            const before = yield* look
            yield* writer.append(refOf(blocks[1]!), fork)
            yield* writer.finalize(15)
            yield* Effect.yieldNow
            return [before, yield* look] as const
          }),
        )

        expect(before[1].rows.map((row) => row.body)).toEqual(bodiesOf(blocks))
        expect(before[0]).toEqual({ first: 10, head: refOf(blocks[5]!), headTimestamp: 150, finalized: null })
        expect(before[4]).toBeNull()
        expect(after).toEqual(before)
        expect(yield* pageBodies(reader)).toEqual(bodiesOf([...blocks.slice(0, 2), ...fork]))
      }),
    )

    const again =
      "snapshot: is read again where another process removed blocks of a database without snapshots of all nodes"
    it.live.skipIf(hasSnapshots)(again, () =>
      Effect.gen(function* () {
        const { open, store: writer } = yield* opened
        const reader = yield* open
        const blocks = chainOn(null, 6)
        yield* writer.append(null, blocks)

        let reads = 0
        const [head, bodies] = yield* reader.snapshot(
          Effect.fn(function* (snapshot) {
            if (reads++ === 0) yield* writer.unwind(refOf(blocks[5]!), refOf(blocks[1]!))
            const { rows } = yield* snapshot.page(projection, all)
            return [(yield* snapshot.checkpoint)?.head, rows.map((row) => row.body)] as const
          }),
        )

        expect(reads).toBe(2)
        expect(head).toEqual(refOf(blocks[1]!))
        expect(bodies).toEqual(bodiesOf(blocks.slice(0, 2)))
      }),
    )

    it.effect("snapshot: many concurrent ones each see the state at their own start", () =>
      Effect.gen(function* () {
        const { open, store: writer } = yield* opened
        const reader = yield* open
        const blocks = chainOn(null, 12)
        const walk = (expected: ReadonlyArray<BlockRows>) =>
          reader.snapshot(
            Effect.fn(function* (snapshot) {
              const bodies: Array<string> = []
              for (let after: PageQuery["after"] = null; ;) {
                const { rows }: PageRows = yield* snapshot.page(projection, { ...all, after, limit: 1 })
                if (rows.length === 0) break
                bodies.push(rows[0]!.body)
                after = rows[0]!
                yield* Effect.yieldNow
              }
              const head = (yield* snapshot.checkpoint)?.head.number ?? 0
              expect(bodies).toEqual(bodiesOf(expected).slice(0, head - 9))
              return head
            }),
          )
        const fibers = []
        let head: BlockRef | null = null
        for (const block of blocks) {
          yield* writer.append(head, [block])
          head = refOf(block)
          fibers.push(yield* Effect.forkChild(walk(blocks)), yield* Effect.forkChild(walk(blocks)))
          yield* Effect.yieldNow
        }
        const heads = yield* Effect.forEach(fibers, Fiber.join)

        expect(heads).toHaveLength(24)
        expect(new Set(heads).size).toBeGreaterThan(3)
        expect(heads.at(-1)).toBe(21)
      }),
    )

    it.effect("snapshot: releases its connection when the reader fails, dies or is interrupted", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const [first, second] = chainOn(null, 2) as [BlockRows, BlockRows]
        yield* store.append(null, [first])
        for (let time = 0; time < 20; time++) {
          yield* Effect.exit(store.snapshot(() => Effect.fail("failed")))
          yield* Effect.exit(store.snapshot(() => Effect.die("died")))
          const fiber = yield* Effect.forkChild(store.snapshot(() => Effect.never))
          yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
        }
        yield* store.append(refOf(first), [second])

        expect(yield* pageBodies(store)).toEqual(bodiesOf([first, second]))
      }),
    )

    it.effect.prop(
      "firstAtOrAfter, lastAtOrBefore: equal a search through all blocks, for any timestamps",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { store } = yield* opened
          const numbers = Model.seeded(seed)
          const blocks: Array<BlockRows> = []
          for (let index = 0; index < 30; index++) {
            const timestamp = (blocks.at(-1)?.timestamp ?? 100) + numbers.below(4)
            blocks.push(blockOn(blocks.at(-1) ?? null, { timestamp }))
          }
          yield* store.append(null, blocks)
          for (let round = 0; round < 30; round++) {
            const time = 95 + numbers.below(110)
            const found = yield* store.snapshot((snapshot) =>
              Effect.all([snapshot.firstAtOrAfter(time), snapshot.lastAtOrBefore(time)]),
            )
            expect(found).toEqual([
              blocks.find(({ timestamp }) => timestamp >= time)?.number ?? null,
              blocks.findLast(({ timestamp }) => timestamp <= time)?.number ?? null,
            ])
          }
        }).pipe(Effect.scoped),
      law(15),
    )

    it.effect(
      "places: returns blocks and transactions in the order of the positions, as many as their size limit permits",
      () =>
        Effect.gen(function* () {
          const { store } = yield* opened
          const blocks = chainOn(null, 4)
          yield* store.append(null, blocks)
          const places = (positions: ReadonlyArray<Position>, maxBytes: number) =>
            store.snapshot((snapshot) => snapshot.places(positions, maxBytes))
          const all = blocks.toReversed().flatMap(({ hash, number, parentHash, timestamp, transactions }) =>
            [...transactions, null].map((transaction) => ({
              position: { block: number, index: transaction?.index ?? Movement.blockLevelIndex },
              bytes: Buffer.byteLength(transaction?.body ?? ""),
              place: { block: { number, hash, parentHash, timestamp }, transactionHash: transaction?.hash ?? null },
            })),
          )
          const positions = all.map(({ position }) => position)
          const expected = all.map(({ place }) => place)
          const ofTransactions = all.filter(({ bytes }) => bytes > 0)

          expect(yield* places(positions, Infinity)).toEqual(expected)
          expect(yield* places([...positions, ...positions], Infinity)).toEqual([...expected, ...expected])
          expect(yield* places([], 0)).toEqual([])
          for (const [count, maxBytes] of [
            [1, 0],
            [1, ofTransactions[0]!.bytes - 1],
            [2, ofTransactions[0]!.bytes],
          ] as const) {
            const found = yield* places(
              ofTransactions.map(({ position }) => position),
              maxBytes,
            )
            expect(found).toEqual(ofTransactions.slice(0, count).map(({ place }) => place))
          }
        }),
    )

    it.effect("places: reports a block or a transaction that is not stored as damaged", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        yield* store.append(null, chainOn(null, 4))
        for (const position of [
          { block: 99, index: Movement.blockLevelIndex },
          { block: 99, index: 0 },
          { block: 11, index: 77 },
        ]) {
          const error = yield* Effect.flip(store.snapshot((snapshot) => snapshot.places([position], Infinity)))

          expect(error.damagedBlock).toBe(position.block)
        }
      }),
    )

    it.effect("firstAtOrAfter, lastAtOrBefore: find the first and the last of blocks that share a timestamp", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const times = [100, 100, 100, 101, 101, 105]
        const blocks: Array<BlockRows> = []
        for (const timestamp of times) blocks.push(blockOn(blocks.at(-1) ?? null, { timestamp }))
        yield* store.append(null, blocks)

        const found = yield* store.snapshot((snapshot) =>
          Effect.forEach([99, 100, 101, 103, 105, 106], (time) =>
            Effect.all([snapshot.firstAtOrAfter(time), snapshot.lastAtOrBefore(time)]),
          ),
        )

        expect(found).toEqual([
          [10, null],
          [10, 12],
          [13, 14],
          [15, 14],
          [15, 15],
          [null, 15],
        ])
      }),
    )
  })
}
