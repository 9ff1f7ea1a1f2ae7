/** A process that rewrites blocks of an earlier version is killed after some of its steps; nothing is lost, and the next one goes on. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import * as Verify from "../../../src/maintenance/Verify.ts"
import { dump } from "../../maintenance/damage.ts"
import * as TestStore from "../TestStore.ts"
import { bodiesOf, pageBodies, ref } from "../TestDatabase.ts"
import { chainOn, seeded } from "../model.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as Stored from "./storedRows.ts"

vi.setConfig({ testTimeout: 600_000 })

/** Kills of the run; more are set for a long one. */
const kills = Number(process.env["DAYBOOK_REWRITE_KILLS"] ?? 2)
const blocks = 2_000
/** Steps before all kills together, on average; twice as many do not rewrite all blocks. */
const steps = blocks / 5

/** Kills a process after so many steps; true when it had ended before. */
const runFor = async (folder: string, most: number): Promise<boolean> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./rewrite.process.ts", import.meta.url)), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  let begun = 0
  createInterface(child.stdout).on("line", () => ++begun > most && child.kill("SIGKILL"))
  const [code] = (await ended) as [number | null]
  return code === 0
}

describe("a process that rewrites blocks", () => {
  it.live("rewriteBlocks: killed in any of its steps, loses nothing and goes on", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "chain-test.sqlite")
      const chain = chainOn(null, blocks)
      yield* Effect.scoped(Effect.flatMap(TestStore.inFolder(folder), (store) => store.append(null, chain)))
      const before = dump(file)
      Stored.downgrade(file, ref.id)
      const expected = bodiesOf(chain)
      const numbers = seeded(3)
      let stopped = 0
      for (let kill = 0; kill < kills; kill++) {
        const isDone = yield* Effect.promise(() => runFor(folder, numbers.below(2 * Math.ceil(steps / kills))))
        if (!isDone) stopped++
        yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* TestStore.inFolder(folder)
            const all = { limit: blocks, key: "", from: 0, to: 1e9, order: "ASC", after: null } as const
            const key = chain[0]!.transactions[0]!.addresses[0]!
            expect(yield* pageBodies(store, { ...all, key })).toEqual(expected)
            const { issues, orphaned } = yield* Verify.run(store.database.chain(ref).audit)
            // Documents of this test name no wallets.
            expect([issues.filter(({ what }) => /checksum|stored|lacks/.test(what)), orphaned]).toEqual([[], []])
          }),
        )
      }
      expect(stopped).toBeGreaterThan(0)
      yield* Effect.promise(() => runFor(folder, Number.POSITIVE_INFINITY))
      expect(dump(file)).toEqual(before)
    }),
  )
})
