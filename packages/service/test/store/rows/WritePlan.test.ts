/** Plans of writes, run on a list of blocks in memory, result in the checkpoints of the model. */
import { describe, it } from "@effect/vitest"
import { Result } from "effect"
import { expect } from "vitest"
import type { BlockRef, BlockRows, LinkedBlock } from "../../../src/block/BlockRows.ts"
import * as CheckpointRow from "../../../src/store/rows/CheckpointRow.ts"
import * as WritePlan from "../../../src/store/rows/WritePlan.ts"
import * as Model from "../model.ts"
import { blockOn, chainOn, refOf } from "../model.ts"

const blockAt = (model: Model.Model, number: number | null | undefined): LinkedBlock | null =>
  model.blocks.find((block) => block.number === number) ?? null

/** Makes a random write on a model and plans the same from the columns; returns the planned columns. */
const write = (model: Model.Model, columns: CheckpointRow.Columns, step: number, numbers: Model.Seeded) => {
  const head = Model.headOf(model)
  const action = numbers.below(4)
  if (action === 0 && head !== null) {
    const [first] = model.blocks as [BlockRows]
    const blocks = Model.generateBelow(first, step, numbers)
    const plan = WritePlan.prepend(columns, blockAt(model, columns.first), refOf(first), blocks, null)
    Model.prepend(model, blocks)
    return Result.getOrThrow(plan)?.columns ?? columns
  }
  if (action === 1 && head !== null) {
    const to = numbers.below(4) === 0 ? null : refOf(numbers.pick(model.blocks))
    const removed = model.blocks.filter(({ number }) => to === null || number > to.number)
    const plan = Result.getOrThrow(WritePlan.unwind(columns, head, to, blockAt(model, to?.number)))
    Model.unwind(model, to)
    const steps = plan?.steps ?? []
    const covered = steps.flatMap(([from, last]) => Array.from({ length: last - from + 1 }, (_, at) => from + at))
    expect(covered).toEqual(removed.map(({ number }) => number))
    expect(plan?.isEmpty ?? false).toBe(to === null)
    return plan?.columns ?? columns
  }
  if (action === 2) {
    const number = numbers.below(20)
    model.finalized = Math.max(model.finalized ?? 0, number)
    return WritePlan.finalize(columns, number, blockAt(model, number))?.columns ?? columns
  }
  const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
  const plan = Result.getOrThrow(WritePlan.append(columns, head, blocks, null))
  expect(plan?.from ?? null).toBe(head === null ? null : head.number + 1)
  Model.append(model, blocks)
  return plan?.columns ?? columns
}

