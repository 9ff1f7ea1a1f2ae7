import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import * as CoreWait from "../../src/supervision/CoreWait.ts"

const path = "/proc/thread-self/schedstat"

/** Current value reported by Linux, in milliseconds; 0 elsewhere. */
const stated = () => (existsSync(path) ? Number(readFileSync(path, "utf8").split(" ")[1]) / 1e6 : 0)

describe("CoreWait", () => {
  it.effect(
    "reader: reads the wait that Linux reports for the thread, and the last value once its scope is closed",
    () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const read = yield* Scope.provide(CoreWait.reader, scope)
        const [before, waited, after] = [stated(), read(), stated()]
        yield* Scope.close(scope, Exit.void)

        expect(waited).toBeGreaterThanOrEqual(before)
        expect(waited).toBeLessThanOrEqual(after)
        expect(read()).toBe(waited)
      }),
  )
})
