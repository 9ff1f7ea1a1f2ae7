/** Contract tests of writing a chain: append, prepend, unwind and finalize. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import { type BlockRef, type BlockRows, gapKinds } from "../../src/block/BlockRows.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import * as Model from "./model.ts"
import { blockOn, chainOn, refOf, wallets } from "./model.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { all, bodiesOf, pageBodies } from "./TestDatabase.ts"

/** Compares all reads of a store with the model. */
const expectSame = Effect.fn(function* (store: ChainReader, model: Model.Model, seen: ReadonlyArray<BlockRef>) {
  const low = Math.min(...model.blocks.map((block) => block.number), 0) - 1
  const high = Math.max(...model.blocks.map((block) => block.number), 0) + 1
  expect(yield* store.headers(low, high)).toEqual(model.blocks.map(refOf))
  const gaps = Model.gapsOf(model)
  expect(yield* store.gaps({ from: low, to: high, limit: 1_000 })).toEqual(gaps)
  yield* store.snapshot(
    Effect.fn(function* (snapshot) {
      expect(yield* snapshot.checkpoint).toEqual(Model.checkpointOf(model))
      const counts = gapKinds.map((kind) => [kind, gaps.filter((gap) => gap.kind === kind).length])
      expect(yield* snapshot.gapCounts).toEqual(Object.fromEntries(counts))
      for (let number = low; number <= high; number++) {
        const block = model.blocks.find((block) => block.number === number)
        expect(yield* snapshot.block(number)).toEqual(
          block === undefined ? null : { ...refOf(block), parentHash: block.parentHash, timestamp: block.timestamp },
        )
        expect(yield* snapshot.blockFacts(number)).toBe(block?.facts ?? null)
      }
      for (const time of new Set(model.blocks.flatMap(({ timestamp }) => [timestamp - 1, timestamp, timestamp + 1]))) {
        const first = model.blocks.find((block) => block.timestamp >= time)?.number ?? null
        const last = model.blocks.findLast((block) => block.timestamp <= time)?.number ?? null
        expect(yield* snapshot.firstAtOrAfter(time)).toBe(first)
        expect(yield* snapshot.lastAtOrBefore(time)).toBe(last)
      }
      for (const address of wallets) {
        for (const order of ["ASC", "DESC"] as const) {
          const query = { ...all, key: address, order }
          expect((yield* snapshot.page(WalletTransactions.projection, query)).rows).toEqual(Model.page(model, query))
        }
      }
      for (const ref of seen) expect(yield* snapshot.lowestReorgedBlock(ref)).toBe(Model.lowestReorgedBlock(model, ref))
    }),
  )
})

