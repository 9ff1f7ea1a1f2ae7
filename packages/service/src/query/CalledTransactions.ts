/**
 * Transactions with a call from or to an account: those that it sent or received, those in which it was called or called others, and the
 * one that created it. Transactions that only moved its tokens are excluded. Each transaction is listed once, and a block is listed
 * completely or not at all.
 *
 * Source: decisions 0016 and 0048.
 */
import * as Effect from "effect/Effect"
import * as Role from "../ledger/Role.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as CompleteRange from "./CompleteRange.ts"
import type * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import type { InTurn } from "./PinnedReader.ts"
import type { NotWatched, NotDerived, Stale } from "./QueryError.ts"
import * as TransactionParts from "./TransactionParts.ts"
import * as WalletPage from "./WalletPage.ts"

/** Selects the transactions to list. */
export interface Query {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  /** First block, inclusive. */
  readonly from: number
  /** Last block, inclusive. */
  readonly to: number
  readonly order: "ASC" | "DESC"
  /** No further block is listed after this many transactions. */
  readonly limit: number
}

/** Transactions in query order. */
export interface Found {
  readonly documents: ReadonlyArray<TransactionParts.Document>
  /** Whether later blocks may have more; unknown if they are not indexed. */
  readonly hasMore: boolean
}

/** A block with this many transactions of an account is not listed. */
const maxOfBlock = 10_000

/** Maximum number of pages read for one list: most of them may have few of the wanted transactions. */
const maxPages = 2_000

const pageBytes = 256 * 1024

const { bits } = Role

const page = WalletPage.make(
  TransactionParts.sourceOf<null>({
    roles: bits.sender | bits.recipient | bits.created | bits.creator | bits.internal_caller | bits.internal_callee,
    internal: false,
    partsOf: () => [null],
  }),
)

/** Reads a page that starts after another one and thus counts no rows. */
const readPage = (query: Parameters<typeof page>[0]) =>
  page(query).pipe(Effect.catchTag("TooManyTexts", (error) => Effect.die(error)))

/** Why a list cannot be read. */
export type ReadError = CompleteRange.Incomplete | NotWatched | NotDerived | Stale | StoreError

const everyPart = () => true

/** Reads pages until a number of transactions was found, each in its own turn, since there may be many. */
const collect = Effect.fnUntraced(function* ({ chain, from, limit, order, to, wallet }: Query, inTurn: InTurn) {
  const documents: Array<TransactionParts.Document> = []
  const range = { from: { _tag: "Block", block: from }, to: { _tag: "Block", block: to } } as const
  let position: WalletPage.Position = WalletPage.first
  let covered: Coverage.Coverage | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const left = limit - documents.length
    const query = { chain, wallet, range, order, position, limit: left, maxBytes: pageBytes, selection: everyPart }
    const { coverage, next, rows } = yield* inTurn(readPage(query))
    covered ??= coverage
    for (const { document } of rows) documents.push(document)
    if (next === null || documents.length >= limit) return { documents, coverage: covered }
    position = { _tag: "After", continuation: next }
  }
  return yield* new CompleteRange.Incomplete({ message: `the range has too many other transactions of ${wallet}` })
})

/**
 * Reads whole blocks until a number of transactions was found.
 *
 * **Errors**
 * - `Incomplete`: blocks, transactions or traces of the range, as far as it was read, are not indexed.
 * - `Stale`: the chain was reorganized meanwhile.
 * - `NotWatched`, `NotDerived`, `StoreError`: as for pages.
 */
export const read = Effect.fnUntraced(function* (query: Query, inTurn: InTurn): Effect.fn.Return<Found, ReadError> {
  const { chain, from, limit, order, to } = query
  const { coverage, documents } = yield* collect(query, inTurn)
  const check = (blocks: CompleteRange.Blocks) => CompleteRange.check(chain, coverage, blocks, { needs: "traces" })
  const last = documents[limit - 1]
  if (last === undefined) {
    yield* check({ from, to })
    return { documents, hasMore: false }
  }
  const end = last.row.block
  const isAscending = order === "ASC"
  yield* check(isAscending ? { from, to: end } : { from: end, to })
  const ofBlock = yield* collect({ ...query, from: end, to: end, limit: maxOfBlock }, inTurn)
  if (ofBlock.documents.length === maxOfBlock) {
    return yield* new CompleteRange.Incomplete({ message: `block ${end} has too many transactions of ${query.wallet}` })
  }
  const whole = [...documents.filter(({ row }) => row.block !== end), ...ofBlock.documents]
  const rest = isAscending ? { from: end + 1, to } : { from, to: end - 1 }
  if (rest.from > rest.to) return { documents: whole, hasMore: false }
  const behind = yield* collect({ ...query, ...rest, limit: 1 }, inTurn)
  if (behind.documents.length > 0) return { documents: whole, hasMore: true }
  const isCovered = yield* check(rest).pipe(
    Effect.as(true),
    Effect.catchTag("Incomplete", () => Effect.succeed(false)),
  )
  return { documents: whole, hasMore: !isCovered }
})
