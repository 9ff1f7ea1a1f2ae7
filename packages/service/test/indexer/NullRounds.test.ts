/** Chains with numbers that have no block, as Filecoin has. */
import { Eventually } from "@daybook/harness"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import * as NullRounds from "../../src/node/NullRounds.ts"
import { Engine } from "../../src/store/Engine.ts"
import { decoder, openStore } from "./chain.ts"
import { hashOf, head, healthy } from "./scriptedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

const urls = ["http://node.example:8545"]

/** A node without blocks at some numbers; each other block is linked to the last one below. */
const lacking =
  (missing: ReadonlySet<number>): ScriptedFetch.Handler =>
  (method, params) => {
    const reply = healthy(method, params)
    const number = Number(params[0])
    if (missing.has(number)) {
      return { error: { code: 12, message: `requested epoch was a null round (${number})`, data: number } }
    }
    if (method !== "eth_getBlockByNumber" || !("result" in reply)) return reply
    // Sound: a healthy node responds with a block.
    const block = reply.result as { readonly number: string }
    let parent = Number(block.number) - 1
    while (missing.has(parent)) parent -= 1
    return { result: { ...block, parentHash: hashOf(Math.max(0, parent)) } }
  }

const nodeOf = (answer: ScriptedFetch.Handler, chainId = 31337) =>
  Node.make({ urls, chainId, fetch: ScriptedFetch.make(answer).fetch })

describe("numbers without a block", () => {
  it.live(
    "are filled with a block without transactions and with the hash of the block below, until a reorg adds one",
    () =>
      Effect.gen(function* () {
        const missing = new Set([1, 100, 101, 102, 250, head - 1])
        const otherHead = `0x${"e".repeat(64)}`
        let isOther = true
        const store = yield* openStore
        const node = yield* nodeOf((method, params) => {
          const reply = lacking(missing)(method, params)
          return isOther ? JSON.parse(JSON.stringify(reply).replaceAll(hashOf(head), otherHead)) : reply
        })
        const options = { chain: store.ref.name, chainId: store.ref.id, owner: "me", decoder, checks: "links" } as const
        yield* ChainIndexer.run(node, { ...options, pollMillis: 10 }).pipe(
          Effect.provideService(Engine, store.database),
          Effect.forkScoped,
        )
        const hashesAt = (...numbers: ReadonlyArray<number>) =>
          Effect.forEach(numbers, (number) => Effect.map(store.headers(number, number), ([one]) => one?.hash))
        yield* Eventually.untilEffect(Effect.map(hashesAt(head), ([hash]) => hash === otherHead))
        const stored = yield* hashesAt(1, 100, 101, 102, 103, 250, head - 1)
        missing.delete(head - 1)
        isOther = false
        yield* Eventually.untilEffect(Effect.map(hashesAt(head), ([hash]) => hash === hashOf(head)))

        expect(stored).toEqual([0, 99, 99, 99, 103, 249, head - 2].map(hashOf))
        expect(yield* hashesAt(head - 2, head - 1)).toEqual([head - 2, head - 1].map(hashOf))
      }),
  )

  it.effect("header: is the header of the block below, with its own number", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(lacking(new Set([7, 8])))

      expect(yield* node.header(8)).toMatchObject({ number: 8, hash: hashOf(6), parentHash: hashOf(6) })
    }),
  )

  it.effect("a node that rejects every number is asked for 1,000 lower ones, and has no block", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const node = yield* nodeOf((method, params) => {
        if (method === "eth_chainId") return healthy(method, params)
        asked.push(params[0])
        return { error: { code: 12, message: "requested epoch was a null round" } }
      })

      expect(yield* node.block(5_000)).toBe(null)
      expect(asked).toHaveLength(NullRounds.maxRounds + 1)
    }),
  )

  it.effect("a node that rejects every number down to the first one has no block", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(lacking(new Set(Array.from({ length: 50 }, (_, number) => number))))

      expect(yield* node.block(20)).toBe(null)
    }),
  )
})
