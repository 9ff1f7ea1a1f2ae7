import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import * as Watch from "./Watch.ts"

vi.setConfig({ testTimeout: 180_000 })

it.live("run: wallets whose search is killed twice have the rows of an index of every wallet, in few calls", () =>
  Effect.gen(function* () {
    const indexed = yield* Watch.make(1_000, [6, 25])
    const alone = yield* Watch.searchOne(indexed, indexed.plan.wallets[1]!)
    const killed = yield* Watch.searchKilled(indexed, 2, alone.calls / 2, 1)

    expect([alone.rows, alone.differences]).toEqual([25, []])
    // A search that reads each block would take three calls per block.
    expect(alone.calls).toBeLessThan(1_000)
    expect([killed.killed, killed.rows, killed.differences]).toEqual([2, 31, []])
  }).pipe(Effect.scoped),
)
