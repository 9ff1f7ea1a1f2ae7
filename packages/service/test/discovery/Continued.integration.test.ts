/** Discoveries that end at any turn continue from their file, and find the same with few additional calls. */
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Discovery from "../../src/discovery/Discovery.ts"
import type { DiscoveredBlock } from "../../src/ledger/DiscoveredBlock.ts"
import * as DiscoveryFile from "../../src/discovery/DiscoveryFile.ts"
import * as Statement from "../../src/statement/Statement.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 18, seed: 4 }).pipe(Layer.provideMerge(Anvil.layer()))

/**
 * Discovers wallets with a file until a turn is not kept; returns the blocks, the turns, and the calls of the kept
 * turns.
 */
const discover = Effect.fnUntraced(function* (
  url: string,
  file: string,
  { addresses, at }: { readonly addresses: ReadonlyArray<string>; readonly at: number },
  maxTurns = Number.POSITIVE_INFINITY,
) {
  const connection = yield* NodeConnection.connect({ node: { url } })
  const { kept, write } = yield* DiscoveryFile.open(file, {
    chainId: connection.chainId,
    addresses,
    fromBlock: null,
    at,
  })
  const begun = yield* Statement.begin(connection, { addresses, at, found: kept ?? undefined })
  const before = connection.usage().calls
  let [turns, calls] = [0, 0]
  const discovery = Discovery.make(connection, begun, (state, fetched) =>
    Effect.gen(function* () {
      if (turns === maxTurns) return yield* Effect.interrupt
      turns += 1
      yield* Effect.orDie(write(state, fetched, { hasTraces: true, ledgerRevision: 1, calls: 0 }))
      calls = connection.usage().calls - before
    }),
  )
  const blocks: Array<DiscoveredBlock> = []
  const exit = yield* Effect.exit(
    Stream.runForEach(discovery.blocks, (block) => Effect.sync(() => void blocks.push(block))),
  )
  return { blocks, turns, calls, isComplete: Exit.isSuccess(exit) }
}, Effect.scoped)

layer(scenario, { excludeTestServices: true })("DiscoveryFile", (it) => {
  it.effect(
    "a discovery that ends in any turn continues with the same blocks, and repeats only the calls of that turn",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
        const what = { addresses: [accounts.alice, accounts.heidi, contracts.multisend], at: lastBlock }
        const base = yield* temporaryFolder
        const whole = yield* discover(url, join(base, "whole"), what)
        const inSteps = join(base, "steps")
        const runs = [yield* discover(url, inSteps, what, 1)]
        // Each ends in its first, second or third turn.
        while (!runs.at(-1)!.isComplete && runs.length < 100) {
          runs.push(yield* discover(url, inSteps, what, runs.length % 3))
        }
        const sum = (values: ReadonlyArray<number>) => values.reduce((all, one) => all + one, 0)

        expect(whole.isComplete).toBe(true)
        expect(whole.turns).toBeGreaterThan(5)
        expect(runs.length).toBeGreaterThan(5)
        expect(runs.at(-1)!.isComplete).toBe(true)
        expect(runs.at(-1)!.blocks).toEqual(whole.blocks)
        expect(sum(runs.map(({ turns }) => turns))).toBe(whole.turns)
        expect(sum(runs.map(({ calls }) => calls))).toBe(whole.calls)
      }).pipe(Effect.scoped),
  )
})
