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

/** A node that counts its calls; `null` is a pruned block. */
const nodeOf = (times: ReadonlyArray<number | null>) => {
  let asked = 0
  const header = (number: number) => Effect.sync(() => (asked++, headerAt(times, number)))
  return { node: { header } as unknown as Node, head: headerAt(times, times.length - 1)!, asked: () => asked }
}

const find = (times: ReadonlyArray<number | null>, timestamp: number) => {
  const { head, node } = nodeOf(times)
  return Effect.runSync(StartBlock.atOrAfter(node, head, timestamp))
}

describe("StartBlock", () => {
  describe("atOrAfter", () => {
    it("atOrAfter: equals a linear search for every instant, also where blocks share one", () => {
      const times = [0, 10, 10, 10, 25, 26, 40, 40]
      for (let timestamp = -1; timestamp <= 41; timestamp++) {
        const expected = times.findIndex((time) => time >= timestamp)
        expect([timestamp, find(times, timestamp)]).toEqual([timestamp, expected === -1 ? null : expected])
      }
    })

    it("atOrAfter: counts pruned blocks as before the instant", () => {
      expect(find([null, null, null, 30, 40, 50], 5)).toBe(3)
    })

    it("atOrAfter: reads few headers", () => {
      const { asked, head, node } = nodeOf(Array.from({ length: 100_000 }, (_, index) => index * 12))

      expect(Effect.runSync(StartBlock.atOrAfter(node, head, 777_777))).toBe(64_815)
      expect(asked()).toBeLessThan(20)
    })
  })
})
