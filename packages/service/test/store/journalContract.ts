/** Contract tests of the journal: entries of each kind of write, positions, and waiting for changes. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import type { BlockRef } from "../../src/block/BlockRows.ts"
import * as Journal from "../../src/store/Journal.ts"
import * as Model from "./model.ts"
import { chainOn, refOf } from "./model.ts"
import * as TestDatabase from "./TestDatabase.ts"
import type { TestStore } from "./TestStore.ts"

/** A reader that follows a chain only by its journal. */
interface Follower {
  position: Journal.Position
  blocks: ReadonlyArray<BlockRef>
  finalized: number | null
}

/** Applies the next changes: reads the current blocks of appended ranges, and deletes removed blocks by hash. */
const follow = (store: TestStore, follower: Follower, limit: number) =>
  Effect.gen(function* () {
    const steps = yield* store.snapshot((snapshot) =>
      Effect.gen(function* () {
        const { changes, isLost } = yield* snapshot.changes(follower.position, limit)
        expect(isLost).toBe(false)
        return yield* Effect.forEach(changes, (change) =>
          Effect.map(snapshot.removed(change.change, Number.MAX_SAFE_INTEGER, 10_000), (removed) => ({
            change,
            removed,
          })),
        )
      }),
    )
    for (const { change, removed } of steps) {
      const { highest, kind, lowest } = change
      const removedHashes = new Set(removed.map(({ hash }) => hash))
      if (kind === "remove") {
        expect(removed).toHaveLength(highest - lowest + 1)
        expect(removed[0]?.hash).toBe(change.hash)
        follower.blocks = follower.blocks.filter(({ hash }) => !removedHashes.has(hash))
      }
      if (kind === "append") {
        const present = yield* store.headers(lowest, highest)
        const others = follower.blocks.filter(({ number }) => number < lowest || number > highest)
        follower.blocks = [...others, ...present].toSorted((a, b) => a.number - b.number)
      }
      if (kind === "final") follower.finalized = highest
      follower.position = { change: change.change, mark: change.mark }
    }
    return steps.length
  })

const followWhole = Effect.fnUntraced(function* (store: TestStore, follower: Follower, limit: number) {
  while ((yield* follow(store, follower, limit)) > 0);
})

/** Makes a random write, or none. */
const write = Effect.fnUntraced(function* (store: TestStore, model: Model.Model, step: number, numbers: Model.Seeded) {
  const head = Model.headOf(model)
  const action = numbers.below(6)
  if (action === 0 && head !== null) {
    const to = numbers.below(6) === 0 ? null : refOf(numbers.pick(model.blocks))
    yield* store.unwind(head, to)
    return Model.unwind(model, to)
  }
  if (action === 1 && model.blocks[0] !== undefined) {
    const blocks = Model.generateBelow(model.blocks[0], step, numbers)
    yield* store.prepend(refOf(model.blocks[0]), blocks)
    return Model.prepend(model, blocks)
  }
  if (action === 2 && head !== null) {
    const { number } = numbers.pick(model.blocks)
    yield* store.finalize(number)
    model.finalized = Math.max(model.finalized ?? 0, number)
    return
  }
  const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
  yield* store.append(head, blocks)
  return Model.append(model, blocks)
})

