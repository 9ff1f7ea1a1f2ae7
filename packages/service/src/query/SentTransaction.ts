/**
 * The transaction of a sender with a nonce, from the ledger of the sender: its nonces grow from block to block, so that few places of the
 * ledger are read.
 *
 * Source: decisions 0016 and 0048.
 */
import * as Effect from "effect/Effect"
import * as Role from "../ledger/Role.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { LedgerEntry, Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import type { NotWatched, NotDerived } from "./QueryError.ts"
import * as TransactionParts from "./TransactionParts.ts"

/** A transaction and its nonce. */
interface SentTransaction {
  readonly document: TransactionParts.Document
  readonly nonce: number
}

/** Why it is not known whether there is a transaction. */
export type SentError = CompleteRange.Incomplete | NotWatched | NotDerived | StoreError

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

/** Places that are read at once, and at most: an account may receive much between two transactions that it sends. */
const batch = 512
const maxBatches = 256
const maxBytes = 256 * 1024

const isSender = ({ roles }: LedgerEntry): boolean => (roles & Role.bits.sender) !== 0

/** Reads what an account sent, within a number of reads. */
const makeReader = (snapshot: Snapshot, wallet: string) => {
  let batches = 0

  const sentAt = Effect.fnUntraced(function* ({
    block,
    index,
  }: Position): Effect.fn.Return<SentTransaction | null, StoreError> {
    const after = { block, index: index - 1 }
    const query = { key: wallet, from: block, to: block, order: "ASC", after, limit: 1, internal: false } as const
    const [row] = (yield* snapshot.page(projection, query)).rows
    const document = row === undefined ? null : TransactionParts.documentOf(row)
    return document && { document, nonce: Number(document.transaction.nonce) }
  })

  /** The first one of a range that it sent; from a place on, where one is given. */
  return Effect.fnUntraced(function* (
    from: number,
    to: number,
    start: Position | null = null,
  ): Effect.fn.Return<SentTransaction | null, StoreError | CompleteRange.Incomplete> {
    for (let after = start; ;) {
      if (++batches > maxBatches) {
        return yield* new CompleteRange.Incomplete({ message: `the account ${wallet} has too many transactions` })
      }
      const query = { wallet, from, to, order: "ASC", after, limit: batch, maxBytes } as const
      const { hasMore, rows } = yield* snapshot.ledger(query)
      const entry = rows.find(isSender)
      if (entry !== undefined) return yield* sentAt(entry)
      if (!hasMore) return null
      after = rows.at(-1) ?? null
      yield* Effect.yieldNow
    }
  })
}

/** The transaction of a block, from one of its sender on. */
const findInBlock = Effect.fnUntraced(function* (
  read: ReturnType<typeof makeReader>,
  first: SentTransaction,
  nonce: number,
): Effect.fn.Return<SentTransaction | null, StoreError | CompleteRange.Incomplete> {
  const { block } = first.document.row
  let sent: SentTransaction | null = first
  while (sent !== null && sent.nonce < nonce) sent = yield* read(block, block, sent.document.row)
  return sent?.nonce === nonce ? sent : null
})

/** Searches in a snapshot, by halves of its blocks. */
const findIn = Effect.fnUntraced(function* (snapshot: Snapshot, chain: IndexedChain, wallet: string, nonce: number) {
  const stored = yield* snapshot.checkpoint
  yield* Coverage.checkWallet(chain, stored, wallet)
  const checkpoint = stored && WatchList.ofWallet(stored, wallet)
  const missing = Coverage.missingTransactions(yield* snapshot.gapCounts)
  const searchedTo = (stored && WatchList.searchedTo(stored, wallet)) ?? undefined
  const coverage: Coverage.Coverage = { checkpoint, missing, reconciledTo: null, searchedTo }
  if (checkpoint === null) return { sent: null, coverage }
  yield* Coverage.checkDerived(projection, snapshot, chain.name, checkpoint)
  const read = makeReader(snapshot, wallet)
  let [low, high] = [checkpoint.first, checkpoint.head.number]
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const sent: SentTransaction | null = yield* read(middle, high)
    if (sent === null || sent.nonce > nonce) {
      high = middle - 1
      continue
    }
    const found: SentTransaction | null = yield* findInBlock(read, sent, nonce)
    if (found !== null) return { sent: found, coverage }
    low = sent.document.row.block + 1
  }
  return { sent: null, coverage }
})

/**
 * Finds a transaction; `null` where the account has sent none with the nonce.
 *
 * **Errors**
 * - `Incomplete`: it was not found, and blocks or transactions are not in the index.
 * - `NotWatched`, `NotDerived`, `StoreError`: as of pages.
 */
export const find = Effect.fnUntraced(function* (
  chain: IndexedChain,
  wallet: string,
  nonce: number,
): Effect.fn.Return<TransactionParts.Document | null, SentError> {
  const { coverage, sent } = yield* chain.reader.snapshot((snapshot) => findIn(snapshot, chain, wallet, nonce))
  if (sent !== null) return sent.document
  yield* CompleteRange.check(chain, coverage, { from: 0, to: Number.MAX_SAFE_INTEGER })
  return null
})
