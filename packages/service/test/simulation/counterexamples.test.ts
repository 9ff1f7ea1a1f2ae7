/** Counterexamples found by simulations, each reduced to its cause. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as NodeResponse from "./NodeResponse.ts"
import { grown, run, tree } from "./script.ts"
import * as Tree from "./Tree.ts"

const internalError = { error: { code: -32603, message: "header not found" } }
const missing = (method: string) => ({ error: { code: -32601, message: `the method ${method} does not exist` } })

describe("ChainIndexer", () => {
  describe("run", () => {
    it("run: removes no block if a node returns another branch once and the stored one afterwards", async () => {
      const world = tree()
      const shared = grown(world, world.genesis, 2)
      const head = grown(world, shared, 6)
      const other = grown(world, shared, 3)
      let times = 0

      const { checkpoint, events } = await run({
        nodes: ["a"],
        head: () => head,
        respond: ({ millis, params }) =>
          params[0] === "latest" && millis > 3000 && times++ === 0 ? { result: NodeResponse.plain(other) } : undefined,
        forMillis: 8000,
      })

      expect(times).toBeGreaterThan(0)
      expect(events.filter(({ _tag }) => _tag === "Reorged")).toEqual([])
      expect(checkpoint?.head).toEqual({ number: 8, hash: head.hash })
    })

    it("run: ignores a header with another number than requested", async () => {
      const world = tree()
      const shared = grown(world, world.genesis, 6)
      const before = grown(world, shared, 1)
      const after = grown(world, shared, 2)
      let head = before
      let faulty = 0

      const { checkpoint, events } = await run({
        nodes: ["a"],
        head: () => head,
        respond: ({ millis, params: [id, flag] }) => {
          if (millis > 3000) head = after
          if (flag !== false || id !== "0x6" || faulty++ > 0) return undefined
          return { result: NodeResponse.plain(Tree.at(head, 3)!) }
        },
        forMillis: 10_000,
      })

      expect(faulty).toBeGreaterThan(0)
      expect(events.filter(({ _tag }) => _tag === "Reorged")).toMatchObject([{ to: { number: 6 } }])
      expect(checkpoint?.head.hash).toBe(after.hash)
    })

    it("run: waits while a node returns no latest block", async () => {
      const world = tree()
      const head = grown(world, world.genesis, 4)

      const { checkpoint, hasEnded } = await run({
        nodes: ["a"],
        head: () => head,
        respond: ({ millis, params }) => (params[0] === "latest" && millis < 3000 ? { result: null } : undefined),
        forMillis: 15_000,
      })

      expect(hasEnded).toBe(false)
      expect(checkpoint?.head.hash).toBe(head.hash)
    })

    it("run: detects the tracer again after a transient failure was taken for a supported method", async () => {
      const world = tree()
      const head = grown(world, world.genesis, 6)
      let times = 0

      const { checkpoint, rows } = await run({
        nodes: ["a"],
        head: () => head,
        respond: ({ method, params }) => {
          if (method === "trace_block") return times++ < 2 ? internalError : missing(method)
          if (method !== "debug_traceBlockByHash") return undefined
          return { result: NodeResponse.frames(world.byHash.get(String(params[0]))!) }
        },
        forMillis: 60_000,
      })

      expect(checkpoint?.head.hash).toBe(head.hash)
      expect(rows.filter(({ internal }) => internal === null)).toEqual([])
    })

    it("run: stores no block without traces if the only queried node has no tracer", async () => {
      const world = tree()
      const head = grown(world, world.genesis, 8)
      let faulty = 0

      const { checkpoint, rows } = await run({
        nodes: ["a", "b"],
        head: () => head,
        respond: ({ method, millis, node }) => {
          if (node === "b") return method.includes("trace") ? missing(method) : undefined
          if (method !== "eth_getBlockReceipts" || millis > 5000) return undefined
          faulty++
          return { result: [] }
        },
        forMillis: 60_000,
      })

      expect(faulty).toBeGreaterThan(0)
      expect(checkpoint?.head.hash).toBe(head.hash)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.filter(({ internal }) => internal === null)).toEqual([])
    })

    it("run: finalizes no block that the node dropped while its finalized block was read", async () => {
      const world = tree()
      const shared = grown(world, world.genesis, 4)
      const before = grown(world, shared, 6)
      const after = grown(world, shared, 10)
      let head = before
      const seen: Array<readonly [head: string, finalized: number | null]> = []

      await run({
        nodes: ["a"],
        head: () => head,
        respond: ({ params }) => {
          if (params[0] !== "finalized") return undefined
          head = after
          return { result: NodeResponse.plain(Tree.at(after, 9)!) }
        },
        forMillis: 8000,
        watch: (store) =>
          store
            .snapshot((snapshot) => snapshot.checkpoint)
            .pipe(
              Effect.map((checkpoint) => {
                if (checkpoint !== null) seen.push([checkpoint.head.hash, checkpoint.finalized])
              }),
              Effect.orDie,
            ),
      })

      expect(seen.filter(([hash, finalized]) => hash === before.hash && finalized !== null)).toEqual([])
      expect(seen.at(-1)).toEqual([after.hash, 9])
    })
  })
})
