/**
 * Parts of transactions, such as token transfers and calls: rows of which a transaction may have any number. They are read from the stored
 * texts of the transactions in which a wallet has certain roles, or of all transactions in a range of blocks.
 *
 * Source: decision 0070.
 */
import type { InternalTransactionWire } from "@daybook/schema/InternalTransaction"
import * as Json from "@daybook/schema/Json"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import * as Effect from "effect/Effect"
import * as Movement from "../ledger/Movement.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import * as WalletTransactions from "../projection/WalletTransactions.ts"
import type { PageQuery, PageRow, PageRows, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as Coverage from "./Coverage.ts"
import { type NotWatched, TooManyTexts } from "./QueryError.ts"
import type { InTurn } from "./PinnedReader.ts"
import * as WalletPage from "./WalletPage.ts"

/** A stored transaction, decoded. */
export interface Document {
  readonly row: PageRow
  readonly transaction: WalletTransactionWire
  /** `null` if they were not read, or if the transaction was not traced. */
  readonly internal: ReadonlyArray<InternalTransactionWire> | null
}

/** A part with its transaction. */
export interface PartRow<Part> {
  readonly document: Document
  readonly part: Part
}

/** How to find the parts of a transaction. */
export interface Options<Part> {
  /** Bits of roles, at least one of which the wallet must have if transactions are read by roles. */
  readonly roles: number
  /** Whether internal transactions are read. */
  readonly internal: boolean
  /** The parts that concern the wallet, in execution order. */
  readonly partsOf: (document: Document, wallet: string) => ReadonlyArray<Part>
}

/** A query for the next transactions. */
interface BatchQuery extends Pick<PageQuery, "from" | "to" | "order" | "after" | "maxBytes"> {
  readonly wallet: string
  readonly internal: boolean
}

/** How to read transactions. */
interface Reading<E> extends Pick<WalletPage.Source<unknown, unknown, E>, "id" | "kind" | "revision" | "check"> {
  /** The next ones, and the last position read or searched; `null` if nothing is left. */
  readonly next: (snapshot: Snapshot, query: BatchQuery) => Effect.Effect<WalletPage.SourceRows<PageRow>, StoreError>
}

/** Decodes the texts of a stored transaction. */
export const documentOf = (row: PageRow): Document => ({
  row,
  // Sound: the service wrote both texts.
  transaction: Json.parse(row.body) as WalletTransactionWire,
  internal: row.internal === null ? null : (Json.parse(row.internal) as Document["internal"]),
})

interface Candidate<Part> extends PartRow<Part> {
  readonly place: WalletPage.Place
}

/** Number of transactions read at once. */
const batch = 512
const maxBatchBytes = 256 * 1024

/** Maximum number of batches for counting the rows before a page. */
const maxSkippedBatches = 2_000

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

const nextOf = ({ hasMore, rows }: PageRows): WalletPage.SourceRows<PageRow> => ({
  rows,
  next: hasMore ? (rows.at(-1) ?? null) : null,
})

/** Transactions in which the wallet has any role. */
const ofLedger: Reading<NotWatched> = {
  ...projection,
  check: Coverage.checkWallet,
  next: (snapshot, { wallet: key, ...query }) =>
    Effect.map(snapshot.page(projection, { ...query, key, limit: batch }), nextOf),
}

/** Number of blocks read at once, most of which may be empty. */
const blocksAtOnce = 1_000

/** All transactions in a range of blocks. The wallet of the query is not read. */
const ofBlocks: Reading<CompleteRange.Incomplete> = {
  id: WalletTransactions.projection.id,
  kind: WalletTransactions.projection.kind,
  revision: WalletTransactions.projection.revision,
  check: (_, checkpoint) =>
    checkpoint?.watch === undefined
      ? Effect.void
      : Effect.fail(new CompleteRange.Incomplete({ message: "the index has only the transactions of some wallets" })),
  next: Effect.fnUntraced(function* (snapshot, { after, from, internal, maxBytes, order, to }) {
    const isUp = order === "ASC"
    const start = after?.block ?? (isUp ? from : to)
    const blocks = isUp
      ? { from, to: Math.min(to, start + blocksAtOnce - 1) }
      : { from: Math.max(from, start - blocksAtOnce + 1), to }
    const { hasMore, rows } = yield* snapshot.transactions({
      ...blocks,
      after,
      order,
      limit: batch,
      maxBytes,
      internal,
    })
    if (hasMore) return nextOf({ hasMore, rows })
    const [end, index] = isUp ? [blocks.to, Movement.blockLevelIndex] : [blocks.from, 0]
    return { rows, next: end === (isUp ? to : from) ? null : { block: end, index } }
  }),
}

const makeSource =
  <E>({ next: nextOfReading, ...reading }: Reading<E>) =>
  <Part>({
    internal,
    partsOf,
    roles,
  }: Options<Part>): WalletPage.Source<PartRow<Part>, (part: Part) => boolean, E | TooManyTexts> => {
    type Query = WalletPage.SourceQuery<(part: Part) => boolean>

    const candidatesOf = (row: PageRow, { after, order, selection, wallet }: Query): ReadonlyArray<Candidate<Part>> => {
      if (row.roles !== undefined && (row.roles & roles) === 0) return []
      const document = documentOf(row)
      const { block, index } = row
      const all = partsOf(document, wallet)
        .filter(selection)
        .map((part, at): Candidate<Part> => ({ document, part, place: { block, index, part: at } }))
      const sent = after?.block === block && after.index === index ? after.part : undefined
      const left = sent === undefined ? all : all.filter((_, at) => (order === "ASC" ? at > sent : at < sent))
      return order === "ASC" ? left : left.toReversed()
    }

    const readBatch = (
      snapshot: Snapshot,
      { from, order, to, wallet }: Query,
      after: WalletPage.Place | null,
      maxBytes: number,
    ) => nextOfReading(snapshot, { wallet, from, to, order, after, maxBytes, internal })

    const read = Effect.fnUntraced(function* (
      snapshot: Snapshot,
      query: Query,
    ): Effect.fn.Return<WalletPage.SourceRows<PartRow<Part>>, StoreError> {
      const { next, rows } = yield* readBatch(snapshot, query, WalletPage.placeBefore(query), query.maxBytes)
      const found: Array<Candidate<Part>> = []
      for (const row of rows) {
        for (const candidate of candidatesOf(row, query)) {
          const last = found.at(-1)
          if (found.length === query.limit && last !== undefined) return { rows: found, next: last.place }
          found.push(candidate)
        }
      }
      return { rows: found, next: next && { block: next.block, index: next.index } }
    })

    const skip = Effect.fnUntraced(function* (
      snapshot: Snapshot,
      query: Query,
      count: number,
      inTurn: InTurn,
    ): Effect.fn.Return<WalletPage.Place | null, StoreError | TooManyTexts> {
      let after = WalletPage.placeBefore(query)
      let left = count
      for (let batches = 0; batches < maxSkippedBatches; batches++) {
        const { next, rows } = yield* inTurn(readBatch(snapshot, query, after, maxBatchBytes))
        for (const row of rows) {
          const candidates = candidatesOf(row, query)
          const last = candidates[left - 1]
          if (last !== undefined) return last.place
          left -= candidates.length
        }
        if (next === null) return null
        after = next
      }
      return yield* new TooManyTexts()
    })

    return { ...reading, read, skip }
  }

/** Parts of a wallet's transactions as rows, filtered by the selection. */
export const sourceOf = makeSource(ofLedger)

/** Parts of all transactions in a range of blocks as rows, filtered by the selection. */
export const sourceOfBlocks = makeSource(ofBlocks)
