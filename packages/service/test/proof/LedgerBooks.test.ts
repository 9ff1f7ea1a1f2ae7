import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import type { Movement } from "../../src/ledger/Movement.ts"
import * as LedgerBooks from "../../src/proof/LedgerBooks.ts"
import type { ChainReader, Snapshot } from "../../src/store/ChainReader.ts"
import * as ChainSchema from "../../src/store/sqlite/ChainSchema.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import * as Ledgers from "../../src/store/sqlite/Ledgers.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const wallet = `0x${"01".repeat(20)}`

const received = (asset: number): Movement => ({
  wallet,
  counterparty: null,
  asset: `0x${asset.toString(16).padStart(40, "0")}`,
  tokenId: null,
  amount: 2n ** 255n,
  kind: "erc20",
  logIndex: null,
  isFailed: false,
})

/** Reads of a file with a row per block with this many movements, and the number of rows in each page. */
const readerOf = Effect.fnUntraced(function* (blocks: number, movements: number) {
  const file = join(yield* temporaryFolder, "ledgers.sqlite")
  const connection = yield* Connection.connect({ file, readOnly: false })
  for (const step of ChainSchema.schema.steps) connection.scriptUnsafe(step)
  const row = { wallet, index: 0, roles: 1, movements: Array.from({ length: movements }, (_, at) => received(at)) }
  for (let block = 0; block < blocks; block++) Ledgers.insertUnsafe(connection, [[block, LedgerCodec.pack([row])]])
  const pages: Array<number> = []
  const ledger: Snapshot["ledger"] = (query) =>
    Effect.sync(() => {
      const found = Ledgers.pageUnsafe(connection, query)
      pages.push(found.rows.length)
      return found
    })
  // Sound: nothing else is read.
  const snapshot: ChainReader["snapshot"] = (read) => read({ ledger } as Snapshot)
  return { pages, reader: { snapshot } }
})

describe("LedgerBooks", () => {
  it.effect("read: holds no more rows at once than a limit in bytes permits", () =>
    Effect.gen(function* () {
      const { pages, reader } = yield* readerOf(2, 10_000)
      const books = yield* LedgerBooks.read(reader, wallet, 0, 9)

      expect(pages).toEqual([1, 1])
      expect(books.transactions).toBe(2)
      expect(books.accounts.get(`erc20 ${received(7).asset} `)?.change).toBe(2n ** 256n)
    }).pipe(Effect.scoped),
  )
})
