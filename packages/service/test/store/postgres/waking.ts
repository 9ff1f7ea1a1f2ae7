/** Tests that the notification of a write wakes a reader that waits for changes. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { chainOn, refOf } from "../model.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

const listeners = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`

/** Registers the tests of notifications on a server. */
export const waking = (server: () => string): void => {
  describe("awaitChange", () => {
    // The test clock does not advance, so the waiting reader never polls.
    it.effect("awaitChange: a committed write wakes a reader in another process before it polls again", () =>
      Effect.gen(function* () {
        const { rows, url } = yield* TestServer.emptied(server())
        const store = yield* TestStore.open(yield* TestServer.connect(url), ref)
        const blocks = chainOn(null, 3)
        const { reader } = (yield* TestServer.connect(url)).chain(ref)
        const first = yield* Effect.forkChild(reader.awaitChange(0))
        while ((yield* rows(listeners)).length === 0);
        yield* store.append(null, blocks.slice(0, 2))
        expect(yield* Fiber.join(first)).toBe(1)
        const second = yield* Effect.forkChild(reader.awaitChange(1))
        yield* store.append(refOf(blocks[1]!), blocks.slice(2))
        expect(yield* Fiber.join(second)).toBe(2)
      }),
    )
  })
}
