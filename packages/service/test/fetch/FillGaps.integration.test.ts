/**
 * A node that cannot trace a block and lacks a receipt of another. The blocks are stored with gaps, and filled from a
 * complete node.
 */
import { layer } from "@effect/vitest"
import type { Fetch } from "@daybook/transport/Fetch"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as FillGaps from "../../src/fetch/FillGaps.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as Node from "../../src/node/Node.ts"
import { Engine } from "../../src/store/Engine.ts"
import { decoder, openStore } from "../indexer/chain.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const chainId = 31337
const scenario = Scenario.layer({ blobs: false, blocks: 15 }).pipe(Layer.provideMerge(Anvil.layer()))

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A node that fails some calls. */
const failingOn =
  (isFailing: (call: Call) => boolean): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const asked = JSON.parse(init.body ?? "null") as Call | ReadonlyArray<Call>
    const answered: unknown = await response.json()
    const failing = new Set(
      [asked]
        .flat()
        .filter(isFailing)
        .map(({ id }) => id),
    )
    const replace = (reply: unknown) => {
      const { id } = reply as Call
      const error = { code: -32000, message: "missing trie node" }
      return failing.has(id) ? { jsonrpc: "2.0", id, error } : reply
    }
    return new Response(JSON.stringify(Array.isArray(answered) ? answered.map(replace) : replace(answered)))
  }

/** A node that returns no block before this many are requested. */
const together = (blocks: number): Fetch => {
  const asked = new Set<unknown>()
  let release = () => {}
  const all = new Promise<void>((resolve) => (release = resolve))
  return async (url, init) => {
    const calls = [JSON.parse(init.body ?? "null") as Call | ReadonlyArray<Call>].flat()
    const wanted = calls.filter(({ method, params }) => method === "eth_getBlockByNumber" && params[1] === true)
    for (const { params } of wanted) asked.add(params[0])
    if (asked.size >= blocks) release()
    if (wanted.length > 0) await all
    return fetch(url, init)
  }
}

const nodeOf = (url: string, isFailing: (call: Call) => boolean = () => false) =>
  Node.make({ urls: [url], chainId, fetch: failingOn(isFailing) })

const assembling = { decoder, checks: "standard" } as const

layer(scenario, { excludeTestServices: true })("FillGaps", (it) => {
  it.effect("run: fills gaps of several blocks at a time, and keeps those that no node can fill", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const store = yield* openStore
      const untraceable = new Set(["0x3", "0x5", "0x8"])
      const isTrace = ({ method }: Call) => /^(trace|debug)_/.test(method)
      const broken = yield* nodeOf(
        url,
        (call) => isTrace(call) && (call.method !== "trace_block" || untraceable.has(String(call.params[0]))),
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const options = { chain: store.ref.name, chainId, owner: "me", ...assembling }
          const indexing = ChainIndexer.run(broken, options).pipe(Effect.provideService(Engine, store.database))
          yield* Effect.forkScoped(indexing)
          const head = store.snapshot(({ checkpoint }) => checkpoint)
          while ((yield* head)?.head.number !== lastBlock) yield* Effect.sleep(50)
        }),
      )
      const counted = store.snapshot(({ gapCounts }) => gapCounts)
      const blocksWithGaps = Effect.map(store.gaps({ from: 0, to: 99, limit: 99 }), (gaps) => [
        ...new Set(gaps.map(({ block }) => block)),
      ])
      const before = (yield* counted).trace
      expect(yield* blocksWithGaps).toEqual([3, 5, 8])

      const chain = store.database.chain(store.ref)
      const none = yield* FillGaps.run(chain, broken, { assembling })
      expect(none).toMatchObject({ filled: 0, remaining: before })
      expect(none.failed[0]).toEqual({ block: 3, why: expect.stringContaining("missing trie node") })

      const ranged = yield* FillGaps.run(chain, yield* nodeOf(url), { assembling, from: 4, to: 6 })
      expect(ranged).toMatchObject({ remaining: 0, failed: [] })
      expect(yield* blocksWithGaps).toEqual([3, 8])

      const atOnce = yield* Node.make({ urls: [url], chainId, fetch: together(2) })
      const all = yield* FillGaps.run(chain, atOnce, { assembling })
      expect(all.filled + ranged.filled).toBe(before)
      expect(yield* counted).toEqual({ trace: 0, receipt: 0, transaction: 0, check: 0 })
      expect((yield* Verify.run(chain.audit)).issues).toEqual([])
    }).pipe(Effect.scoped),
  )
})
