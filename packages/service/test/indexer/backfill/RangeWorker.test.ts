import { describe, it } from "@effect/vitest"
import { Effect, References, Result } from "effect"
import { expect } from "vitest"
import * as RangeWorker from "../../../src/indexer/backfill/RangeWorker.ts"
import * as BatchFetcher from "../../../src/node/BatchFetcher.ts"
import type { Node } from "../../../src/node/Node.ts"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import * as HashRules from "../../../src/verification/HashRules.ts"
import { decoder } from "../chain.ts"
import { emptyBlock } from "../emptyBlocks.ts"

const request = { from: 10, to: 13, rules: HashRules.none, isTraced: false, watch: null, hasLedger: true }

/** Fetches the range from a node of empty blocks, with some methods replaced. */
const fetch = (
  methods: Partial<Node>,
  options: {
    readonly isTraced?: boolean
    readonly prepare?: (block: BlockRows) => BlockRows
    readonly checks?: HashRules.Level
    readonly rules?: HashRules.HashRules
  } = {},
) => {
  const { checks = "links", isTraced = false, prepare = (block) => block, rules = request.rules } = options
  let [polls, forgotten] = [0, 0]
  // Sound: nothing else of a node is called for blocks without transactions.
  const node = {
    batchFetcher: () => Effect.succeed(BatchFetcher.none),
    block: (number: number) => Effect.succeed(emptyBlock(number)),
    receipts: () => Effect.succeed([]),
    traces: () => Effect.succeed(null),
    traceSource: Effect.succeed("off"),
    isSettled: () => true,
    head: Effect.sync(() => (polls += 1)),
    forgetMissingTracer: Effect.sync(() => (forgotten += 1)),
    ...methods,
  } as unknown as Node
  const worker = RangeWorker.make({ node, assembling: { decoder, checks } }, prepare)
  return worker({ ...request, isTraced, rules }).pipe(
    Effect.map(({ rows, ...response }) => ({
      ...response,
      numbers: rows.map(({ number }) => number),
      polls,
      forgotten,
      rows,
    })),
    Effect.provideService(References.MinimumLogLevel, "None"),
  )
}

describe("RangeWorker", () => {
  it.effect("make: fetches a range and prepares each of its blocks", () =>
    Effect.gen(function* () {
      const { numbers, polls, rows, size } = yield* fetch(
        {},
        { prepare: (block) => ({ ...block, prepared: block.number }) },
      )

      expect([numbers, size, polls]).toEqual([[10, 11, 12, 13], 1, 0])
      expect(rows.map(({ prepared }) => prepared)).toEqual(numbers)
    }),
  )

  it.effect("make: returns the deviations of accepted blocks with their rows", () =>
    Effect.gen(function* () {
      const rules: HashRules.HashRules = [
        { fromBlock: 0n, headerHash: true, blooms: false, roots: false, withdrawals: false },
      ]
      const block: Node["block"] = (number) => Effect.succeed(emptyBlock(number, { forkRoot: "0x1" }))
      const { deviations, numbers } = yield* fetch({ block }, { checks: "standard", rules })

      expect(deviations).toEqual(
        numbers.map((number) => ({
          block: number,
          deviations: [{ kind: "unknown header fields", detail: "forkRoot" }],
        })),
      )
      expect(numbers).toEqual([10, 11, 12, 13])
    }),
  )

  it.effect("make: polls the head first if the range may be near it", () =>
    Effect.gen(function* () {
      expect(yield* fetch({ isSettled: () => false })).toMatchObject({ numbers: [10, 11, 12, 13], polls: 1 })
    }),
  )

  it.effect("make: returns the blocks below one that cannot be fetched", () =>
    Effect.gen(function* () {
      const block: Node["block"] = (number) => Effect.succeed(number === 12 ? null : emptyBlock(number))

      expect(yield* fetch({ block })).toMatchObject({ numbers: [10, 11] })
    }),
  )

  it.effect("make: fetches a range if both it and the indexer have a tracer, even a different one", () =>
    Effect.gen(function* () {
      for (const source of ["debug_traceBlock", "trace_block"] as const) {
        const traceSource = Effect.succeed(source)
        expect(yield* fetch({ traceSource }, { isTraced: true })).toMatchObject({ numbers: [10, 11, 12, 13] })
      }
    }),
  )

  it.effect(
    "make: fetches nothing if only one of it and the indexer has a tracer, or none responds, and detects the tracer again",
    () =>
      Effect.gen(function* () {
        const declined = { numbers: [], size: null, forgotten: 1 }
        const failing = Effect.fromResult(Result.fail("gone" as never))

        expect(yield* fetch({ traceSource: Effect.succeed("trace_block") })).toMatchObject(declined)
        expect(yield* fetch({}, { isTraced: true })).toMatchObject(declined)
        expect(yield* fetch({ traceSource: failing })).toMatchObject(declined)
      }),
  )

  it.effect("make: fetches nothing after an unexpected error", () =>
    Effect.gen(function* () {
      const block = () => Effect.die(new Error("a bug"))

      expect(yield* fetch({ block })).toMatchObject({ numbers: [], size: null })
    }),
  )
})
