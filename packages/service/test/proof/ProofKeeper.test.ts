import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { StateUnavailable } from "../../src/node/CallsError.ts"
import type { Node } from "../../src/node/Node.ts"
import { NotIndexed } from "../../src/proof/LedgerScope.ts"
import * as ProofKeeper from "../../src/proof/ProofKeeper.ts"
import type { ChainStore } from "../../src/store/Database.ts"
import { StoreError } from "../../src/store/StoreError.ts"

const busy = new StoreError({ message: "The database is busy.", isRetryable: true, cause: null })

describe("ProofKeeper", () => {
  it.effect("run: opens a store that was busy again, and logs the reason once", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      let [opened, turns] = [0, 0]
      // Sound: the turn ends before it reads the chain or calls the node.
      const store = {
        reader: {},
        proofs: Effect.suspend(() => (++opened <= 3 ? Effect.fail(busy) : Effect.succeed({}))),
      } as unknown as ChainStore
      const watch = Effect.suspend(() => {
        turns += 1
        return Effect.fail(busy)
      })
      const fiber = yield* ProofKeeper.run({
        chain: "eth",
        node: {} as Node,
        store,
        watch,
        callsPerMinute: 600,
        isIdle: () => true,
      }).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])),
        Effect.forkScoped,
      )
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.interrupt(fiber)

      expect(opened).toBe(4)
      expect(turns).toBeGreaterThan(0)
      expect(logged).toEqual(["Opening balances and proofs are not up to date: The database is busy."])
    }),
  )

  it.effect("run: goes on after a read that throws, and logs the reason once", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      let turns = 0
      const watch = Effect.suspend(() => {
        turns += 1
        return Effect.die(new TypeError("tokens is not iterable"))
      })
      // Sound: the turn ends before it reads the chain or calls the node.
      const store = { reader: {}, proofs: Effect.succeed({}) } as unknown as ChainStore
      const node = {} as Node
      const fiber = yield* ProofKeeper.run({
        chain: "eth",
        node,
        store,
        watch,
        callsPerMinute: 600,
        isIdle: () => true,
      }).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])),
        Effect.forkScoped,
      )
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.interrupt(fiber)

      expect(turns).toBeGreaterThan(1)
      expect(logged).toEqual(["Opening balances and proofs are not up to date: tokens is not iterable"])
    }),
  )

  it.effect.each([
    ["after a second where nothing is indexed", new NotIndexed({ chain: "eth", derived: null, block: null }), 61],
    [
      "after a second where the node has no state",
      new StateUnavailable({ host: "node", method: "eth_call", block: 1, reason: "pruned", firstBlock: null }),
      61,
    ],
    // After 5, 10 and 20 seconds.
    ["more and more seldom where the store fails", busy, 4],
  ] as const)("run: tries again %s", ([, failure, expected]) =>
    Effect.gen(function* () {
      let turns = 0
      // Sound: the loop does not see which part of a turn fails.
      const watch = Effect.suspend(() => {
        turns += 1
        return Effect.fail(failure)
      }) as unknown as Effect.Effect<null, StoreError>
      const store = { reader: {}, proofs: Effect.succeed({}) } as unknown as ChainStore
      const options = { chain: "eth", node: {} as Node, store, watch, callsPerMinute: 600, isIdle: () => true }
      const fiber = yield* ProofKeeper.run(options).pipe(Effect.provide(Logger.layer([])), Effect.forkScoped)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(fiber)

      expect(turns).toBe(expected)
    }),
  )
})
