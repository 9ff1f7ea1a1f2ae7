/**
 * Books of a wallet from the indexed ledger: movements summed by holding, excluding opening balances before the first block. The
 * transactions that it sent are a holding too.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import * as Movement from "../ledger/Movement.ts"
import * as Role from "../ledger/Role.ts"
import * as Books from "../ledger/Books.ts"
import type { ChainReader, LedgerEntry, LedgerQuery, LedgerRows, Position } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Holding from "../ledger/Holding.ts"

/** Maximum number of rows and bytes read at once, some milliseconds of work: one row has up to 20,000 movements. */
const [pageRows, pageBytes] = [512, 64 * 1024]

const add = (books: Books.Books, { block, candidates, index, movements, roles }: LedgerEntry): void => {
  if ((roles & Role.bits.sender) !== 0) Books.addChange(Books.accountIn(books, Holding.nonce), block, 1n)
  const place = index === Movement.blockLevelIndex ? null : index
  Books.addRow(books, block, { roles, candidates, movements, index: place })
}

/**
 * Reads the books of a wallet for an inclusive range of blocks. Other fibers run between pages. `admit` receives each row before it is
 * added, and may end the reading.
 */
export const read = Effect.fnUntraced(function* <E = never>(
  { snapshot }: Pick<ChainReader, "snapshot">,
  wallet: string,
  from: number,
  to: number,
  admit: (row: LedgerEntry) => Effect.Effect<void, E> = () => Effect.void,
): Effect.fn.Return<Books.Books, E | StoreError> {
  const books = Books.make(wallet)
  Books.accountIn(books, Holding.nonce)
  let after: Position | null = null
  for (;;) {
    const bounds = { limit: pageRows, maxBytes: pageBytes }
    const query: LedgerQuery = { wallet, from, to, order: "ASC", after, ...bounds, isForProof: true }
    const { hasMore, rows }: LedgerRows = yield* snapshot((one) => one.ledger(query))
    for (const row of rows) {
      yield* admit(row)
      add(books, row)
    }
    const last = rows.at(-1)
    if (last === undefined || !hasMore) return books
    after = { block: last.block, index: last.index }
    yield* Effect.yieldNow
  }
})
