/**
 * Blocks as shown by Otterscan: headers, details with fees and issuance, and pages of transactions. They are read from a node, or from the
 * cache of the relay.
 *
 * Source: decision 0016.
 */
import * as FeeRules from "@daybook/schema/FeeRules"
import * as Hash from "@daybook/schema/Hash"
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import * as LedgerRules from "../../ledger/LedgerRules.ts"
import * as LocalMethod from "../relay/LocalMethod.ts"
import * as NodeValues from "./NodeValues.ts"
import * as Params from "./Params.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

type Block = NodeValues.Passed<NodeValues.BlockFields>

/** Block by number or tag; `null` if the node has none. */
export const byNumber = ({ node }: LocalMethod.LocalCall, block: RpcMethod.BlockId, isHydrated: boolean) =>
  Effect.flatMap(node("eth_getBlockByNumber", [Params.toWire(block), isHydrated]), NodeValues.readBlock)

/** The receipts of a block. */
export const receiptsOf = ({ node }: LocalMethod.LocalCall, { fields: { hash, transactions } }: Block) =>
  transactions.length === 0
    ? Effect.succeed([])
    : Effect.flatMap(node("eth_getBlockReceipts", [hash]), (receipts) =>
        NodeValues.readAll("the receipts of a block", NodeValues.readReceipt, receipts),
      )

const withoutTransactions = ({ members }: Block) => {
  const { transactions: _, ...header } = members
  return header
}

const header = LocalMethod.make([Params.Block], ([block], call) =>
  Effect.map(byNumber(call, block, false), (found) => found && withoutTransactions(found)),
)

/** A block without its transactions: with their number, and without a bloom filter. */
const summary = (block: Block) => ({
  ...withoutTransactions(block),
  logsBloom: null,
  transactionCount: block.fields.transactions.length,
})

/** The reward of an uncle depends on how many blocks below it is: eight parts of the block reward, minus one for each. */
const uncleParts = 8n
/** Share of the block reward for each included uncle. */
const nephewShare = 32n

/** Proof-of-work issuance of a block. Source: Ethereum yellow paper, 11.3. */
const issuanceOf = Effect.fnUntraced(function* (call: LocalMethod.LocalCall, { fields }: Block) {
  const { difficulty, number, timestamp, uncles = [] } = fields
  const { config, id } = call.chain
  const { feeRules } = LedgerRules.fromChainId(id, config.feeRules)
  const { blockReward: reward } = FeeRules.at(feeRules, BigInt(number), timestamp)
  if ((difficulty ?? 0n) === 0n) return { blockReward: 0n, uncleReward: 0n }
  const rewards = yield* Effect.forEach(uncles.keys(), (index) =>
    Effect.gen(function* () {
      const params = [Params.toWire(number), HexQuantity.of(index)]
      const uncle = yield* call.node("eth_getUncleByBlockNumberAndIndex", params)
      const depth = BigInt(number - (yield* NodeValues.readNumber((uncle as NodeValues.Members | null)?.["number"])))
      return (reward * (uncleParts - depth)) / uncleParts
    }),
  )
  return {
    blockReward: reward + (reward / nephewShare) * BigInt(uncles.length),
    uncleReward: rewards.reduce((sum, one) => sum + one, 0n),
  }
})

const details = Effect.fnUntraced(function* (call: LocalMethod.LocalCall, block: Block | null) {
  if (block === null) return null
  const receipts = yield* receiptsOf(call, block)
  const fees = receipts.map(({ fields: { effectiveGasPrice, gasUsed } }) => gasUsed * (effectiveGasPrice ?? 0n))
  const { blockReward, uncleReward } = yield* issuanceOf(call, block)
  return {
    block: summary(block),
    issuance: {
      blockReward: HexQuantity.of(blockReward),
      uncleReward: HexQuantity.of(uncleReward),
      issuance: HexQuantity.of(blockReward + uncleReward),
    },
    totalFees: HexQuantity.of(fees.reduce((sum, fee) => sum + fee, 0n)),
  }
})

/** Number of characters of `0x` and a function selector. */
const selectorLength = 10

/** Pages are counted from the end of a block, and each is in block order. */
const page = Effect.fnUntraced(function* (
  call: LocalMethod.LocalCall,
  id: RpcMethod.BlockId,
  number: number,
  size: number,
) {
  const block = yield* byNumber(call, id, true)
  if (block === null) return null
  const { transactions } = block.fields
  const end = Math.max(0, transactions.length - number * size)
  const [from, to] = [Math.max(0, end - size), end]
  const receipts = from === to ? [] : yield* receiptsOf(call, block)
  const own = yield* NodeValues.readAll(
    "the transactions of a block",
    NodeValues.readTransaction,
    transactions.slice(from, to),
  )
  const byHash = new Map(receipts.map((receipt) => [receipt.fields.transactionHash, receipt.members]))
  if (own.some(({ fields: { hash } }) => !byHash.has(hash))) return yield* NodeValues.unreadable("receipts of a block")
  return {
    fullblock: {
      ...summary(block),
      transactions: own.map(({ fields: { input }, members }) => ({
        ...members,
        input: input.slice(0, selectorLength),
      })),
    },
    receipts: own.map(({ fields: { hash } }) => ({ ...byHash.get(hash), logs: null, logsBloom: null })),
  }
})

/** The methods. */
export const methods: Readonly<Record<string, LocalMethod.LocalMethod>> = {
  erigon_getHeaderByNumber: header,
  ots_getHeaderByNumber: header,
  ots_getBlockDetails: LocalMethod.make([Params.Block], ([block], call) =>
    Effect.flatMap(byNumber(call, block, false), (found) => details(call, found)),
  ),
  ots_getBlockDetailsByHash: LocalMethod.make([Hash.Hash], ([hash], call) =>
    call.node("eth_getBlockByHash", [hash, false]).pipe(
      Effect.flatMap(NodeValues.readBlock),
      Effect.flatMap((found) => details(call, found)),
    ),
  ),
  ots_getBlockTransactions: LocalMethod.make(
    [Params.Block, Params.Count, Params.Count],
    ([block, number, size], call) => page(call, block, number, size),
  ),
}
