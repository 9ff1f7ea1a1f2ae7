import { describe, expect, it } from "vitest"
import * as PrependBatch from "../../src/indexer/PrependBatch.ts"
import { chainOn } from "../store/model.ts"

const [low, middle, high, above] = chainOn(null, 4)

describe("PrependBatch", () => {
  it("add: collects blocks from the top down, lowest first, with their transactions and characters", () => {
    const one = PrependBatch.add(PrependBatch.make(above!, 5), high!)!
    const two = PrependBatch.add(one, middle!)!

    expect(two.blocks).toEqual([middle, high])
    expect(PrependBatch.bottom(two)).toBe(middle)
    expect(two).toMatchObject({ above, transactions: 2, sinceMillis: 5, length: 2 * one.length })
    expect(one.length).toBeGreaterThan(high!.transactions[0]!.body.length - 1)
  })

  it("add: rejects a block that is not the parent of the lowest one, by hash or number", () => {
    const empty = PrependBatch.make(above!, 0)

    expect(PrependBatch.bottom(empty)).toBe(above)
    expect(PrependBatch.add(empty, middle!)).toBeNull()
    expect(PrependBatch.add(empty, { ...high!, hash: low!.hash })).toBeNull()
    expect(PrependBatch.add(empty, { ...high!, number: 9 })).toBeNull()
    expect(PrependBatch.add(PrependBatch.add(empty, high!)!, low!)).toBeNull()
  })
})
