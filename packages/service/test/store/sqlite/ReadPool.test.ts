import { mkdirSync, readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Engine from "../../../src/store/Engine.ts"
import * as Checkpoints from "../../../src/store/sqlite/Checkpoints.ts"
import type { Connection } from "../../../src/store/sqlite/Connection.ts"
import * as ReadPool from "../../../src/store/sqlite/ReadPool.ts"
import * as Rows from "../../server/rows.ts"
import * as TestStore from "../TestStore.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const ref = { name: "eth", id: 1 }

/** Stores blocks up to a number in a folder. */
const stored = Effect.fnUntraced(function* (folder: string, to: number) {
  const store = yield* TestStore.open(yield* Engine.fromUrl(`sqlite:${folder}`, "/"), ref)
  yield* store.append(null, Rows.chain(0, to))
}, Effect.scoped)

const opened = (data: string) =>
  Effect.acquireRelease(
    Effect.sync(() => ReadPool.make(join(data, "chain-eth.sqlite"), ref.id)),
    ({ close }) => Effect.sync(close),
  )

describe("ReadPool", () => {
  it.effect("lend: a connection is given back outside of a transaction however its use ends", () =>
    Effect.gen(function* () {
      const data = join(yield* temporaryFolder, "data")
      yield* stored(data, 2)
      const pool = yield* opened(data)
      const used: Array<Connection> = []
      const ends: ReadonlyArray<Effect.Effect<unknown, string>> = [
        Effect.succeed("read"),
        Effect.fail("failed"),
        Effect.die("a defect"),
        Effect.interrupt,
        Effect.timeout(Effect.never, 0).pipe(Effect.orElseSucceed(() => "late")),
      ]
      for (const end of [...ends, ...ends]) {
        const lent = pool.lend((connection) => {
          used.push(connection)
          return end
        })
        yield* Effect.exit(lent)
      }

      expect(used).toHaveLength(10)
      expect(new Set(used).size).toBe(1)
      expect(used[0]?.isTransaction()).toBe(false)
    }).pipe(Effect.scoped),
  )

  it.effect("once: reads a replacement file after a second", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      const [data, copy, away] = [join(base, "data"), join(base, "copy"), join(base, "away")]
      yield* stored(data, 2)
      yield* stored(copy, 5)
      const pool = yield* opened(data)
      const head = pool.once((connection) => Checkpoints.readUnsafe(connection, ref.id).number)
      const before = yield* head
      mkdirSync(away)
      for (const name of readdirSync(data)) renameSync(join(data, name), join(away, name))
      for (const name of readdirSync(copy)) renameSync(join(copy, name), join(data, name))
      yield* TestClock.adjust("1 second")

      expect([before, yield* head]).toEqual([2, 5])
    }).pipe(Effect.scoped),
  )
})
