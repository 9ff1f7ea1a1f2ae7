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
  it("divide: divides the open requests of a node without limits, the remainder to the indexer", () => {
    const { each, own, threads } = NodeShares.divide([url], 2)

    expect([threads, limits(own[0]), limits(each[0])]).toEqual([
      2,
      { concurrency: 44, perSecond: undefined },
      { concurrency: 42, perSecond: undefined },
    ])
  })

  it("divide: keeps the other options of a node", () => {
    const node = { url, maxBatchSize: 10, headers: { a: "b" } }

    expect(NodeShares.divide([node], 1).each).toEqual([{ ...node, concurrency: 64 }])
  })

  it("divide: allows no thread where one node is limited to one open request, or to a rate that one thread uses up", () => {
    expect(NodeShares.divide([url, { url, concurrency: 1 }], 4)).toMatchObject({
      threads: 0,
      own: [url, { concurrency: 1 }],
    })
    expect(NodeShares.divide([{ url, perSecond: 249 }], 4)).toMatchObject({ threads: 0, own: [{ perSecond: 249 }] })
  })

  it("divide: allows as many threads as the lowest limits leave room for", () => {
    expect(NodeShares.divide([{ url, concurrency: 3 }, url], 4).threads).toBe(2)
    expect(NodeShares.divide([{ url, perSecond: 900 }, url], 4).threads).toBe(3)
  })

  it.prop(
    "divide: the limits of the indexer and of all threads add up to those of the node, and each has one open request or more",
    {
      wanted: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 })),
      concurrency: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 128 })),
      perSecond: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20_000 })),
    },
    ({ concurrency, perSecond, wanted }) => {
      const { each, own, threads } = NodeShares.divide([{ url, concurrency, perSecond }], wanted)
      const one = NodeConfig.toOptions(own[0])
      const other = NodeConfig.toOptions(each[0])

      expect(threads).toBeLessThanOrEqual(wanted)
      expect(one.concurrency! + threads * other.concurrency!).toBe(concurrency)
      expect(Math.min(one.concurrency!, other.concurrency!)).toBeGreaterThanOrEqual(1)
      expect(one.perSecond! + threads * other.perSecond!).toBeCloseTo(perSecond, 6)
    },
  )
})
