/**
 * The modules `block` and `transaction`: blocks by time and their rewards, from the index, and the states of transactions, from a node.
 *
 * Source: decision 0070.
 */
import * as Hash from "@daybook/schema/Hash"
import * as Hex from "@daybook/schema/Hex"
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import * as Trace from "@daybook/schema/Trace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as BlockReward from "../../query/BlockReward.ts"
import * as CompleteRange from "../../query/CompleteRange.ts"
import * as WalletFrames from "../../query/WalletFrames.ts"
import type { Snapshot } from "../../store/ChainReader.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import { type NodeCalls, unreadable } from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as Receipt from "./Receipt.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

type Handler = Action["answer"]

/** Number of the block nearest to a time on one side. A time after the last indexed block may belong to a later block. */
const numberAt = Effect.fnUntraced(function* (snapshot: Snapshot, seconds: number, isBefore: boolean) {
  const checkpoint = yield* snapshot.checkpoint
  if (checkpoint === null)
    return yield* new CompleteRange.Incomplete({ message: "no block of this chain is in the index yet" })
  const { first, head } = checkpoint
  const before = yield* snapshot.lastAtOrBefore(seconds)
  if (before === null) {
    if (!isBefore && first === 0) return 0
    if (first === 0) return yield* Envelope.notOk("Error! No closest block found")
    return yield* new CompleteRange.Incomplete({
      message: `blocks 0 to ${first - 1} of this chain are not in the index`,
    })
  }
  if (isBefore) {
    const lacking = before === head.number ? CompleteRange.behind(before, yield* snapshot.status) : undefined
    return lacking === undefined ? before : yield* new CompleteRange.Incomplete({ message: lacking })
  }
  const after = yield* snapshot.firstAtOrAfter(seconds)
  if (after !== null) return after
  return yield* Envelope.notOk(`Error! No closest block found: the last block in the index is ${head.number}`)
})

const numberByTime: Handler = Effect.fnUntraced(function* ({ chain, parameters }) {
  const seconds = yield* Effect.fromResult(Parameters.required(parameters, "timestamp"))
  const closest = parameters.get("closest")?.toLowerCase() ?? "before"
  if (closest !== "before" && closest !== "after") return yield* Envelope.invalid("closest", "before or after")
  const found = yield* chain.reader
    .snapshot((snapshot) => numberAt(snapshot, seconds, closest === "before"))
    .pipe(Effect.catch((error) => (error._tag === "Refused" ? Effect.fail(error) : Lists.refusalOf(error))))
  return Envelope.ofResult(String(found))
})

const blockNumber = ({ parameters }: Request) => Effect.fromResult(Parameters.required(parameters, "blockno"))

const reward: Handler = Effect.fnUntraced(function* (request) {
  const number = yield* blockNumber(request)
  const { amount, block, feeRecipient } = yield* BlockReward.read(request.chain, number).pipe(
    Effect.catch(Lists.refusalOf),
  )
  return Envelope.ofResult({
    blockNumber: String(number),
    timeStamp: String(block.timestamp),
    blockMiner: feeRecipient ?? "",
    blockReward: String(amount),
    uncles: [],
    uncleInclusionReward: "0",
  })
})

/** Number of blocks whose mean block time is the estimate for later blocks. */
const measuredBlocks = 1_000

/** Milliseconds between blocks, for the last indexed ones. */
const blockMillis = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const checkpoint = yield* snapshot.checkpoint
  if (checkpoint === null) return undefined
  const { first, head } = checkpoint
  const from = Math.max(first, head.number - measuredBlocks)
  if (from === head.number) return undefined
  // Sound: an index has each block from its first to its head.
  const [before, last] = [(yield* snapshot.block(from))!, (yield* snapshot.block(head.number))!]
  return ((last.timestamp - before.timestamp) * 1_000) / (head.number - from)
})

