import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as StartBlock from "../../src/indexer/StartBlock.ts"
import type { Node } from "../../src/node/Node.ts"
import type { Header } from "../../src/node/NodeEndpoint.ts"

const headerAt = (times: ReadonlyArray<number | null>, number: number): Header | null => {
  const timestamp = times[number]
  return timestamp == null ? null : { number, hash: `hash ${number}`, parentHash: `hash ${number - 1}`, timestamp }
}

/** The first block at or after an instant, from a node with blocks at these times; `null` is a pruned block. */
const find = (times: ReadonlyArray<number | null>, timestamp: number) => {
  // Sound: nothing else of a node is called.
  const node = { header: (number: number) => Effect.sync(() => headerAt(times, number)) } as unknown as Node
  return Effect.runSync(StartBlock.atOrAfter(node, headerAt(times, times.length - 1)!, timestamp))
}

describe("StartBlock", () => {
  describe("atOrAfter", () => {
    it("atOrAfter: equals a linear search for every instant, even if blocks share one", () => {
      const times = [0, 10, 10, 10, 25, 26, 40, 40]
      for (let timestamp = -1; timestamp <= 41; timestamp++) {
        const expected = times.findIndex((time) => time >= timestamp)
        expect([timestamp, find(times, timestamp)]).toEqual([timestamp, expected === -1 ? null : expected])
      }
    })

    it("atOrAfter: treats pruned blocks as before the instant", () => {
      expect(find([null, null, null, 30, 40, 50], 5)).toBe(3)
    })

    it("atOrAfter: reads few headers, and needs six round trips to a distant node", async () => {
      const times = Array.from({ length: 100_000 }, (_, index) => index * 12)
      const head = headerAt(times, times.length - 1)!
      let [asked, rounds] = [0, 0]
      let isWaiting = false
      const header = (number: number) =>
        Effect.suspend(() => {
          asked += 1
          if (!isWaiting) rounds += 1
          isWaiting = true
          return Effect.promise(async () => {
            await new Promise((resolve) => setImmediate(resolve))
            isWaiting = false
            return headerAt(times, number)
          })
        })
      // Sound: nothing else of a node is called.
      const node = { header } as unknown as Node

      expect(await Effect.runPromise(StartBlock.atOrAfter(node, head, 777_777))).toBe(64_815)
      expect([asked <= 42, rounds]).toEqual([true, 6])
    })
  })
})
