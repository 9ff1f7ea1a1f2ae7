/** Several nodes of one chain: spreading, failover, and the choice of the highest head. */
import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { expect } from "vitest"
import * as HeadTracker from "../../src/node/HeadTracker.ts"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import { healthyAt } from "../indexer/scriptedChain.ts"
import * as ScriptedFetch from "../indexer/ScriptedFetch.ts"
import { type Response, failing, type Server, start } from "./server.ts"

const { transactions: _, ...header } = fixture.blockWire
const hex = (number: number) => `0x${number.toString(16)}`
const blockAt = (number: number) => ({ ...header, number: hex(number), transactions: [] })

/** A node whose latest block is `head`. */
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

describe("Node of several endpoints", () => {
  it.live("block: is distributed over all nodes far below the head, and requested from one near it", () =>
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

  it.live("block: is found if any node has it", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy(5)), yield* start(healthy(9))])

      expect((yield* chain.block(7))?.number).toBe(7n)
      expect(yield* chain.block(12)).toBe(null)
    }),
  )

  it.live("head: is that of the highest node if the preferred one falls behind", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* start(healthy(20)), yield* start(healthy(21))]
      const chain = yield* node([one, two])
      expect((yield* chain.head).number).toBe(20)
      one.answers["eth_getBlockByNumber"] = upTo(12)

      expect((yield* chain.head).number).toBe(21)
    }),
  )

  it.live("head: is that of the highest node if the preferred one has not advanced for several polls", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy(20)), yield* start(healthy(30))])
      const heads: Array<number> = []
      for (let poll = 0; poll < 8; poll++) heads.push((yield* chain.head).number)

      expect(heads[0]).toBe(20)
      expect(heads.at(-1)).toBe(30)
    }),
  )

  it.live("head: is that of the highest of three nodes, whatever their configured order", () =>
    Effect.gen(function* () {
      for (const heads of [
        [20, 30, 25],
        [20, 25, 30],
        [20, 25, 25],
      ]) {
        const servers = yield* Effect.forEach(heads, (number) => start(healthy(number)))
        const chain = yield* node(servers)
        const polled: Array<number> = []
        for (let poll = 0; poll <= HeadTracker.maxUnchangedPolls; poll++) polled.push((yield* chain.head).number)
        const before = servers.map(({ calls }) => calls.length)
        yield* chain.block(Math.max(...heads))
        const asked = servers.findIndex(({ calls }, index) => calls.length > before[index]!)

        expect(polled.at(-1)).toBe(Math.max(...heads))
        expect(asked).toBe(heads.indexOf(Math.max(...heads)))
      }
    }),
  )

  it.live("block: is requested from a failed node last", () =>
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

  it.live("each: returns each node separately", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy(5)), yield* start(healthy(9))])
      const heads = yield* Effect.forEach(chain.each ?? [], (one) => one.head)

      expect(heads.map(({ number }) => number)).toEqual([5, 9])
    }),
  )

  /** Nodes of which the second one accepts requests and never responds. */
  const withHanging = Effect.gen(function* () {
    const first = ScriptedFetch.make(healthyAt(1_000))
    const fetch: typeof first.fetch = (url, init) =>
      String(url).includes("hanging") ? new Promise(() => undefined) : first.fetch(url, init)
    const urls = ["http://first.example", "http://hanging.example"]
    return { first, chain: yield* Node.make({ urls, chainId: 31337, traces: "off", fetch }) }
  })

  it.effect("head: waits two seconds for an unresponsive node that is polled beside the preferred one", () =>
    Effect.gen(function* () {
      const { chain, first } = yield* withHanging
      const polls = yield* Effect.forkScoped(Effect.replicateEffect(chain.head, 2 * HeadTracker.maxUnchangedPolls))
      yield* ScriptedFetch.advance(first, 4)

      expect(polls.pollUnsafe()?._tag).toBe("Success")
    }),
  )

  it.effect("finalized: waits two seconds for an unresponsive node beside one without the tag", () =>
    Effect.gen(function* () {
      const { chain, first } = yield* withHanging
      first.answer = (method, params) =>
        params[0] === "finalized" ? { result: null } : healthyAt(1_000)(method, params)
      const lookup = yield* Effect.forkScoped(chain.finalized)
      yield* ScriptedFetch.advance(first, 2)

      expect(lookup.pollUnsafe()).toMatchObject({ value: null })
    }),
  )

  it.effect("finalized: is that of a slow node beside one without the tag, and unknown while that node fails", () =>
    Effect.gen(function* () {
      const first = ScriptedFetch.make(healthyAt(1_000))
      first.answer = (method, params) =>
        params[0] === "finalized"
          ? { error: { code: -32602, message: "unknown tag" } }
          : healthyAt(1_000)(method, params)
      const second = ScriptedFetch.make((method, params) =>
        params[0] === "finalized" ? { result: blockAt(64) } : healthyAt(1_000)(method, params),
      )
      let isPrompt = false
      let arrive: (() => void) | undefined
      const fetch: typeof first.fetch = (url, init) => {
        if (!String(url).includes("slow")) return first.fetch(url, init)
        if (isPrompt || !String(init.body).includes("finalized")) return second.fetch(url, init)
        return new Promise((resolve) => (arrive = () => resolve(second.fetch(url, init))))
      }
      const chain = yield* Node.make({
        urls: ["http://first.example", "http://slow.example"],
        chainId: 31337,
        traces: "off",
        fetch,
      })
      const read = Effect.fnUntraced(function* (seconds = 3) {
        const lookup = yield* Effect.forkScoped(Effect.result(chain.finalized))
        yield* ScriptedFetch.advance(second, seconds)
        return lookup
      })
      const before = yield* read()
      arrive?.()
      yield* ScriptedFetch.advance(second, 1)
      const after = yield* read()
      const isWaiting = after.pollUnsafe() === undefined
      arrive?.()
      yield* ScriptedFetch.advance(second, 1)
      isPrompt = true
      second.answer = () => ({ status: 500 })
      const failing = yield* read(40)

      expect(yield* Fiber.join(before)).toEqual(Result.succeed(null))
      expect([isWaiting, yield* Fiber.join(after)]).toMatchObject([true, { success: { number: 64 } }])
      expect((yield* Fiber.join(failing))._tag).toBe("Failure")
    }),
  )

  it.effect(
    "batchFetcher: uses another node if the next one does not respond within two seconds, once per period",
    () =>
      Effect.gen(function* () {
        const { chain, first } = yield* withHanging
        yield* chain.head
        const range = Effect.flatMap(chain.batchFetcher(1), (fetcher) => fetcher.blocks([1, 2]))
        const ranges = yield* Effect.forkScoped(Effect.replicateEffect(range, 9))
        yield* ScriptedFetch.advance(first, 2)
        const fetched = ranges.pollUnsafe()

        expect(fetched).toMatchObject({ value: Array.from({ length: 9 }, () => [{ number: 1n }, { number: 2n }]) })
      }),
  )
})
