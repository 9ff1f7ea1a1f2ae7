/** A reader that applies the changes since its position has the blocks of the chain, whatever was written meanwhile. */
import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import type { BlockRef } from "../../../src/block/BlockRows.ts"
import type { ChainPosition } from "../../../src/store/ChainReader.ts"
import * as ChangeFeed from "../../../src/store/rows/ChangeFeed.ts"
import * as Model from "../model.ts"

/** The changes of a model, read as an engine reads them. */
const changesOf = (model: Model.Model, serial: number, after: ChainPosition | null, limit: number) => {
  const stored = (number: number) => model.blocks.map(Model.refOf).find((block) => block.number === number) ?? null
  const head = after?.head ?? null
  const lowest =
    head === null
      ? null
      : ChangeFeed.lowestRemoved(
          head,
          stored(head.number),
          Model.lowestReorgedBlock(model, head),
          Model.checkpointOf(model)?.finalized ?? null,
        )
  const start = ChangeFeed.startAfter(after, lowest)
  const blocks = model.blocks
    .filter(({ number }) => number >= start.from)
    .slice(0, limit)
    .map(Model.refOf)
  return ChangeFeed.changes(serial, after, lowest, start, blocks, lowest === null ? head : stored(lowest - 1))
}

describe("ChangeFeed", () => {
  it.prop("changes: applied one after another give the blocks of the chain", { seed: Model.seed }, ({ seed }) => {
    const numbers = Model.seeded(seed)
    const model = Model.empty()
    let position: ChainPosition | null = null
    let known: ReadonlyArray<BlockRef> = []
    const read = (serial: number, limit: number) => {
      const { changes, position: next } = changesOf(model, serial, position, limit)
      position = next
      for (const change of changes) {
        known =
          change._tag === "Unwound"
            ? known.filter(({ number }) => number < change.lowest)
            : [...known, ...change.blocks]
      }
      return changes
    }
    for (let step = 0; step < 20; step++) {
      if (numbers.below(3) === 0 && model.blocks.length > 0) {
        Model.unwind(model, numbers.below(5) === 0 ? null : Model.refOf(numbers.pick(model.blocks)))
      } else Model.append(model, Model.generateOn(model.blocks.at(-1), step, numbers))
      if (numbers.below(2) === 0) read(step, 1 + numbers.below(4))
    }
    while (read(20, 3).length > 0);

    expect(known).toEqual(model.blocks.map(Model.refOf))
  })
})
