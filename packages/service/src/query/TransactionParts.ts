/**
 * Parts of a wallet's transactions, such as the transfers of tokens and the calls that concern it: rows of which a transaction has any
 * number. They are read of the stored texts of the transactions in which the wallet has one of some roles.
 *
 * Source: decision 0070.
 */
import type { InternalTransactionWire } from "@daybook/schema/InternalTransaction"
import * as Json from "@daybook/schema/Json"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import * as Effect from "effect/Effect"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { PageRow, PageRows, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Coverage from "./Coverage.ts"
import { type NotWatched, TooManyTexts } from "./QueryError.ts"
import type { InTurn } from "./LedgerGrowth.ts"
import * as WalletPage from "./WalletPage.ts"

/** A stored transaction, read. */
export interface Document {
  readonly row: PageRow
  readonly transaction: WalletTransactionWire
  /** `null` where they were not read, or where the transaction was not traced. */
  readonly internal: ReadonlyArray<InternalTransactionWire> | null
}

/** A part with its transaction. */
export interface PartRow<Part> {
  readonly document: Document
  readonly part: Part
}

/** What the parts of a transaction are. */
export interface Options<Part> {
  /** Bits of the roles of which the wallet has one at least. */
  readonly roles: number
  /** Internal transactions are read. */
  readonly internal: boolean
  /** The parts that concern the wallet, in the order of execution. */
  readonly partsOf: (document: Document, wallet: string) => ReadonlyArray<Part>
}

/** Reads the texts of a stored transaction. */
export const documentOf = (row: PageRow): Document => ({
  row,
  // Sound: the service has written both texts.
  transaction: Json.parse(row.body) as WalletTransactionWire,
  internal: row.internal === null ? null : (Json.parse(row.internal) as Document["internal"]),
})

interface Candidate<Part> extends PartRow<Part> {
  readonly place: WalletPage.Place
}

/** Transactions that are read at once. */
const batch = 512
const maxBatchBytes = 256 * 1024

/** Batches in which the rows before a page are counted. */
const maxSkippedBatches = 2_000

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

/** The parts of transactions as rows, which the selection narrows. */
export const sourceOf = <Part>({
  internal,
  partsOf,
  roles,
}: Options<Part>): WalletPage.Source<PartRow<Part>, (part: Part) => boolean, NotWatched | TooManyTexts> => {
  type Query = WalletPage.SourceQuery<(part: Part) => boolean>

  const candidatesOf = (row: PageRow, { after, order, selection, wallet }: Query): ReadonlyArray<Candidate<Part>> => {
    if (((row.roles ?? 0) & roles) === 0) return []
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
    { from, order, to, wallet: key }: Query,
    after: WalletPage.Place | null,
    maxBytes: number,
  ): Effect.Effect<PageRows, StoreError> =>
    snapshot.page(projection, { key, from, to, order, after, limit: batch, maxBytes, internal })

  const read = Effect.fnUntraced(function* (
    snapshot: Snapshot,
    query: Query,
  ): Effect.fn.Return<WalletPage.SourceRows<PartRow<Part>>, StoreError> {
    const { hasMore, rows } = yield* readBatch(snapshot, query, WalletPage.placeBefore(query), query.maxBytes)
    const found: Array<Candidate<Part>> = []
    for (const row of rows) {
      for (const candidate of candidatesOf(row, query)) {
        const last = found.at(-1)
        if (found.length === query.limit && last !== undefined) return { rows: found, next: last.place }
        found.push(candidate)
      }
    }
    const last = rows.at(-1)
    return { rows: found, next: hasMore && last !== undefined ? { block: last.block, index: last.index } : null }
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
      const { hasMore, rows } = yield* inTurn(readBatch(snapshot, query, after, maxBatchBytes))
      for (const row of rows) {
        const candidates = candidatesOf(row, query)
        const last = candidates[left - 1]
        if (last !== undefined) return last.place
        left -= candidates.length
      }
      if (!hasMore) return null
      after = rows.at(-1) ?? null
    }
    return yield* new TooManyTexts()
  })

  return { ...projection, check: Coverage.checkWallet, read, skip }
}