/** Runs the suite of the journal against an engine. */
export const journalContract = (database: TestDatabase.Make, law: TestDatabase.Laws): void => {
  const opened = TestDatabase.opened(database)

  describe("journal", () => {
    it.effect.prop(
      "changes: applied from any position, they result in the blocks of the chain, whatever was written",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { store } = yield* opened
          const numbers = Model.seeded(seed)
          const model = Model.empty()
          const followers: Array<Follower> = [{ position: Journal.start, blocks: [], finalized: null }]
          for (let step = 0; step < 24; step++) {
            yield* write(store, model, step, numbers)
            const follower = numbers.pick(followers)
            if (numbers.below(3) === 0) yield* follow(store, follower, 1 + numbers.below(4))
            if (numbers.below(3) === 0) {
              const { newest } = yield* store.snapshot((snapshot) => snapshot.changes(null, 1))
              followers.push({ position: newest, blocks: model.blocks.map(refOf), finalized: model.finalized })
            }
          }
          for (const follower of followers) yield* followWhole(store, follower, 1 + numbers.below(9))

          const all = model.blocks.map(refOf)
          for (const { blocks } of followers) expect(blocks).toEqual(all)
          const { changes } = yield* store.snapshot((snapshot) => snapshot.changes(null, 1_000))
          expect(changes.map(({ change }) => change)).toEqual(changes.map((_, index) => index + 1))
        }).pipe(Effect.scoped),
      law(40),
    )

    it.effect("changes: contain what each write changed, and a write that changes nothing adds none", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const blocks = chainOn(null, 6)
        yield* store.append(null, blocks.slice(2, 5))
        yield* store.append(refOf(blocks[4]!), [])
        yield* store.append(refOf(blocks[4]!), blocks.slice(5))
        yield* store.prepend(refOf(blocks[2]!), blocks.slice(0, 2))
        yield* store.finalize(12)
        yield* store.finalize(11)
        yield* store.finalize(13)
        yield* store.unwind(refOf(blocks[5]!), refOf(blocks[3]!))
        const { changes, newest, oldest } = yield* store.snapshot((snapshot) => snapshot.changes(null, 99))
        const hashOf = (number: number) => blocks[number - 10]!.hash

        expect(changes.map(({ hash, highest, kind, lowest }) => [kind, lowest, highest, hash])).toEqual([
          ["append", 12, 14, hashOf(14)],
          ["append", 15, 15, hashOf(15)],
          ["append", 10, 11, hashOf(11)],
          ["final", 10, 12, hashOf(12)],
          ["final", 13, 13, hashOf(13)],
          ["remove", 14, 15, hashOf(15)],
        ])
        expect(oldest).toBe(1)
        expect(newest).toEqual({ change: 6, mark: changes[5]!.mark })
        expect(yield* store.snapshot((snapshot) => snapshot.removed(6, 15, 9))).toEqual([refOf(blocks[4]!)])
        expect(yield* store.snapshot((snapshot) => snapshot.removed(6, 16, 1))).toEqual([refOf(blocks[5]!)])
      }),
    )

    it.effect(
      "changes: a position of another store is lost, and one ahead of a lagging reader has no changes yet",
      () =>
        Effect.gen(function* () {
          const { store } = yield* opened
          yield* store.append(null, chainOn(null, 3))
          const { newest } = yield* store.snapshot((snapshot) => snapshot.changes(null, 99))
          const read = (position: Journal.Position) =>
            Effect.map(
              store.snapshot((snapshot) => snapshot.changes(position, 99)),
              ({ changes, isLost }) => [isLost, changes.length],
            )

          expect(yield* read(newest)).toEqual([false, 0])
          expect(yield* read(Journal.start)).toEqual([false, 1])
          expect(yield* read({ ...newest, mark: newest.mark + 1 })).toEqual([true, 0])
          expect(yield* read({ ...newest, change: newest.change + 1 })).toEqual([false, 0])
          expect(yield* read({ change: 0, mark: 7 })).toEqual([true, 0])
        }),
    )

    it.live("awaitChange: ends with the next write, immediately if there was one, and is interruptible", () =>
      Effect.gen(function* () {
        const { open, store } = yield* opened
        const reader = yield* open
        const blocks = chainOn(null, 2)
        const waiting = yield* Effect.forkChild(reader.awaitChange(0))
        yield* Effect.yieldNow
        yield* store.append(null, blocks)
        const reached = yield* Fiber.join(waiting)
        const left = yield* Effect.forkChild(reader.awaitChange(reached))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(left)

        expect(reached).toBe(1)
        expect(yield* reader.awaitChange(0)).toBe(1)
        expect(Exit.hasInterrupts(yield* Fiber.await(left))).toBe(true)
      }).pipe(Effect.scoped),
    )
  })
}
