/** Limits and headers that an operator configured for a node. */
import type { Fetch } from "@daybook/transport/Fetch"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { NodeOptions } from "../../src/config/NodeConfig.ts"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import * as ScriptedFetch from "../indexer/ScriptedFetch.ts"

const url = "http://node.example:8545"
const hex = (number: number) => `0x${number.toString(16)}`

const answer: ScriptedFetch.Handler = (method, [first]) =>
  method === "eth_chainId"
    ? { result: "0x1" }
    : { result: { ...fixture.blockWire, number: first === "latest" ? hex(1_000) : first, transactions: [] } }

/** A node with these limits, and the requests that it received. */
const limited = Effect.fnUntraced(function* (options: Partial<NodeOptions>) {
  const scripted = ScriptedFetch.make(answer)
  const seen = { open: 0, maxOpen: 0, sizes: [] as Array<number>, headers: [] as Array<string | undefined> }
  const fetch: Fetch = async (to, init) => {
    const body = JSON.parse(String(init.body)) as unknown
    seen.maxOpen = Math.max(seen.maxOpen, (seen.open += 1))
    seen.sizes.push(Array.isArray(body) ? body.length : 1)
    seen.headers.push((init.headers as Readonly<Record<string, string>>)["authorization"])
    await new Promise((resolve) => setImmediate(resolve))
    seen.open -= 1
    return scripted.fetch(to, init)
  }
  const node = yield* Node.make({ urls: [{ url, ...options }], chainId: 1, traces: "off", fetch })
  yield* node.head
  return { node, seen, scripted }
})

const numbers = Array.from({ length: 40 }, (_, at) => at)

describe("Node with limits", () => {
  it.live("headers: are sent with each request", () =>
    Effect.gen(function* () {
      const { seen } = yield* limited({ headers: { authorization: "Bearer secret" } })

      expect(seen.headers).toEqual(seen.headers.map(() => "Bearer secret"))
      expect(seen.headers.length).toBeGreaterThan(0)
    }),
  )

  it.live("maxBatchSize, concurrency: limit the calls per request and the concurrent requests", () =>
    Effect.gen(function* () {
      const { node, seen } = yield* limited({ maxBatchSize: 5, concurrency: 2 })
      const fetcher = yield* node.batchFetcher(0)
      const fetched = yield* Effect.all(
        [fetcher.blocks(numbers), Effect.forEach(numbers, node.header, { concurrency: 40 })],
        {
          concurrency: 2,
        },
      )

      expect(fetched.map((blocks) => blocks.filter((block) => block !== null).length)).toEqual([40, 40])
      expect(Math.max(...seen.sizes)).toBe(5)
      expect(seen.maxOpen).toBe(2)
    }),
  )

  it.effect("perSecond: limits the calls per second", () =>
    Effect.gen(function* () {
      const { node, scripted } = yield* limited({ perSecond: 5 })
      const fiber = yield* Effect.forkChild(Effect.forEach(numbers.slice(0, 20), node.header, { concurrency: 20 }))
      const calls: Array<number> = []
      for (let second = 0; second < 5; second++) {
        const before = scripted.calls.length
        yield* ScriptedFetch.advance(scripted, 1)
        calls.push(scripted.calls.length - before)
      }
      yield* Fiber.join(fiber)

      expect(Math.max(...calls.slice(1))).toBeLessThanOrEqual(5)
      expect(calls.reduce((sum, count) => sum + count, 0)).toBe(20)
    }),
  )
})
