import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { Node } from "../../src/node/Node.ts"
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
})