describe("WritePlan", () => {
  it.prop(
    "append, prepend, unwind, finalize: any sequence results in the checkpoint of the model",
    { seed: Model.seed },
    ({ seed }) => {
      const numbers = Model.seeded(seed)
      const model = Model.empty()
      let columns = CheckpointRow.empty
      for (let step = 0; step < 20; step++) {
        columns = write(model, columns, step, numbers)
        expect(CheckpointRow.toCheckpoint(columns)).toEqual(Model.checkpointOf(model))
        expect(CheckpointRow.read(CheckpointRow.make(1, columns))).toEqual(columns)
      }
    },
  )

  it.prop("append, unwind: unwinding an append restores the previous columns", { seed: Model.seed }, ({ seed }) => {
    const numbers = Model.seeded(seed)
    const [first, ...above] = chainOn(null, 2 + numbers.below(5)) as [BlockRows, ...Array<BlockRows>]
    const before = Result.getOrThrow(WritePlan.append(CheckpointRow.empty, null, [first], null))!.columns
    const appended = Result.getOrThrow(WritePlan.append(before, refOf(first), above, null))!
    const unwound = Result.getOrThrow(WritePlan.unwind(appended.columns, refOf(above.at(-1)!), refOf(first), first))!

    expect(unwound.columns).toEqual(before)
    expect(unwound.change).toEqual({ ...appended.change, kind: "remove" })
  })

  it("append, prepend, unwind: another head, first block or target is a conflict that names the stored one", () => {
    const [first, second] = chainOn(null, 2) as [BlockRows, BlockRows]
    const { columns } = Result.getOrThrow(WritePlan.append(CheckpointRow.empty, null, [first], null))!
    const found = (plan: Result.Result<unknown, { readonly found: BlockRef | null }>) =>
      Result.match(plan, { onSuccess: () => "planned", onFailure: (conflict) => conflict.found })

    expect(found(WritePlan.append(columns, null, [], null))).toEqual(refOf(first))
    expect(found(WritePlan.append(CheckpointRow.empty, refOf(first), [second], null))).toBeNull()
    expect(found(WritePlan.prepend(columns, first, refOf(second), [], null))).toEqual(refOf(first))
    expect(found(WritePlan.unwind(columns, refOf(second), null, null))).toEqual(refOf(first))
    expect(found(WritePlan.unwind(columns, refOf(first), refOf(second), null))).toEqual(refOf(first))
  })

  it("unwind: removes blocks in steps of 1,000, the last of which ends with the head", () => {
    const [first] = chainOn(null, 1) as [BlockRows]
    const { columns } = Result.getOrThrow(WritePlan.append(CheckpointRow.empty, null, [first], null))!
    const stepsTo = (number: number) => {
      const head = { number, hash: first.hash }
      return Result.getOrThrow(WritePlan.unwind({ ...columns, number }, head, refOf(first), first))?.steps
    }
    const from = first.number + 1

    expect(stepsTo(from)).toEqual([[from, from]])
    expect(stepsTo(from + 999)).toEqual([[from, from + 999]])
    expect(stepsTo(from + 2_000)).toEqual([
      [from, from + 999],
      [from + 1_000, from + 1_999],
      [from + 2_000, from + 2_000],
    ])
  })

  it("append, prepend: throw for blocks that do not extend each other", () => {
    const [first, second] = chainOn(null, 2) as [BlockRows, BlockRows]
    const { columns } = Result.getOrThrow(WritePlan.append(CheckpointRow.empty, null, [second], null))!

    expect(() => WritePlan.append(CheckpointRow.empty, null, [second, first], null)).toThrow("does not extend")
    expect(() => WritePlan.prepend(columns, second, refOf(second), [blockOn(null, { number: 5 })], null)).toThrow(
      "does not extend",
    )
  })

  it("fits: accepts the block with its number, or one that links its neighbours, only within the index", () => {
    const blocks = chainOn(null, 4)
    const stored = blocks.map((block) => ({ ...refOf(block), parentHash: block.parentHash, timestamp: 0, count: 1 }))
    const headers = stored.map((block) => ({ ...block, factsChecksum: null, isDamaged: false }))
    const checkpoint = { first: 10, head: refOf(blocks[3]!), headTimestamp: 0, finalized: null }
    const second = blocks[1]!
    const other = { ...second, hash: blocks[0]!.hash }
    const without = headers.filter(({ number }) => number !== second.number)
    const damaged = headers.map((block) => ({ ...block, isDamaged: block.number === second.number }))

    expect(WritePlan.fits(checkpoint, headers, second)).toBe(true)
    expect(WritePlan.fits(checkpoint, headers, other)).toBe(false)
    for (const near of [without, damaged]) {
      expect(WritePlan.fits(checkpoint, near, second)).toBe(true)
      expect(WritePlan.fits(checkpoint, near, other)).toBe(false)
    }
    expect(WritePlan.fits(checkpoint, [], { ...blocks[3]!, hash: second.hash })).toBe(false)
    expect(WritePlan.fits(checkpoint, headers, { ...second, number: 14 })).toBe(false)
    expect(WritePlan.fits(null, headers, second)).toBe(false)
  })
})
