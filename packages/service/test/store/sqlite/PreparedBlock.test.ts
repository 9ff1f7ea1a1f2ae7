/** Rows that another thread prepared equal those that an append creates. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as Folder from "../../../src/store/sqlite/Folder.ts"
import { blockOn, seed, seeded, wallets } from "../model.ts"
import { ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

const tables = ["document", "large_document", "large_internal", "history", "history_copy", "facts", "block"]

const rowsIn = (folder: string) => {
  const database = new DatabaseSync(join(folder, Folder.chainFile(ref.name)), { readOnly: true })
  const rows = tables.map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())
  database.close()
  return rows
}

/** The rows of the file after blocks were appended. */
const storedOf = Effect.fnUntraced(function* (blocks: ReadonlyArray<BlockRows>, documents: "plain" | "zstd") {
  const folder = yield* temporaryFolder
  const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/", { documents })
  const store = yield* TestStore.open(database, ref)
  yield* store.append(null, blocks)
  return rowsIn(folder)
})

/** As a block arrives from another thread. */
const sent = (block: BlockRows, documents: "plain" | "zstd") =>
  structuredClone(Engine.preparer("sqlite:data", { documents })(block))

/** Blocks with short and with long texts. */
const generated = (number: number): ReadonlyArray<BlockRows> => {
  const numbers = seeded(number)
  const long = "0123456789abcdef".repeat(1_100)
  const first = blockOn(null, { transactions: Array.from({ length: 1 + numbers.below(4) }, () => wallets.slice(0, 2)) })
  const second = blockOn(first, { transactions: [wallets.slice(1, 2)] })
  return [first, second].map((block) => ({
    ...block,
    facts: numbers.below(2) === 0 ? undefined : JSON.stringify({ miner: wallets[0] }),
    transactions: block.transactions.map((row) => ({
      ...row,
      body: numbers.below(3) === 0 ? JSON.stringify({ long }) : row.body,
      internal: numbers.below(3) === 0 ? JSON.stringify([long]) : row.internal,
    })),
  }))
}

describe("Engine.preparer", () => {
  it.effect.prop(
    "preparer: a prepared block is stored as the same rows",
    { seed },
    ({ seed: number }) =>
      Effect.gen(function* () {
        const documents = number % 2 === 0 ? "zstd" : "plain"
        const blocks = generated(number)
        const prepared = blocks.map((block) => sent(block, documents))

        expect(yield* storedOf(prepared, documents)).toEqual(yield* storedOf(blocks, documents))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 15 } },
  )

  it.effect("preparer: blocks prepared for another form or revision of documents are not stored as prepared", () =>
    Effect.gen(function* () {
      const block = blockOn(null, { transactions: [[wallets[0]!], [wallets[1]!]] })
      const revised = { ...block, decoderRevision: 2 }

      expect(yield* storedOf([sent(block, "plain")], "zstd")).toEqual(yield* storedOf([block], "zstd"))
      expect(yield* storedOf([{ ...sent(block, "zstd"), decoderRevision: 2 }], "zstd")).toEqual(
        yield* storedOf([revised], "zstd"),
      )
    }),
  )

  it.effect("preparer: a prepared block with a replaced document is stored as it was prepared", () =>
    Effect.gen(function* () {
      const block = blockOn(null, { transactions: [[wallets[0]!]] })
      const emptied = {
        ...sent(block, "zstd"),
        transactions: block.transactions.map((row) => ({ ...row, body: "{}" })),
      }

      expect(yield* storedOf([emptied], "zstd")).toEqual(yield* storedOf([block], "zstd"))
    }),
  )

  it("preparer: returns the block unchanged if the database is not known", () => {
    const block = blockOn(null)

    expect(Engine.preparer("mysql://host/db", {})(block)).toBe(block)
  })
})
