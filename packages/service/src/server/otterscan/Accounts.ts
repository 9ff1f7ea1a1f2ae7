/**
 * Otterscan's queries about an account: whether it had code at a block, what created it, and which transaction it sent with a nonce. The
 * index answers the last two; otherwise the answer is searched in the state of a node, which must be an archive node.
 *
 * Source: decision 0016.
 */
import * as Address from "@daybook/schema/Address"
import * as Trace from "@daybook/schema/Trace"
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ContractCreation from "../../query/ContractCreation.ts"
import * as SentTransaction from "../../query/SentTransaction.ts"
import * as LocalMethod from "../relay/LocalMethod.ts"
import * as Blocks from "./Blocks.ts"
import * as Frames from "./Frames.ts"
import * as IndexReads from "./IndexReads.ts"
import * as NodeValues from "./NodeValues.ts"
import * as Params from "./Params.ts"

type Call = LocalMethod.LocalCall

const noCode = "0x"

const codeAt = ({ node }: Call, address: string, block: RpcMethod.BlockId) =>
  Effect.flatMap(node("eth_getCode", [address, Params.toWire(block)]), NodeValues.readHex)

const head = ({ node }: Call) => Effect.flatMap(node("eth_blockNumber", []), NodeValues.readNumber)

/** A search of an account's ledger. */
const queryOf = ({ chain, inTurn }: Call, wallet: string) => ({ chain, wallet, inTurn })

/** First block at which a monotonic property of the state holds; it holds at the last block. */
const firstBlock = <E>(to: number, isTrue: (block: number) => Effect.Effect<boolean, E>): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    let [low, high] = [0, to]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (yield* isTrue(middle)) high = middle
      else low = middle + 1
    }
    return high
  })

/** Fails if the node has no block with a number. */
const checkBlock = Effect.fnUntraced(function* (call: Call, block: RpcMethod.BlockId) {
  if (typeof block !== "string" && (yield* Blocks.byNumber(call, block, false)) === null) {
    return yield* LocalMethod.failed(`block not found: ${block}`)
  }
})

/**
 * Whether an account had code at a block, if the node lacks the state: it had none before its creation and has had some since, provided it
 * has some now.
 */
const hadCode = Effect.fnUntraced(function* (
  call: Call,
  address: string,
  block: RpcMethod.BlockId,
  failure: LocalMethod.CallFailed,
) {
  if (typeof block === "string") return yield* failure
  const creation = yield* IndexReads.read(ContractCreation.find(queryOf(call, address)), () => Effect.fail(failure))
  if (creation === null) return yield* failure
  if (BigInt(block) < BigInt(creation.document.row.block)) return false
  return (yield* codeAt(call, address, "latest")) === noCode ? yield* failure : true
})

const hasCode = LocalMethod.make([Address.Address, Params.Block], ([address, block], call) =>
  Effect.andThen(
    checkBlock(call, block),
    codeAt(call, address, block).pipe(
      Effect.map((code) => code !== noCode),
      Effect.catchIf(
        ({ retryAfterSeconds }) => retryAfterSeconds === undefined,
        (failure) => hadCode(call, address, block, failure),
      ),
    ),
  ),
)

/** Creation of a contract in a block of a node: by a transaction, or else by a call in one, found in a trace. */
const creationIn = Effect.fnUntraced(function* (call: Call, address: string, number: number) {
  const block = yield* Blocks.byNumber(call, number, false)
  if (block === null) return yield* IndexReads.reorganizes
  const receipts = yield* Blocks.receiptsOf(call, block)
  const direct = receipts.find(({ fields: { contractAddress } }) => contractAddress === address)?.fields
  if (direct !== undefined) return { hash: direct.transactionHash, creator: direct.from }
  const traces = decodeTraces(
    yield* call.node("debug_traceBlockByNumber", [Params.toWire(number), { tracer: "callTracer" }]),
  )
  if (Option.isNone(traces)) return yield* NodeValues.unreadable("the traces of a block")
  for (const [index, { result: root, txHash }] of traces.value.entries()) {
    const hash = txHash ?? receipts[index]?.fields.transactionHash
    if (root == null || hash === undefined) continue
    const creation = Frames.fromNested(root).find(
      ({ isFailed, to, type }) => !isFailed && type.startsWith("CREATE") && to === address,
    )
    if (creation !== undefined) return { hash, creator: creation.from }
  }
  return null
})

const decodeTraces = Schema.decodeUnknownOption(Schema.Array(Trace.TransactionTrace))

/** Searches the first block whose state contains a contract. */
const creatorAtNode = Effect.fnUntraced(function* (call: Call, address: string) {
  if ((yield* codeAt(call, address, "latest")) === noCode) return null
  const first = yield* firstBlock(yield* head(call), (block) =>
    Effect.map(codeAt(call, address, block), (code) => code !== noCode),
  )
  return first === 0 ? null : yield* creationIn(call, address, first)
})

const contractCreator = LocalMethod.make([Address.Address], ([address], call) =>
  IndexReads.read(
    Effect.map(ContractCreation.find(queryOf(call, address)), (creation) => {
      if (creation === null) return null
      const { from_address: sender, hash } = creation.document.transaction
      return { hash, creator: creation.factory ?? sender }
    }),
    (failure) => Effect.mapError(creatorAtNode(call, address), () => failure),
  ),
)

const sentAtNode = Effect.fnUntraced(function* (call: Call, address: string, nonce: number) {
  const countAt = (block: RpcMethod.BlockId) =>
    Effect.flatMap(call.node("eth_getTransactionCount", [address, Params.toWire(block)]), NodeValues.readNumber)
  if ((yield* countAt("latest")) <= nonce) return null
  const number = yield* firstBlock(yield* head(call), (block) => Effect.map(countAt(block), (count) => count > nonce))
  const block = yield* Blocks.byNumber(call, number, true)
  if (block === null) return yield* IndexReads.reorganizes
  const { readAll, readTransaction } = NodeValues
  const transactions = yield* readAll("the transactions of a block", readTransaction, block.fields.transactions)
  return transactions.find(({ fields }) => fields.from === address && fields.nonce === nonce)?.fields.hash ?? null
})

const sent = (call: Call, address: string, nonce: number) =>
  IndexReads.read(
    Effect.map(
      SentTransaction.find(queryOf(call, address), nonce),
      (document) => document && document.transaction.hash,
    ),
    (failure) => Effect.mapError(sentAtNode(call, address, nonce), () => failure),
  )

const hashBySenderAndNonce = LocalMethod.make([Address.Address, Params.Count], ([address, nonce], call) =>
  sent(call, address, nonce),
)

/** The whole transaction, as nodes and `cast tx` know it. */
const bySenderAndNonce = LocalMethod.make([Address.Address, Params.Count], ([address, nonce], call) =>
  Effect.flatMap(sent(call, address, nonce), (hash) =>
    hash === null ? Effect.succeed(null) : call.node("eth_getTransactionByHash", [hash]),
  ),
)

/** The methods. */
export const methods: Readonly<Record<string, LocalMethod.LocalMethod>> = {
  ots_hasCode: hasCode,
  ots_getContractCreator: contractCreator,
  ots_getTransactionBySenderAndNonce: hashBySenderAndNonce,
  eth_getTransactionBySenderAndNonce: bySenderAndNonce,
}
