import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Checker from "./Checker.ts"
import { expectExact } from "./expectExact.ts"
import * as Safeguards from "./Safeguards.ts"

vi.setConfig({ testTimeout: 120_000 })

const url = Effect.map(temporaryFolder, (folder) => `sqlite:${folder}`)

describe("Checker", () => {
  it.live("run: finds SQLite's pages exact while writers die, pause and continue without their lease", () =>
    Effect.flatMap(url, expectExact),
  )

  it.live("run: finds a write by a process that lost its lease if no write compares its token", () =>
    Effect.gen(function* () {
      const { edits } = Safeguards.all.find(({ name, subject }) => subject === "sqlite" && name.includes("token"))!

      const seen = yield* Checker.run({ url: yield* url, pages: 100, seed: 1, edits })

      expect(seen.accepted).toBeGreaterThan(0)
    }),
  )
})
