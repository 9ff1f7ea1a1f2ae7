/** The contract also holds for documents that are stored as plain text. */
import * as Runs from "@daybook/harness/Runs"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Engine from "../../../src/store/Engine.ts"
import { blockContract } from "../contract.ts"
import { blockOn, chainOn, refOf } from "../model.ts"
import { pageBodies, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"
import { dumpOf } from "./dumpOf.ts"

const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "chain-test.sqlite"))

const connect = (file: string, documents: "plain" | "zstd") =>
  Engine.fromUrl(`sqlite:${dirname(file)}`, "/", { documents })

blockContract(
  "SQLite with plain documents",
  Effect.map(temporaryFile, (file) => ({
    connect: connect(file, "plain"),
    setClock: TestClock.setTime,
    dump: Effect.sync(() => dumpOf(file)),
  })),
  // The other form of the documents runs more of them.
  Runs.usualPart / 2,
)

describe("plain documents", () => {
  it.effect("a file contains the texts unchanged, and either setting can read and extend it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const blocks = chainOn(null, 2)
      const plain = { ...blockOn(null), facts: '{"feeRecipient":null}' }
      const append = (documents: "plain" | "zstd", parent: typeof plain | null, block: typeof plain) =>
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* TestStore.open(yield* connect(file, documents), ref)
            yield* store.append(parent && refOf(parent), [block])
            return [yield* pageBodies(store), yield* store.snapshot((snapshot) => snapshot.blockFacts(plain.number))]
          }),
        )
      const second = { ...blocks[1]!, parentHash: plain.hash, facts: plain.facts }

      yield* append("plain", null, plain)
      const database = new DatabaseSync(file)
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      database.close()
      const bytes = readFileSync(file)
      expect(bytes.includes(plain.transactions[0]!.body)).toBe(true)
      expect(bytes.includes(plain.facts)).toBe(true)

      expect(yield* append("zstd", plain, second)).toEqual([
        [plain.transactions[0]!.body, second.transactions[0]!.body],
        plain.facts,
      ])
    }),
  )
})
