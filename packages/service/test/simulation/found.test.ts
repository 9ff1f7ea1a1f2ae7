/** What simulations found, each as small as it could be made. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Answers from "./Answers.ts"
import { grown, live, tree } from "./script.ts"
import * as Tree from "./Tree.ts"

const internalError = { error: { code: -32603, message: "header not found" } }
const missing = (method: string) => ({ error: { code: -32601, message: `the method ${method} does not exist` } })

describe("Indexer", () => {
  describe("run", () => {
    it("removes no block when a node shows another branch once and ours when it is asked again", async () => {
      const world = tree()
      const shared = grown(world, world.genesis, 2)
      const head = grown(world, shared, 6)
      const other = grown(world, shared, 3)
      let times = 0

      const { checkpoint, events } = await live({
        nodes: ["a"],
        head: () => head,
        say: ({ millis, params }) =>
          params[0] === "latest" && millis > 3000 && times++ === 0 ? { result: Answers.plain(other) } : undefined,
        forMillis: 8000,
      })

      expect(times).toBeGreaterThan(0)
      expect(events.filter(({ _tag }) => _tag === "Reorged")).toEqual([])
      expect(checkpoint?.head).toEqual({ number: 8, hash: head.hash })
    })

    it("compares no header of another number than it asked for", async () => {
      const world = tree()
      const shared = grown(world, world.genesis, 6)
      const before = grown(world, shared, 1)
      const after = grown(world, shared, 2)
      let head = before
      let lies = 0

      const { checkpoint, events } = await live({
        nodes: ["a"],
        head: () => head,
        say: ({ millis, params: [id, flag] }) => {
          if (millis > 3000) head = after
          if (flag !== false || id !== "0x6" || lies++ > 0) return undefined
          return { result: Answers.plain(Tree.at(head, 3)!) }
        },
        forMillis: 10_000,
      })

      expect(lies).toBeGreaterThan(0)
      expect(events.filter(({ _tag }) => _tag === "Reorged")).toMatchObject([{ to: { number: 6 } }])
      expect(checkpoint?.head.hash).toBe(after.hash)
    })

    it("waits while a node has no newest block", async () => {
      const world = tree()
      const head = grown(world, world.genesis, 4)

      const { checkpoint, hasEnded } = await live({
        nodes: ["a"],
        head: () => head,
        say: ({ millis, params }) => (params[0] === "latest" && millis < 3000 ? { result: null } : undefined),
        forMillis: 15_000,
      })

      expect(hasEnded).toBe(false)
      expect(checkpoint?.head.hash).toBe(head.hash)
    })

    it("finds the tracer again when a failure that passed was taken for a method", async () => {
      const world = tree()
      const head = grown(world, world.genesis, 6)
      let times = 0

      const { checkpoint, rows } = await live({
        nodes: ["a"],
        head: () => head,
        say: ({ method, params }) => {
          if (method === "trace_block") return times++ < 2 ? internalError : missing(method)
          if (method !== "debug_traceBlockByHash") return undefined
          return { result: Answers.frames(world.byHash.get(String(params[0]))!) }
        },
        forMillis: 60_000,
      })

      expect(checkpoint?.head.hash).toBe(head.hash)
      expect(rows.filter(({ internal }) => internal === null)).toEqual([])
    })

    it("stores no block without traces because the node that is asked alone has no tracer", async () => {
      const world = tree()
      const head = grown(world, world.genesis, 8)
      let lies = 0

      const { checkpoint, rows } = await live({
        nodes: ["a", "b"],
        head: () => head,
        say: ({ method, millis, node }) => {
          if (node === "b") return method.includes("trace") ? missing(method) : undefined
          if (method !== "eth_getBlockReceipts" || millis > 5000) return undefined
          lies++
          return { result: [] }
        },
        forMillis: 60_000,
      })

      expect(lies).toBeGreaterThan(0)
      expect(checkpoint?.head.hash).toBe(head.hash)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.filter(({ internal }) => internal === null)).toEqual([])
    })

    it("calls no block final that the node left while it was asked for its final one", async () => {
      const world = tree()
      const shared = grown(world, world.genesis, 4)
      const before = grown(world, shared, 6)
      const after = grown(world, shared, 10)
      let head = before
      const seen: Array<readonly [head: string, finalized: number | null]> = []

      await live({
        nodes: ["a"],
        head: () => head,
        say: ({ params }) => {
          if (params[0] !== "finalized") return undefined
          head = after
          return { result: Answers.plain(Tree.at(after, 9)!) }
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