/** Runs the suites of writing against an engine. */
export const writingContract = (database: TestDatabase.Make, law: TestDatabase.Laws): void => {
  const opened = TestDatabase.opened(database)

  describe("append", () => {
    it.effect("append: starts an empty index at any block and keeps every field", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const block = blockOn(null, { number: 17_000_000, timestamp: 1_700_000_000, transactions: [wallets, []] })

        yield* store.append(null, [block])

        const model = Model.empty()
        Model.append(model, [block])
        yield* store.snapshot((snapshot) =>
          Effect.gen(function* () {
            expect(yield* snapshot.checkpoint).toEqual({
              first: 17_000_000,
              head: { number: 17_000_000, hash: block.hash },
              headTimestamp: 1_700_000_000,
              finalized: null,
            })
            for (const address of wallets) {
              const query = { ...all, key: address, to: Number.MAX_SAFE_INTEGER - 1 }
              expect((yield* snapshot.page(WalletTransactions.projection, query)).rows).toEqual(
                Model.page(model, query),
              )
            }
          }),
        )
      }),
    )

    it.effect("append: rejects a stale checkpoint and leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const [first, second] = chainOn(null, 2) as [BlockRows, BlockRows]
        const fork = blockOn(null, { fork: "b" })
        yield* store.append(null, [first])
        const before = yield* dump

        const atEmpty = yield* Effect.flip(store.append(null, [first]))
        const atFork = yield* Effect.flip(store.append(refOf(fork), chainOn(fork, 1)))
        yield* store.append(refOf(first), [])

        expect(atEmpty).toMatchObject({ _tag: "CheckpointConflict", expected: null, found: refOf(first) })
        expect(atFork).toMatchObject({ _tag: "CheckpointConflict", expected: refOf(fork), found: refOf(first) })
        expect(yield* dump).toEqual(before)
        yield* store.append(refOf(first), [second])
        expect(yield* pageBodies(store)).toEqual(bodiesOf([first, second]))
      }),
    )

    it.effect("append: dies on a block that does not extend the previous one, and leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const [first, second, third] = chainOn(null, 3) as [BlockRows, BlockRows, BlockRows]
        yield* store.append(null, [first])
        const before = yield* dump
        const messageOf = (exit: Exit.Exit<unknown, unknown>) =>
          Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? String(Cause.squash(exit.cause)) : "no defect"

        const gap = yield* Effect.exit(store.append(refOf(first), [third]))
        const stranger = yield* Effect.exit(store.append(refOf(first), [second, { ...third, parentHash: first.hash }]))
        const misordered = yield* Effect.exit(
          store.append(refOf(first), [{ ...second, transactions: [...second.transactions, ...second.transactions] }]),
        )

        expect(messageOf(gap)).toContain(`does not extend block 10 (${first.hash})`)
        expect(messageOf(stranger)).toContain(`does not extend block 11 (${second.hash})`)
        expect(messageOf(misordered)).toContain("transaction 0 follows transaction 0")
        expect(yield* dump).toEqual(before)
      }),
    )

    it.effect("append: a failure in the middle leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const [first, second] = chainOn(null, 2) as [BlockRows, BlockRows]
        const twice = blockOn(second, { transactions: [[wallets[1]!], [wallets[0]!, wallets[0]!]] })
        yield* store.append(null, [first])
        const before = yield* dump

        const error = yield* Effect.flip(store.append(refOf(first), [second, twice]))

        expect(error._tag).toBe("StoreError")
        expect(yield* dump).toEqual(before)
        yield* store.append(refOf(first), [second])
      }),
    )
  })

  describe("prepend", () => {
    /** Splits consecutive blocks so that the last one of a part is the parent of the next part. */
    const split = (length: number, above: number) => {
      const blocks = chainOn(null, length)
      return { blocks, below: blocks.slice(0, -above), above: blocks.slice(-above) }
    }
    const firstOf = ([first]: ReadonlyArray<BlockRows>) => refOf(first!)

    it.effect("prepend: a chain that was stored from its end equals one that was stored from its start", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const other = yield* opened
        const { above, below, blocks } = split(7, 2)
        yield* store.append(null, above)
        yield* store.finalize(16)

        yield* store.prepend(firstOf(above), below.slice(3))
        yield* store.prepend(refOf(below[3]!), below.slice(0, 3))

        yield* other.store.append(null, blocks)
        yield* other.store.finalize(16)
        expect(yield* pageBodies(store)).toEqual(bodiesOf(blocks))
        expect(yield* store.snapshot((snapshot) => snapshot.checkpoint)).toEqual({
          first: 10,
          head: refOf(blocks.at(-1)!),
          headTimestamp: 160,
          finalized: 16,
        })
        expect(yield* other.store.snapshot((snapshot) => snapshot.checkpoint)).toEqual(
          yield* store.snapshot((snapshot) => snapshot.checkpoint),
        )
        yield* store.unwind(refOf(blocks.at(-1)!), null)
        yield* other.store.unwind(refOf(blocks.at(-1)!), null)
        expect(yield* dump).toEqual(yield* other.dump)
      }),
    )

    it.effect("prepend: rejects another first block and an empty index, and leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const { above, below } = split(4, 2)
        const atEmpty = yield* Effect.flip(store.prepend(firstOf(above), below))
        yield* store.append(null, above)
        const before = yield* dump

        const stale = yield* Effect.flip(store.prepend(refOf(above[1]!), below))
        const other = yield* Effect.flip(store.prepend({ ...firstOf(above), hash: below[0]!.hash }, below))
        yield* store.prepend(firstOf(above), [])

        expect(atEmpty).toMatchObject({ _tag: "CheckpointConflict", expected: firstOf(above), found: null })
        expect(stale).toMatchObject({ _tag: "CheckpointConflict", found: firstOf(above) })
        expect(other).toMatchObject({ _tag: "CheckpointConflict", found: firstOf(above) })
        expect(yield* dump).toEqual(before)
      }),
    )

    it.effect("prepend: dies on blocks that do not lead to the first one, and leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const { above, below } = split(5, 2)
        const [low, middle, high] = below as [BlockRows, BlockRows, BlockRows]
        yield* store.append(null, above)
        const before = yield* dump
        const isDefect = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && Cause.hasDies(exit.cause)

        const wrong = [
          [low, middle],
          [low, high],
          [{ ...high, hash: low.hash }],
          [middle, { ...high, parentHash: low.hash }],
        ]
        const exits = yield* Effect.forEach(wrong, (blocks) => Effect.exit(store.prepend(firstOf(above), blocks)))

        expect(exits.map(isDefect)).toEqual(wrong.map(() => true))
        expect(yield* dump).toEqual(before)
        yield* store.prepend(firstOf(above), [middle, high])
      }),
    )
  })

  describe("unwind", () => {
    it.effect("unwind: is the inverse of append on every table", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const numbers = Model.seeded(7)
        const initial = yield* dump
        const dumps: Array<readonly [BlockRows, unknown]> = []
        let head: BlockRows | undefined
        for (let step = 0; step < 12; step++) {
          const blocks = Model.generateOn(head, step, numbers)
          yield* store.append(head === undefined ? null : refOf(head), blocks)
          head = blocks.at(-1)!
          dumps.push([head, yield* dump])
        }

        for (const [to, expected] of dumps.toReversed()) {
          yield* store.unwind(refOf(head!), refOf(to))
          head = to
          expect(yield* dump).toEqual(expected)
        }
        yield* store.unwind(refOf(head!), null)
        expect(yield* dump).toEqual(initial)
      }),
    )

    it.effect("unwind: removes more blocks than one step handles", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const blocks = chainOn(null, 2500)
        yield* store.append(null, blocks.slice(0, 1))
        const before = yield* dump
        yield* store.append(refOf(blocks[0]!), blocks.slice(1))

        yield* store.unwind(refOf(blocks.at(-1)!), refOf(blocks[0]!))

        expect(yield* dump).toEqual(before)
      }),
    )

    it.effect("unwind: rejects a head or a target that is not stored, and leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const blocks = chainOn(null, 3)
        const [first, second, third] = blocks as [BlockRows, BlockRows, BlockRows]
        const stranger = blockOn(first, { fork: "b" })
        yield* store.append(null, blocks)
        const before = yield* dump

        const head = yield* Effect.flip(store.unwind(refOf(second), refOf(first)))
        const target = yield* Effect.flip(store.unwind(refOf(third), refOf(stranger)))
        const above = yield* Effect.flip(store.unwind(refOf(third), refOf(blockOn(third))))
        yield* store.unwind(refOf(third), refOf(third))

        expect(head).toMatchObject({ _tag: "CheckpointConflict", expected: refOf(second), found: refOf(third) })
        expect(target).toMatchObject({ _tag: "CheckpointConflict", expected: refOf(stranger) })
        expect(above).toMatchObject({ _tag: "CheckpointConflict", found: refOf(third) })
        expect(yield* dump).toEqual(before)
      }),
    )

    it.effect("unwind: remembers the lowest block removed since, across nested unwinds", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const a = chainOn(null, 6)
        const b = chainOn(a[3]!, 2, "b")
        const c = chainOn(a[1]!, 3, "c")
        yield* store.append(null, a)
        yield* store.unwind(refOf(a[5]!), refOf(a[3]!))
        yield* store.append(refOf(a[3]!), b)
        yield* store.unwind(refOf(b[1]!), refOf(a[1]!))
        yield* store.append(refOf(a[1]!), c)
        yield* store.unwind(refOf(c[2]!), refOf(c[1]!))

        const lowest = yield* store.snapshot((snapshot) =>
          Effect.forEach([a[1]!, a[2]!, a[3]!, a[4]!, a[5]!, b[0]!, c[0]!, c[2]!], (block) =>
            snapshot.lowestReorgedBlock(refOf(block)),
          ),
        )

        expect(lowest).toEqual([null, 12, 12, 12, 12, 12, null, 14])
      }),
    )
  })

  describe("any sequence of calls", () => {
    it.effect.prop(
      "append, prepend, unwind and finalize by two writers: every read returns what the model returns",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { open, store: one } = yield* opened
          const two = yield* open
          const reader = yield* open
          const numbers = Model.seeded(seed)
          const model = Model.empty()
          const seen: Array<BlockRef> = []
          for (let step = 0; step < 25; step++) {
            const store = numbers.pick([one, two])
            const head = Model.headOf(model)
            const action = numbers.below(12)
            if (action >= 10 && head !== null) {
              const [first] = model.blocks as [BlockRows]
              const blocks = Model.generateBelow(first, step, numbers)
              yield* store.prepend(refOf(first), blocks)
              Model.prepend(model, blocks)
              seen.push(...blocks.map(refOf))
            } else if (action < 5) {
              const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
              yield* store.append(head, blocks)
              Model.append(model, blocks)
              seen.push(...blocks.map(refOf))
            } else if (action < 8 && head !== null) {
              const to = numbers.below(8) === 0 ? null : refOf(numbers.pick(model.blocks))
              yield* store.unwind(head, to)
              Model.unwind(model, to)
            } else if (action === 8) {
              const number = numbers.below(20)
              yield* store.finalize(number)
              model.finalized = Math.max(model.finalized ?? 0, number)
            } else if (seen.length > 0) {
              const conflict = yield* Effect.flip(store.append({ number: 99, hash: seen[0]!.hash }, []))
              expect(conflict).toMatchObject({ _tag: "CheckpointConflict", found: head })
            }
            yield* expectSame(reader, model, seen)
          }
        }).pipe(Effect.scoped),
      law(25),
    )
  })

  describe("finalize", () => {
    it.effect("finalize: only raises the mark; an unwind lowers it", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const blocks = chainOn(null, 3)
        const finalized = Effect.map(
          store.snapshot((snapshot) => snapshot.checkpoint),
          (checkpoint) => checkpoint?.finalized,
        )
        yield* store.append(null, blocks)
        const marks = []
        for (const number of [11, 10, 12]) {
          yield* store.finalize(number)
          marks.push(yield* finalized)
        }
        yield* store.unwind(refOf(blocks[2]!), refOf(blocks[1]!))
        marks.push(yield* finalized)
        yield* store.unwind(refOf(blocks[1]!), null)
        marks.push(yield* finalized)
        yield* store.append(null, blocks)
        marks.push(yield* finalized)

        expect(marks).toEqual([11, 11, 12, 11, undefined, null])
      }),
    )
  })
}
