/**
 * Finds the transaction of a sender by nonce, in the sender's ledger: nonces increase from block to block, so few ledger positions are
 * read.
 *
 * Source: decisions 0016 and 0048.
 */
import * as Effect from "effect/Effect"
import * as Role from "../ledger/Role.ts"
import type { LedgerEntry, Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as LedgerSearch from "./LedgerSearch.ts"
import type * as TransactionParts from "./TransactionParts.ts"

/** Number of positions read at once, and maximum number of reads: an account may receive much between two transactions that it sends. */
const batch = 512
const maxReads = 256
const maxBytes = 256 * 1024

/** Number of reads per turn if all of them have few positions. */
const readsPerTurn = 8

const isSender = ({ roles }: LedgerEntry): boolean => (roles & Role.bits.sender) !== 0

/** Where the transaction may be. */
interface State {
  /** Lowest and highest block. */
  readonly low: number
  readonly high: number
  /** Blocks to read, and the position after which to read: the upper half, or one block from what the account sent there. */
  readonly from: number
  readonly to: number
  readonly after: Position | null
  readonly isOneBlock: boolean
  /** Number of reads so far. */
  readonly reads: number
}

type Step = LedgerSearch.Step<TransactionParts.Document, State>

/** The upper half of a range is read first. */
const stateOf = (low: number, high: number, reads: number): State => {
  const from = Math.floor((low + high) / 2)
  return { low, high, from, to: high, after: null, isOneBlock: false, reads }
}

/** Continues with a part of the range. */
const halve = (low: number, high: number, reads: number): Step =>
  low > high ? { _tag: "Ended", found: null } : { _tag: "Next", state: stateOf(low, high, reads) }

/** Continues based on what the account sent at the first position found. */
const stepBy = (document: TransactionParts.Document, nonce: number, state: State): Step => {
  const { block, index } = document.row
  const { from, high, isOneBlock, low, reads } = state
  const found = Number(document.transaction.nonce)
  if (found === nonce) return { _tag: "Ended", found: document }
  if (found < nonce) {
    return { _tag: "Next", state: { ...state, from: block, to: block, after: { block, index }, isOneBlock: true } }
  }
  return isOneBlock ? halve(block + 1, high, reads) : halve(low, from - 1, reads)
}

interface Read {
  readonly step: Step
  readonly places: number
}

/** Reads positions; also returns their number. */
const read = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  wallet: string,
  nonce: number,
  before: State,
): Effect.fn.Return<Read, StoreError | CompleteRange.Incomplete> {
  if (before.reads === maxReads) {
    return yield* new CompleteRange.Incomplete({ message: `the account ${wallet} has too many transactions` })
  }
  const state = { ...before, reads: before.reads + 1 }
  const { after, from, high, isOneBlock, low, reads, to } = state
  const query = { wallet, from, to, order: "ASC", after, limit: batch, maxBytes } as const
  const { hasMore, rows } = yield* snapshot.ledger(query)
  const places = rows.length
  const entry = rows.find(isSender)
  const document = entry && (yield* LedgerSearch.documentAt(snapshot, wallet, entry, false))
  if (document != null) return { step: stepBy(document, nonce, state), places }
  const last = hasMore ? rows.at(-1) : undefined
  if (last !== undefined) return { step: { _tag: "Next", state: { ...state, after: last } }, places }
  return { step: isOneBlock ? halve(to + 1, high, reads) : halve(low, from - 1, reads), places }
})

/**
 * Finds a transaction; `null` if the account has sent none with the nonce.
 *
 * **Errors**
 * - `Incomplete`: it was not found, and blocks or transactions are not indexed.
 * - `NotWatched`, `NotDerived`, `StoreError`: as for pages.
 */
export const find = (
  query: LedgerSearch.Query,
  nonce: number,
): Effect.Effect<TransactionParts.Document | null, LedgerSearch.SearchError> =>
  LedgerSearch.run<TransactionParts.Document, State>(query, {
    begin: ({ first, head }) => stateOf(first, head.number, 0),
    step: Effect.fnUntraced(function* (snapshot, state) {
      let step: Step = { _tag: "Next", state }
      for (let [reads, places] = [0, 0]; step._tag === "Next" && reads < readsPerTurn && places < batch; reads++) {
        const result: Read = yield* read(snapshot, query.wallet, nonce, step.state)
        step = result.step
        places += result.places
      }
      return step
    }),
  })
