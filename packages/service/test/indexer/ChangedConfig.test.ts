/**
 * An index that was made with another configuration: applicable changes are applied, and others are rejected with the
 * remedy.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import * as Status from "../../src/server/monitoring/Status.ts"
import { Engine } from "../../src/store/Engine.ts"
import type { TestStore } from "../store/TestStore.ts"
import { decoder, openStore } from "./chain.ts"
import { healthyAt } from "./scriptedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

interface Config extends Pick<
  ChainIndexer.Options,
  "fromBlock" | "fromTimestamp" | "allFrames" | "checks" | "watch" | "rules"
> {
  readonly traces?: "auto" | "off"
  /** False: the node has no tracer. `lost`: the method exists until a block is traced. */
  readonly hasTracer?: boolean | "lost"
}

/** Runs an indexer with a configuration for a few seconds, on a chain up to `head`, and reads the status. */
const runWith = Effect.fnUntraced(function* (
  store: TestStore,
  head: number,
  { hasTracer = true, traces = "auto", ...config }: Config,
) {
  const whole = healthyAt(head)
  let probes = 0
  const missingState = { error: { code: -32000, message: "missing trie node" } }
  const bare: ScriptedFetch.Handler = (method, params) => {
    if (method !== "trace_block") return whole(method, params)
    return hasTracer === "lost" && probes++ === 0 ? missingState : whole("unknown", params)
  }
  const scripted = ScriptedFetch.make(hasTracer === true ? whole : bare)
  const node = yield* Node.make({ urls: ["http://node.example"], chainId: 31337, fetch: scripted.fetch, traces })
  const { id, name } = store.ref
  const options = { chain: name, chainId: id, owner: "me", decoder, checks: "links", pollMillis: 500 } as const
  const fiber = yield* ChainIndexer.run(node, { ...options, ...config }).pipe(
    Effect.provideService(Engine, store.database),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.forkScoped,
  )
  yield* ScriptedFetch.advance(scripted, 3)
  const status = yield* store.snapshot((snapshot) =>
    Effect.map(Effect.all([snapshot.checkpoint, snapshot.status]), ([checkpoint, reported]) =>
      Status.fromReport(store.ref, checkpoint, reported),
    ),
  )
  yield* Fiber.interrupt(fiber)
  return status
})

