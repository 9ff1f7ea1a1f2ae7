import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StartCheck from "../../src/indexer/StartCheck.ts"

const genesis = Date.UTC(2024, 0, 1) / 1000

/** A chain with one block per second. */
const node = {
  header: (number: number) => Effect.succeed({ number, hash: "0x", parentHash: "0x", timestamp: genesis + number }),
}

const check = (options: StartCheck.Options, number: number) =>
  StartCheck.run(node, options, { number, hash: "0x", parentHash: "0x", timestamp: genesis + number })

describe("StartCheck", () => {
  it.effect("run: returns the configured block of an index that begins at it or above it", () =>
    Effect.gen(function* () {
      expect(yield* check({ fromBlock: 1_000 }, 1_000)).toEqual({ block: 1_000, note: null })
      expect(yield* check({ fromBlock: 10 }, 1_000)).toEqual({ block: 10, note: null })
      expect(yield* check({}, 5)).toEqual({ block: 0, note: null })
    }),
  )

  it.effect("run: returns the first block of the configured date, for an index that begins at it or above it", () =>
    Effect.gen(function* () {
      expect(yield* check({ fromBlock: 0, fromTimestamp: genesis + 1_000 }, 1_000)).toEqual({
        block: 1_000,
        note: null,
      })
      expect(yield* check({ fromTimestamp: genesis + 123 }, 1_000)).toEqual({ block: 123, note: null })
      expect(yield* check({ fromTimestamp: genesis - 1_000 }, 1_000)).toEqual({ block: 0, note: null })
      expect(yield* check({ fromTimestamp: genesis - 1_000 }, 0)).toEqual({ block: 0, note: null })
    }),
  )

  it.effect("run: treats blocks that the node has pruned as older than the date", () =>
    Effect.gen(function* () {
      const pruned = { header: (number: number) => (number < 400 ? Effect.succeed(null) : node.header(number)) }
      const first = { number: 1_000, hash: "0x", parentHash: "0x", timestamp: genesis + 1_000 }

      expect(yield* StartCheck.run(pruned, { fromTimestamp: genesis }, first)).toEqual({ block: 400, note: null })
    }),
  )

  it.effect("run: reports a start above the first block of the index, which keeps its blocks", () =>
    Effect.gen(function* () {
      expect(yield* check({ fromBlock: 1_000 }, 10)).toEqual({
        block: 1_000,
        note: "The index begins before the configured start: stored block 10, configured block 1000. The blocks below the configured start are kept and served.",
      })
      expect(yield* check({ fromTimestamp: genesis + 11 }, 10)).toEqual({
        block: 10,
        note: "The index begins before the configured start: stored block 10 of 2024-01-01T00:00:10.000Z, configured 2024-01-01T00:00:11.000Z. The blocks below the configured start are kept and served.",
      })
    }),
  )
})
