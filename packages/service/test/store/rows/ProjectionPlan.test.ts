/**
 * Checkpoints of projections over any sequence of writes: rows are derived from exactly the blocks that the checkpoints
 * state.
 */
import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import type { Projection } from "../../../src/block/Projection.ts"
import * as ProjectionPlan from "../../../src/store/rows/ProjectionPlan.ts"
import type { StoredCheckpoint } from "../../../src/store/rows/ProjectionRow.ts"
import * as Model from "../model.ts"

const projections = (revision: number): ReadonlyArray<Projection> => [
  { id: "a", kind: "appearances", revision: 1, rows: () => [] },
  { id: "e", kind: "entries", revision, rows: () => [] },
  { id: "l", kind: "ledger", revision, ledger: () => new Uint8Array() },
]

/** A store of checkpoints, and the blocks for which each projection has rows. */
const makeStore = () => {
  let checkpoints: ReadonlyArray<StoredCheckpoint> = []
  const derived = new Map<string, Set<number>>()
  const of = (id: string) => derived.get(id) ?? new Set<number>()
  return {
    all: () => checkpoints,
    write: (changed: ReadonlyArray<StoredCheckpoint>) => {
      const kept = checkpoints.filter(({ number }) => !changed.some((one) => one.number === number))
      for (const { id, revision } of changed) {
        const before = checkpoints.find((one) => one.id === id)
        if (before !== undefined && before.revision !== revision) derived.delete(id)
      }
      checkpoints = [...kept, ...changed].toSorted((one, other) => one.number - other.number)
    },
    derive: (id: string, blocks: ReadonlyArray<BlockRows>) =>
      derived.set(id, new Set([...of(id), ...blocks.map(({ number }) => number)])),
    remove: (lowest: number) => {
      for (const [id, blocks] of derived) derived.set(id, new Set([...blocks].filter((number) => number < lowest)))
    },
    of,
  }
}

describe("ProjectionPlan", () => {
  it.prop(
    "append, prepend, unwind, fill: each projection has rows for the blocks below its checkpoint",
    { seed: Model.seed },
    ({ seed }) => {
      const numbers = Model.seeded(seed)
      const model = Model.empty()
      const store = makeStore()
      let own = projections(1)
      const first = () => model.blocks[0]?.number ?? null
      const apply = ({ checkpoints, derivations }: ProjectionPlan.Update) => {
        for (const { blocks, projection } of derivations) store.derive(projection.id, blocks)
        store.write(checkpoints)
      }
      store.write(ProjectionPlan.register(store.all(), first(), own))
      for (let step = 0; step < 20; step++) {
        const head = Model.headOf(model)
        const action = numbers.below(6)
        if (action === 0 && head !== null) {
          const lowest = numbers.below(3) === 0 ? model.blocks[0]!.number : numbers.pick(model.blocks).number + 1
          const isEmpty = lowest === model.blocks[0]!.number
          store.remove(lowest)
          store.write(ProjectionPlan.unwind(store.all(), lowest, isEmpty))
          Model.unwind(model, isEmpty ? null : Model.refOf(model.blocks.find(({ number }) => number === lowest - 1)!))
        } else if (action === 1 && head !== null) {
          const blocks = Model.generateBelow(model.blocks[0]!, step, numbers)
          if (blocks.length > 0) apply(ProjectionPlan.prepend(store.all(), own, blocks))
          Model.prepend(model, blocks)
        } else if (action === 2) {
          own = projections(1 + numbers.below(3))
          store.write(ProjectionPlan.register(store.all(), first(), own))
        } else if (action === 3) {
          const projection = numbers.pick(own)
          const checkpoint = store.all().find(({ id }) => id === projection.id)!
          const from = ProjectionPlan.fillFrom(checkpoint, { first: first(), number: head?.number ?? null })
          if (from !== null) {
            const counts = model.blocks
              .filter(({ number }) => number >= from)
              .map(({ number, transactions }) => [number, transactions.length] as const)
            const { to } = ProjectionPlan.fillTo(counts, from, numbers.below(5))
            expect(to).toBeGreaterThanOrEqual(from)
            store.derive(
              projection.id,
              model.blocks.filter(({ number }) => number >= from && number <= to),
            )
            store.write([{ ...checkpoint, next: to + 1 }])
          }
        } else {
          const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
          if (blocks.length > 0) {
            apply(ProjectionPlan.append(store.all(), own, head === null ? null : head.number + 1, blocks))
          }
          Model.append(model, blocks)
        }
        for (const checkpoint of store.all()) {
          const projection = own.find(({ id }) => id === checkpoint.id)!
          const expected = model.blocks.filter(({ number }) => ProjectionPlan.isDerived(checkpoint, projection, number))
          for (const { number } of expected) expect(store.of(checkpoint.id)).toContain(number)
        }
      }
    },
  )

  it("register: numbers new projections, and restarts those of another revision", () => {
    const stored = [{ number: 3, id: "a", kind: "appearances", revision: 1, next: 40 }]

    expect(
      ProjectionPlan.register(stored, 10, projections(1)).map(({ id, next, number }) => [number, id, next]),
    ).toEqual([
      [4, "e", 10],
      [5, "l", 10],
    ])
    const [revised] = ProjectionPlan.register(stored, 10, [{ ...projections(1)[0]!, revision: 2 }])
    expect(revised).toEqual({ number: 3, id: "a", kind: "appearances", revision: 2, next: 10 })
  })

  it("replace: derives entries again from the block, and nothing else", () => {
    const at = (kind: string, next: number | null, number: number) => ({ number, id: kind, kind, revision: 1, next })
    const stored = [at("entries", 20, 1), at("appearances", 20, 2), at("entries", 9, 3), at("entries", null, 4)]

    expect(ProjectionPlan.replace(stored, 12)).toEqual([at("entries", 12, 1)])
  })

  it("fillTo: includes at least one block, and as many as have the transactions", () => {
    const counts = [
      [5, 10],
      [6, 3],
      [7, 3],
      [8, 9],
    ] as const

    expect(ProjectionPlan.fillTo(counts, 5, 1)).toEqual({ to: 5, transactions: 10 })
    expect(ProjectionPlan.fillTo(counts, 5, 16)).toEqual({ to: 7, transactions: 16 })
    expect(ProjectionPlan.fillTo([], 5, 16)).toEqual({ to: 5, transactions: 0 })
  })
})
