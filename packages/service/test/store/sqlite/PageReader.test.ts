/** What a page reads from the file: its memory is bounded by the page, whatever the wallet has. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Projection } from "../../../src/block/Projection.ts"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import * as PageReader from "../../../src/store/sqlite/PageReader.ts"
import { chainOn, wallets } from "../model.ts"
import { all, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

const [wallet = ""] = wallets

/** A projection with a text of this many characters for each transaction. */
const texts = (characters: number): Projection => ({
  id: "texts",
  kind: "entries",
  revision: 1,
  rows: ({ transactions }) =>
    transactions.map(({ addresses, index }) => ({
      index,
      body: "x".repeat(characters),
      keys: addresses,
    })),
})

/** A page of 10 entries of a wallet with 40 of them, and the characters of texts that were read for it. */
const read = Effect.fnUntraced(function* (characters: number, maxBytes: number) {
  const folder = yield* temporaryFolder
  yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(folder, ref)
      yield* store.append(null, chainOn(null, 40))
      yield* store.fill(texts(characters), 100)
    }),
  )
  const connection = Connection.connectUnsafe({ file: join(folder, "chain-test.sqlite"), readOnly: true })
  let characterCount = 0
  const counting: Connection.Connection = {
    ...connection,
    valuesUnsafe: <Row extends ReadonlyArray<unknown>>(sql: string, params: Connection.Params) => {
      const rows = connection.valuesUnsafe<Row>(sql, params)
      for (const value of rows.flat()) if (typeof value === "string") characterCount += value.length
      return rows
    },
  }
  const query = { ...all, key: wallet, order: "ASC", limit: 10, maxBytes } as const
  const { hasMore, rows } = PageReader.entriesUnsafe(counting, "texts", query)
  connection.close()
  return { rows: rows.length, hasMore, characterCount }
})

describe("PageReader", () => {
  it.effect("entriesUnsafe: reads only the texts of the page if they are larger than its share for each row", () =>
    Effect.gen(function* () {
      expect(yield* read(1_000, 3_000)).toEqual({ rows: 3, hasMore: true, characterCount: 3_000 })
      expect(yield* read(220, 2_200)).toEqual({ rows: 10, hasMore: true, characterCount: 2_200 })
    }),
  )

  it.effect("entriesUnsafe: reads small texts with their rows, and no more than the page may hold", () =>
    Effect.gen(function* () {
      expect(yield* read(100, 2_200)).toEqual({ rows: 10, hasMore: true, characterCount: 1_100 })
    }),
  )
})
