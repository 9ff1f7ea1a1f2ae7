/**
 * Receipts of a block of which no node gives all: those that can be had one by one. A node that has pruned its history must not be
 * taken for one that lacks a few receipts, so that a block nearby has to show first that the nodes have receipts.
 *
 * Source: decision 0035.
 */
import type { Receipt } from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BlockTransactions } from "../node/BlockReceipts.ts"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import * as TraceFailure from "../node/TraceFailure.ts"

/** Failed turns after which receipts are looked for one by one. */
const patience = 4
/** Distances of the blocks that are probed, one in each turn, so that a node that cannot answer gets few calls. */
const distances = [1, -1, 2, 4, 8, 16, 32, 64] as const
const concurrency = 4

const probedBlock = (number: number, failures: number): number => {
  const probed = number + distances[(failures - patience) % distances.length]!
  return probed < 0 ? number + 1 : probed
}

/** True when the nodes have the receipts of a block with transactions. */
const hasReceipts = Effect.fnUntraced(function* (node: Node, number: number): Effect.fn.Return<boolean, NodeError> {
  const block = yield* node.block(number)
  if (block === null || block.hash === null || block.transactions.length === 0) return false
  const transactions = block.transactions.map(({ hash }) => hash)
  return (yield* node.receipts({ number, hash: block.hash, transactions })) !== null
})

/** A receipt; `null` where no node has it, or can give it. */
const single = (node: Node, hash: string, ref: BlockTransactions, failures: number) =>
  Effect.catchTag(node.receipt(hash, ref), "NodeFailed", (error) =>
    TraceFailure.isFinal(error, failures) ? Effect.succeed(null) : Effect.fail(error),
  )

/**
 * The receipts that can be had of a block, in the order of its transactions; `null` while they are not looked for.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: no node answered.
 */
export const recover = Effect.fn("ReceiptRecovery.recover")(function* (
  node: Node,
  ref: BlockTransactions,
  failures: number,
): Effect.fn.Return<ReadonlyArray<Receipt> | null, NodeError> {
  if (failures < patience) return null
  const isProven = yield* Effect.option(hasReceipts(node, probedBlock(ref.number, failures)))
  if (!Option.getOrElse(isProven, () => false)) return null
  const receipts = yield* Effect.forEach(ref.transactions, (hash) => single(node, hash, ref, failures), { concurrency })
  return receipts.filter((receipt) => receipt !== null && receipt.blockHash === ref.hash) as ReadonlyArray<Receipt>
})
