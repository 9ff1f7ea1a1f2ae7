/** A process that rewrites blocks of an earlier version is killed at random instants; nothing is lost, and the next one goes on. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
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
const blocks = 4_000

/** Kills a process after some time; true when it had ended before. */
const runFor = async (folder: string, millis: number): Promise<boolean> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./rewrite.process.ts", import.meta.url)), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  await once(child.stdout, "data")
  await Promise.race([setTimeout(millis), ended])
  child.kill("SIGKILL")
  const [code] = (await ended) as [number | null]
  return code === 0
}

describe("a process that rewrites blocks", () => {
  it.live("rewriteBlocks: killed at random instants, loses nothing and goes on", () =>
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
        const isDone = yield* Effect.promise(() => runFor(folder, numbers.below(2 * Math.ceil(600 / kills))))
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
      yield* Effect.promise(() => runFor(folder, 60_000))
      expect(dump(file)).toEqual(before)
    }),
  )
})
