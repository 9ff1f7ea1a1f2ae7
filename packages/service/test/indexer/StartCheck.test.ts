import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StartCheck from "../../src/indexer/StartCheck.ts"

const genesis = Date.UTC(2024, 0, 1) / 1000

/** A chain with a block a second. */
const node = {
  header: (number: number) => Effect.succeed({ number, hash: "0x", parentHash: "0x", timestamp: genesis + number }),
}

const check = (options: Omit<StartCheck.Options, "chain">, number: number) =>
  Effect.result(StartCheck.run(node, { chain: "my chain", ...options }, { number, timestamp: genesis + number }))

describe("StartCheck", () => {
  it.effect("run: accepts an index that begins with the configured block or date", () =>
    Effect.gen(function* () {
      const accepted = { _tag: "Success", success: null }

      expect(yield* check({ fromBlock: 1_000 }, 1_000)).toMatchObject(accepted)
      expect(yield* check({}, 0)).toMatchObject(accepted)
      expect(yield* check({ fromBlock: 0, fromTimestamp: genesis + 1_000 }, 1_000)).toMatchObject(accepted)
      expect(yield* check({ fromTimestamp: genesis - 1_000 }, 0)).toMatchObject(accepted)
    }),
  )

  it.effect("run: rejects a start before the index, with both values and the way out", () =>
    Effect.gen(function* () {
      const reindex = "or stop the service, run \"daybook reindex --all --chain 'my chain'\" and start it again."

      expect(yield* check({ fromBlock: 10 }, 1_000)).toMatchObject({
        _tag: "Failure",
        failure: {
          message: `The index of my chain begins after the configured start: stored block 1000, configured block 10. Set "fromBlock" to 1000; ${reindex}`,
        },
      })
      expect(yield* check({ fromTimestamp: genesis + 999 }, 1_000)).toMatchObject({
        _tag: "Failure",
        failure: {
          message: `The index of my chain begins after the configured start: stored block 1000 of 2024-01-01T00:16:40.000Z, configured 2024-01-01T00:16:39.000Z. Set "fromDate" to 2024-01-01T00:16:40.000Z; ${reindex}`,
        },
      })
    }),
  )

  it.effect("run: reports a start after the first block of the index, which keeps its blocks", () =>
    Effect.gen(function* () {
      expect(yield* check({ fromBlock: 1_000 }, 10)).toMatchObject({
        success:
          "The index begins before the configured start: stored block 10, configured block 1000. The blocks below it stay and are served.",
      })
      expect(yield* check({ fromTimestamp: genesis + 11 }, 10)).toMatchObject({
        success:
          "The index begins before the configured start: stored block 10 of 2024-01-01T00:00:10.000Z, configured 2024-01-01T00:00:11.000Z. The blocks below it stay and are served.",
      })
    }),
  )
})
