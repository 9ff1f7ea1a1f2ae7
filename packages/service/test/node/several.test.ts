/** Several nodes of one chain: they share the work, stand in for each other, and none is believed alone. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import { type Response, failing, type Server, start } from "./server.ts"

const { transactions: _, ...header } = fixture.blockWire
const hex = (number: number) => `0x${number.toString(16)}`
const blockAt = (number: number) => ({ ...header, number: hex(number), transactions: [] })

/** A node whose newest block is `head` and that has no block above it. */
const upTo =
  (head: number): Response =>
  ([asked]) => {
    const number = asked === "latest" ? head : Number(asked)
    return { result: number > head ? null : blockAt(number) }
  }

const healthy = (head: number): Record<string, Response> => ({
  eth_chainId: () => ({ result: "0x1" }),
  eth_getBlockByNumber: upTo(head),
  eth_getBlockReceipts: () => ({ result: [] }),
})

const node = (servers: ReadonlyArray<Server>) =>
  Node.make({ urls: servers.map(({ url }) => url), chainId: 1, traces: "off" })

const blocksOf = (server: Server) =>
  server.calls.filter(([method, [asked]]) => method === "eth_getBlockByNumber" && asked !== "latest").length

describe("several nodes", () => {
  it.live("share blocks deep below the head, and leave those near it to one", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* start(healthy(1_000)), yield* start(healthy(1_000))]
      const chain = yield* node([one, two])
      yield* chain.head
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], chain.block)
      expect([blocksOf(one), blocksOf(two)]).toEqual([3, 3])
      yield* Effect.forEach([996, 997, 998, 999], chain.block)

      expect([blocksOf(one), blocksOf(two)]).toEqual([7, 3])
    }),
  )

  it.live("have a block when one of them has it", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy(5)), yield* start(healthy(9))])

      expect((yield* chain.block(7))?.number).toBe(7n)
      expect(yield* chain.block(12)).toBe(null)
    }),
  )

  it.live("are as far as the furthest, when the preferred one falls back", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* start(healthy(20)), yield* start(healthy(21))]
      const chain = yield* node([one, two])
      expect((yield* chain.head).number).toBe(20)
      one.answers["eth_getBlockByNumber"] = upTo(12)

      expect((yield* chain.head).number).toBe(21)
    }),
  )

  it.live("are as far as the furthest, when the preferred one stands still", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy(20)), yield* start(healthy(30))])
      const heads: Array<number> = []
      for (let look = 0; look < 8; look++) heads.push((yield* chain.head).number)

      expect(heads[0]).toBe(20)
      expect(heads.at(-1)).toBe(30)
    }),
  )

  it.live("ask one that failed after the others", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* start(healthy(1_000)), yield* start(healthy(1_000))]
      const chain = yield* node([one, two])
      yield* chain.head
      one.answers["eth_getBlockByNumber"] = failing
      yield* chain.block(1)
      yield* chain.block(2)
      const before = blocksOf(one)
      yield* Effect.forEach([3, 4, 5, 6, 7, 8], chain.block)

      expect(blocksOf(one)).toBe(before)
    }),
  )

  it.live("can be asked one by one", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy(5)), yield* start(healthy(9))])
      const heads = yield* Effect.forEach(chain.each ?? [], (one) => one.head)

      expect(heads.map(({ number }) => number)).toEqual([5, 9])
    }),
  )
})