describe("ChainIndexer with a changed configuration", () => {
  it.effect("fromBlock: blocks from a lower start are indexed below the first one, while the head is followed", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 20, { fromBlock: 10 })

      const status = yield* runWith(store, 30, { fromBlock: 5 })

      expect(status).toMatchObject({ state: "synced", ready: true, indexed: { from: 5, to: 30 } })
      expect([status.notes, status.prepend]).toEqual([undefined, undefined])
      expect(yield* store.headers(0, 99)).toHaveLength(26)
    }),
  )

  it.effect("fromBlock: blocks below the first one have the current settings, and the status reports it", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 20, { fromBlock: 10, traces: "off" })

      const status = yield* runWith(store, 30, { fromBlock: 5 })

      expect(status).toMatchObject({ indexed: { from: 5, to: 30 } })
      expect(status.notes).toEqual([
        'Internal transactions are missing in blocks 10 to 20. Stop the service and run "daybook reindex --from 10" to fetch them.',
      ])
    }),
  )

  it.effect("fromBlock: a higher start keeps the blocks below it, and the status reports it", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 20, { fromBlock: 10 })

      const status = yield* runWith(store, 30, { fromBlock: 15 })

      expect(status).toMatchObject({ state: "synced", indexed: { from: 10, to: 30 } })
      expect(status.notes).toEqual([
        "The index begins before the configured start: stored block 10, configured block 15. The blocks below the configured start are kept and served.",
      ])
      expect((yield* runWith(store, 30, { fromBlock: 10 })).notes).toBeUndefined()
    }),
  )

  it.effect("traces: turned on and off again, the status reports the first block with them", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 10, { traces: "off" })
      const on = yield* runWith(store, 20, { traces: "auto" })
      const still = yield* runWith(store, 25, { traces: "auto" })
      const off = yield* runWith(store, 30, { traces: "off" })

      expect(on.notes).toEqual([
        'Internal transactions are missing in blocks 0 to 10. Stop the service and run "daybook reindex --from 0" to fetch them.',
      ])
      expect([still.notes, still.traces]).toEqual([on.notes, "trace_block"])
      expect([off.notes, off.traces]).toEqual([
        [
          'Internal transactions are missing in blocks 0 to 10. Set "traces": "auto" and index those blocks again to fetch them.',
          "Internal transactions are not indexed from block 26 on.",
        ],
        "off",
      ])
    }),
  )

  it.effect(
    "traces: auto waits while no node can trace and the index has traces, and continues with one that can",
    () =>
      Effect.gen(function* () {
        const store = yield* openStore
        yield* runWith(store, 10, { traces: "auto" })
        const waiting = yield* runWith(store, 20, { traces: "auto", hasTracer: false })
        const resumed = yield* runWith(store, 20, { traces: "auto" })

        expect(waiting).toMatchObject({
          state: "waiting",
          ready: false,
          traces: "trace_block",
          indexed: { from: 0, to: 10 },
          message:
            'The index has internal transactions up to block 10, and no node can trace now. Add such a node. To continue without them, set "traces": "off" in the configuration of "daybook serve", or restart "daybook dev".',
        })
        expect(waiting.notes).toBeUndefined()
        expect(resumed).toMatchObject({ state: "synced", indexed: { from: 0, to: 20 } })
        expect(resumed.notes).toBeUndefined()
      }),
  )

  it.effect("traces: a tracer that disappears within a turn leaves no block without internal transactions", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 10, {})
      const lost = yield* runWith(store, 20, { hasTracer: "lost" })

      expect(lost).toMatchObject({ state: "waiting", indexed: { from: 0, to: 10 } })
      expect(lost.message).toContain("The index has internal transactions up to block 10, and no node can trace now.")
    }),
  )

  it.effect("traces: auto continues without a tracer if the index has no traces", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 10, { hasTracer: false })
      const next = yield* runWith(store, 20, { hasTracer: false })

      expect(next).toMatchObject({ state: "synced", traces: "off", indexed: { from: 0, to: 20 } })
      expect(next.notes).toBeUndefined()
    }),
  )

  it.effect("traces: off continues an index with traces, and the status names the blocks that lack them", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 10, {})
      const off = yield* runWith(store, 20, { traces: "off", hasTracer: false })
      const on = yield* runWith(store, 30, {})

      expect(off).toMatchObject({ state: "synced", indexed: { from: 0, to: 20 } })
      expect(off.notes).toEqual(["Internal transactions are not indexed from block 11 on."])
      expect(on.notes).toEqual([
        'Internal transactions are missing in blocks 11 to 20. Stop the service and run "daybook reindex --from 11" to fetch them.',
      ])
    }),
  )

  it.effect("notes: a setting that no stored block was indexed with is not reported", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* runWith(store, 10, { traces: "off" })
      const more = { checks: "standard", allFrames: true } as const
      const changed = yield* runWith(store, 10, { ...more, traces: "off" })
      const back = yield* runWith(store, 20, { traces: "off", allFrames: true })

      expect(changed.notes).toBeUndefined()
      expect(back.notes).toBeUndefined()
    }),
  )

  it.effect("checks and allFrames: apply to the next blocks, and the status reports the first of them", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      const before = yield* runWith(store, 10, { checks: "standard", allFrames: true })
      const after = yield* runWith(store, 20, { checks: "links", allFrames: false })

      expect(before.notes).toBeUndefined()
      expect(after.notes).toEqual([
        "STATICCALL and DELEGATECALL frames are not stored from block 11 on.",
        "Blocks are verified at level links from block 11 on.",
      ])
    }),
  )
})
