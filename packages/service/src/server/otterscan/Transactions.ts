/**
 * Otterscan's view of one transaction: internal operations, calls, and why it failed. Operations are read from the index if it has them,
 * otherwise from a node's traces, which only operator keys may request.
 *
 * Source: decision 0016.
 */
import * as Hash from "@daybook/schema/Hash"
import type { InternalTransactionWire } from "@daybook/schema/InternalTransaction"
import * as Effect from "effect/Effect"
import * as CompleteRange from "../../query/CompleteRange.ts"
import * as TransactionParts from "../../query/TransactionParts.ts"
import * as WalletFrames from "../../query/WalletFrames.ts"
import * as WalletPage from "../../query/WalletPage.ts"
import * as WalletTransactions from "../../query/WalletTransactions.ts"
import * as LocalMethod from "../relay/LocalMethod.ts"
import * as Frames from "./Frames.ts"
import * as IndexReads from "./IndexReads.ts"
import * as NodeValues from "./NodeValues.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

type Call = LocalMethod.LocalCall

/** Receipt of a transaction, which must be in a block. */
const receiptOf = Effect.fnUntraced(function* ({ node }: Call, hash: string) {
  const receipt = yield* NodeValues.readReceipt(yield* node("eth_getTransactionReceipt", [hash]))
  return receipt === null ? yield* LocalMethod.failed(`transaction ${hash} not found`) : receipt
})

/** Numbers of operation kinds. */
const operationTypes: Readonly<Record<string, number>> = { CALL: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 }

interface Moving {
  readonly type: string
  readonly from: string
  readonly to: string | null
  readonly value: bigint
}

const operationOf = ({ from, to, type, value }: Moving) => ({
  type: operationTypes[type] ?? 0,
  from,
  to,
  value: HexQuantity.of(value),
})

const isOperation = ({ type, value }: Moving): boolean => WalletFrames.isMoving({ type, value: String(value) })

/** Operations from the rows of the index, excluding calls that failed or are inside a failed one. */
const fromIndex = (frames: ReadonlyArray<InternalTransactionWire>) =>
  frames
    .filter(({ error }) => error == null)
    .map(({ from, to, type, value }) => ({ type, from, to: to ?? null, value: BigInt(value) }))
    .filter(isOperation)
    .map(operationOf)

const fromNode = (call: Call, hash: string) =>
  Effect.map(Frames.read(call, hash), (frames) =>
    frames.filter((frame) => frame.depth > 0 && !frame.isFailed && isOperation(frame)).map(operationOf),
  )

/** Maximum number of transactions of one sender in one block that are read. */
const maxOfSender = 2_000
const maxBytes = 16 * 1024 * 1024

/** The calls of a transaction in the index. */
const indexedFrames = Effect.fnUntraced(function* (
  { chain }: Call,
  { blockNumber: block, ...receipt }: NodeValues.ReceiptFields,
) {
  const bound = { _tag: "Block", block } as const
  const page = yield* WalletTransactions.read("direct", {
    chain,
    wallet: receipt.from,
    range: { from: bound, to: bound },
    order: "ASC",
    position: WalletPage.first,
    limit: maxOfSender,
    maxBytes,
    selection: { internal: true },
  })
  yield* CompleteRange.check(chain, page.coverage, { from: block, to: block }, { needs: "traces" })
  const document = page.rows
    .map(TransactionParts.documentOf)
    .find(({ transaction }) => transaction.hash === receipt.transactionHash)
  if (document === undefined || document.internal === null || document.transaction.block_hash !== receipt.blockHash) {
    return yield* new CompleteRange.Incomplete({ message: `the transaction is not in the index of ${chain.name}` })
  }
  return document.internal
})

const internalOperations = LocalMethod.make([Hash.Hash], ([hash], call) =>
  Effect.gen(function* () {
    const { fields } = yield* receiptOf(call, hash)
    const operations = Effect.map(indexedFrames(call, fields), fromIndex)
    return yield* IndexReads.read(operations, () => fromNode(call, hash))
  }),
)

const trace = LocalMethod.make([Hash.Hash], ([hash], call) =>
  Effect.andThen(
    receiptOf(call, hash),
    Effect.map(Frames.read(call, hash), (frames) =>
      frames.map(({ depth, from, input, output, to, type, value }) => ({
        type,
        depth,
        from,
        to,
        value: Frames.hasValue({ type }) ? HexQuantity.of(value) : null,
        input,
        output,
      })),
    ),
  ),
)

const noError = "0x"

/** Return data of a failed transaction; if it did not fail, no trace is read. */
const transactionError = LocalMethod.make([Hash.Hash], ([hash], call) =>
  Effect.gen(function* () {
    const { status } = (yield* receiptOf(call, hash)).fields
    if (status === 1n) return noError
    const [root] = yield* Frames.read(call, hash)
    return root?.isFailed === true ? root.output : noError
  }),
)

/** The methods. */
export const methods: Readonly<Record<string, LocalMethod.LocalMethod>> = {
  ots_getInternalOperations: internalOperations,
  ots_traceTransaction: trace,
  ots_getTransactionError: transactionError,
}
