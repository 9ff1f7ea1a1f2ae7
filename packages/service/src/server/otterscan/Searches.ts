/**
 * Searches of an account's transactions, from the index. The transactions themselves are read from a node by hash, or with their whole
 * block if it has several of them.
 *
 * Source: decision 0016.
 */
import * as Address from "@daybook/schema/Address"
import * as Effect from "effect/Effect"
import * as CalledTransactions from "../../query/CalledTransactions.ts"
import type * as TransactionParts from "../../query/TransactionParts.ts"
import * as LocalMethod from "../relay/LocalMethod.ts"
import * as Blocks from "./Blocks.ts"
import * as IndexReads from "./IndexReads.ts"
import * as NodeValues from "./NodeValues.ts"
import * as Params from "./Params.ts"

type Call = LocalMethod.LocalCall

/** Maximum page size; a page ends with the block that reaches it. Source: Erigon. */
const maxPageSize = 25

/** Number of blocks read concurrently. */
const concurrency = 8

/** Maximum number of transactions of a block that are read individually. */
const maxSingle = 4

/** A transaction found by the search, with the node's data. */
interface Row {
  readonly transaction: NodeValues.Members
  readonly receipt: NodeValues.Members
}

/** A transaction of the index differs from the node's: one of them is behind a reorg. */
class Reorganized {
  readonly _tag = "Reorganized"
}

const rowOf = (
  hash: string,
  blockHash: string,
  transaction: NodeValues.Passed<NodeValues.TransactionFields> | null | undefined,
  receipt: NodeValues.Passed<NodeValues.ReceiptFields> | null | undefined,
  timestamp: number,
): Effect.Effect<Row, Reorganized> =>
  transaction?.fields.hash === hash &&
  transaction.fields.blockHash === blockHash &&
  receipt?.fields.transactionHash === hash &&
  receipt.fields.blockHash === blockHash
    ? Effect.succeed({ transaction: transaction.members, receipt: { ...receipt.members, timestamp } })
    : Effect.fail(new Reorganized())

const secondsOf = ({ transaction }: TransactionParts.Document): number =>
  Math.floor(Date.parse(transaction.block_timestamp) / 1_000)

const readSingle = Effect.fnUntraced(function* ({ node }: Call, document: TransactionParts.Document) {
  const { block_hash: blockHash, hash } = document.transaction
  const transaction = yield* NodeValues.readTransaction(yield* node("eth_getTransactionByHash", [hash]))
  const receipt = yield* NodeValues.readReceipt(yield* node("eth_getTransactionReceipt", [hash]))
  return yield* rowOf(hash, blockHash, transaction, receipt, secondsOf(document))
})

/** Reads transactions of one block. */
const readBlock = Effect.fnUntraced(function* (call: Call, documents: ReadonlyArray<TransactionParts.Document>) {
  if (documents.length <= maxSingle) return yield* Effect.forEach(documents, (one) => readSingle(call, one))
  const { block_hash: blockHash } = documents[0]!.transaction
  const block = yield* NodeValues.readBlock(yield* call.node("eth_getBlockByHash", [blockHash, true]))
  if (block === null) return yield* Effect.fail(new Reorganized())
  const { readAll: readEach, readTransaction } = NodeValues
  const transactions = yield* readEach("the transactions of a block", readTransaction, block.fields.transactions)
  const receipts = yield* Blocks.receiptsOf(call, block)
  const [byHash, receiptByHash] = [
    new Map(transactions.map((one) => [one.fields.hash, one])),
    new Map(receipts.map((one) => [one.fields.transactionHash, one])),
  ]
  return yield* Effect.forEach(documents, (document) => {
    const { hash } = document.transaction
    return rowOf(hash, blockHash, byHash.get(hash), receiptByHash.get(hash), secondsOf(document))
  })
})

/** Groups transactions by block, preserving the order. */
const byBlock = (documents: ReadonlyArray<TransactionParts.Document>) => {
  const blocks = new Map<number, Array<TransactionParts.Document>>()
  for (const document of documents) {
    const own = blocks.get(document.row.block)
    if (own === undefined) blocks.set(document.row.block, [document])
    else own.push(document)
  }
  return blocks.values()
}

const readAll = (call: Call, documents: ReadonlyArray<TransactionParts.Document>) =>
  Effect.map(
    Effect.forEach(byBlock(documents), (own) => readBlock(call, own), { concurrency }),
    (rows) => rows.flat(),
  )

/** Number of times that a search is repeated after a reorg. */
const maxRestarts = 3

type Search = Pick<CalledTransactions.Query, "wallet" | "from" | "to" | "order" | "limit">

/** Rows of a search, newest first, and whether more follow. */
const search = (call: Call, query: Search) =>
  Effect.gen(function* () {
    const { documents, hasMore } = yield* IndexReads.read(
      CalledTransactions.read({ chain: call.chain, ...query }, call.inTurn),
      Effect.fail,
    )
    const rows = yield* readAll(call, query.order === "DESC" ? documents : documents.toReversed())
    return { rows, hasMore }
  }).pipe(
    Effect.retry({ times: maxRestarts, while: ({ _tag }) => _tag === "Reorganized" }),
    Effect.catchTag("Reorganized", () => Effect.fail(IndexReads.reorganizes)),
  )

const answerOf = (rows: ReadonlyArray<Row>, firstPage: boolean, lastPage: boolean) => ({
  txs: rows.map(({ transaction }) => transaction),
  receipts: rows.map(({ receipt }) => receipt),
  firstPage,
  lastPage,
})

/** Numbers above all blocks are valid. */
const noEnd = Number.MAX_SAFE_INTEGER

const params = [Address.Address, Params.Count, Params.Count] as const

const checkSize = (size: number): Effect.Effect<number, LocalMethod.CallFailed> =>
  size > maxPageSize
    ? Effect.fail(LocalMethod.failed(`max allowed page size: ${maxPageSize}`))
    : Effect.succeed(Math.max(1, size))

/** Transactions below a block, starting with the newest; 0 is the head. */
const before = LocalMethod.make(params, ([wallet, block, size], call) =>
  Effect.gen(function* () {
    const limit = yield* checkSize(size)
    const to = block === 0 ? noEnd : block - 1
    const { hasMore, rows } = yield* search(call, { wallet, from: 0, to, order: "DESC", limit })
    return answerOf(rows, block === 0, !hasMore)
  }),
)

/** Transactions above a block, starting with the oldest, each page newest first; 0 is the first block. */
const after = LocalMethod.make(params, ([wallet, block, size], call) =>
  Effect.gen(function* () {
    const limit = yield* checkSize(size)
    const from = block === 0 ? 0 : block + 1
    const { hasMore, rows } = yield* search(call, { wallet, from, to: noEnd, order: "ASC", limit })
    return answerOf(rows, !hasMore, block === 0)
  }),
)

/** The methods. */
export const methods: Readonly<Record<string, LocalMethod.LocalMethod>> = {
  ots_searchTransactionsBefore: before,
  ots_searchTransactionsAfter: after,
}