const countdown = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const number = yield* blockNumber(request)
    const head = yield* calls.head(request)
    if (number <= head) return yield* Envelope.notOk("Error! Block number already pass")
    const measured = yield* request.chain.reader.snapshot(blockMillis).pipe(Effect.catch(Lists.refusalOf))
    const millis = measured ?? request.chain.known?.blockTimeMillis
    if (millis === undefined) return yield* Envelope.notIndexed("the time between blocks is not known yet")
    const remaining = number - head
    return Envelope.ofResult({
      CurrentBlock: String(head),
      CountdownBlock: String(number),
      RemainingBlock: String(remaining),
      EstimateTimeInSec: ((remaining * millis) / 1_000).toFixed(1),
    })
  })

/** Logs of a transaction, as far as needed to read transfers. */
const Receipts = Schema.Array(
  Schema.Struct({ logs: Schema.Array(Schema.Struct({ data: Hex.Hex, topics: Schema.Array(Hash.Hash) })) }),
)
const decodeReceipts = Schema.decodeUnknownOption(Receipts)
const decodeTraces = Schema.decodeUnknownOption(Schema.Array(Trace.TransactionTrace))

/** Calls below that of a transaction that are internal transactions; `null` if it was not traced. */
const internalCalls = ({ result: root }: Trace.TransactionTrace): number | null => {
  if (root == null) return null
  let count = 0
  const waiting = [...(root.calls ?? [])]
  for (let frame = waiting.pop(); frame !== undefined; frame = waiting.pop()) {
    if (WalletFrames.isMoving({ type: frame.type, value: String(frame.value ?? 0n) })) count++
    waiting.push(...(frame.calls ?? []))
  }
  return count
}

/** Counts for a block, from its receipts and traces. The node only returns traces to keys that may request them. */
const counts = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const number = yield* blockNumber(request)
    const tag = HexQuantity.of(number)
    const receipts = decodeReceipts(yield* calls.read(request, "eth_getBlockReceipts", [tag]))
    if (Option.isNone(receipts)) return yield* Envelope.notOk("Error! Invalid block number")
    const options = { tracer: "callTracer" }
    const traces = decodeTraces(yield* calls.read(request, "debug_traceBlockByNumber", [tag, options]))
    const calledIn = Option.isSome(traces) ? traces.value.map(internalCalls) : [null]
    if (calledIn.includes(null)) return yield* unreadable("the traces of a block")
    const transfers = receipts.value.flatMap(({ logs }) => logs.flatMap((log) => TokenTransfer.fromLog(log) ?? []))
    const countOf = (standard: TokenTransfer.Standard) => transfers.filter((one) => one.standard === standard).length
    return Envelope.ofResult({
      block: number,
      txsCount: receipts.value.length,
      internalTxsCount: calledIn.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      erc20TxsCount: countOf("erc20"),
      erc721TxsCount: countOf("erc721"),
      erc1155TxsCount: countOf("erc1155"),
    })
  })

const receiptOf = Effect.fnUntraced(function* (calls: NodeCalls, request: Request) {
  const hash = yield* Effect.fromResult(Parameters.transactionHash(request.parameters))
  return Receipt.read(yield* calls.read(request, "eth_getTransactionReceipt", [hash]))
})

/** Whether a transaction failed; a receipt does not contain the reason. */
const status = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const receipt = yield* receiptOf(calls, request)
    return Envelope.ofResult({ isError: receipt?.status === "0" ? "1" : "0", errDescription: "" })
  })

const receiptStatus = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const receipt = yield* receiptOf(calls, request)
    return Envelope.ofResult({ status: receipt?.status ?? "" })
  })

/** The actions. */
export const make = (calls: NodeCalls): Actions => ({
  "block/getblocknobytime": { operation: "walletTransactions", answer: numberByTime },
  "block/getblockreward": { operation: "movements", answer: reward },
  "block/getblockcountdown": { operation: "relay", answer: countdown(calls) },
  "block/getblocktxnscount": { operation: "relay", answer: counts(calls) },
  "transaction/getstatus": { operation: "relay", answer: status(calls) },
  "transaction/gettxreceiptstatus": { operation: "relay", answer: receiptStatus(calls) },
})
