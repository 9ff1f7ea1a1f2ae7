/**
 * The modules `block` and `transaction`: blocks by time and their rewards, of the index, and the states of transactions, of a node.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as CompleteRange from "../../query/CompleteRange.ts"
import type { Snapshot } from "../../store/ChainReader.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as Receipt from "./Receipt.ts"

type Handler = Action["answer"]

/** The number of the block that is nearest to a time on one side, where the index has blocks around it. */
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
  if (isBefore) return before
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

const receiptOf = Effect.fnUntraced(function* (calls: NodeCalls, request: Request) {
  const hash = yield* Effect.fromResult(Parameters.transactionHash(request.parameters))
  return Receipt.read(yield* calls.read(request, "eth_getTransactionReceipt", [hash]))
})

/** Whether a transaction failed; a receipt does not state why. */
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
  "transaction/getstatus": { operation: "relay", answer: status(calls) },
  "transaction/gettxreceiptstatus": { operation: "relay", answer: receiptStatus(calls) },
})
