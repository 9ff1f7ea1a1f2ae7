import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil } from "@daybook/chain"
import * as Harness from "./Harness.ts"

vi.setConfig({ testTimeout: 120_000 })

describe("ChainIndexer killed at any statement", () => {
  it.live(
    "run: leaves a consistent store when killed at any statement, and the next indexer makes it equal to the chain",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const all = yield* Harness.run(node, { kills: 2, seed: 3 })

        expect(all).toHaveLength(2)
        expect(Harness.inTransaction(all).length).toBeGreaterThan(0)
      }),
  )
})
