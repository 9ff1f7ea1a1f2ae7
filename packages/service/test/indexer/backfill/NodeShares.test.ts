import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as NodeConfig from "../../../src/config/NodeConfig.ts"
import * as NodeShares from "../../../src/indexer/backfill/NodeShares.ts"

const url = "http://127.0.0.1:8545"
const limits = (node: NodeConfig.NodeConfig) => {
  const { concurrency, perSecond } = NodeConfig.toOptions(node)
  return { concurrency, perSecond }
}

describe("NodeShares", () => {
  it("divide: divides the concurrent requests of a node without limits, with the remainder for the indexer", () => {
    const { each, ownOf, threads } = NodeShares.divide([url], 2)

    expect([threads, ownOf({ url }, 2), limits(each[0])]).toEqual([
      2,
      { concurrency: 44 },
      { concurrency: 42, perSecond: undefined },
    ])
  })

  it("divide: leaves the indexer what the running threads do not use, and everything while none runs", () => {
    const node = { url, concurrency: 31, perSecond: 1_000 }
    const { each, ownOf } = NodeShares.divide([node], 3)

    expect([0, 1, 2, 3].map((running) => ownOf(node, running))).toEqual([
      { concurrency: 31, perSecond: 1_000 },
      { concurrency: 24, perSecond: 750 },
      { concurrency: 17, perSecond: 500 },
      { concurrency: 10, perSecond: 250 },
    ])
    expect(limits(each[0])).toEqual({ concurrency: 7, perSecond: 250 })
  })

  it("divide: keeps the other options of a node", () => {
    const node = { url, maxBatchSize: 10, headers: { a: "b" } }

    expect(NodeShares.divide([node], 1).each).toEqual([{ ...node, concurrency: 64 }])
  })

  it("divide: permits no thread if a node is limited to one concurrent request, or to a rate that one thread uses up", () => {
    const one = { url, concurrency: 1 }
    const slow = { url, perSecond: 249 }

    expect(NodeShares.divide([url, one], 4).threads).toBe(0)
    expect(NodeShares.divide([url, one], 4).ownOf(one, 0)).toEqual({ concurrency: 1 })
    expect(NodeShares.divide([slow], 4).threads).toBe(0)
    expect(NodeShares.divide([slow], 4).ownOf(slow, 0)).toEqual({ concurrency: 128, perSecond: 249 })
  })

  it("divide: permits as many threads as the lowest limits leave room for", () => {
    expect(NodeShares.divide([{ url, concurrency: 3 }, url], 4).threads).toBe(2)
    expect(NodeShares.divide([{ url, perSecond: 900 }, url], 4).threads).toBe(3)
  })

  it.prop(
    "divide: the limits of the indexer and of the running threads add up to the node's, with at least one concurrent request each",
    {
      wanted: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 })),
      concurrency: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 128 })),
      perSecond: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20_000 })),
    },
    ({ concurrency, perSecond, wanted }) => {
      const node = { url, concurrency, perSecond }
      const { each, ownOf, threads } = NodeShares.divide([node], wanted)
      const other = NodeConfig.toOptions(each[0])

      expect(threads).toBeLessThanOrEqual(wanted)
      for (let running = 0; running <= threads; running++) {
        const own = ownOf(node, running)
        expect(own.concurrency! + running * other.concurrency!).toBe(concurrency)
        expect(Math.min(own.concurrency!, other.concurrency!)).toBeGreaterThanOrEqual(1)
        expect(own.perSecond! + running * other.perSecond!).toBeCloseTo(perSecond, 6)
        expect(own.perSecond).toBeGreaterThan(0)
      }
    },
  )
})
