/**
 * Receipts of a block of which no node gives all: those that can be had one by one. A node that has pruned its history must not be
 * taken for one that lacks a few receipts. Another receipt of the block, or those of a block nearby, thus have to show first that the
 * nodes have receipts. A node behind a balancer that lags must not either, so that a receipt is missing only when it is repeatedly.
 *
 * Source: decision 0035.
 */
import type { Receipt } from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import type { BlockTransactions } from "../node/BlockReceipts.ts"
import type { Node } from "../node/Node.ts"
import { type NodeError, undecodable } from "../node/NodeError.ts"
import * as TraceFailure from "../node/TraceFailure.ts"
import type { BlockRef } from "../block/BlockRows.ts"

/** Failed turns after which receipts are looked for one by one. */
const maxFailures = 4
/** Distances of the blocks that are probed, two in each turn, so that a node that cannot answer gets few calls. */
const distances = [-1, 1, -2, 2, -3, 3, -4, 4, -6, 6, -8, 8, -12, 12, -16, 16, -32, 32] as const
const probesPerTurn = 2
const concurrency = 4
/** Times that a missing receipt is asked for, and the pause between them. */
const attempts = 4
const pause = "250 millis"

/** The last block whose receipts were given up: those of its neighbours are waited for by one turn. */
const givenUp = new WeakMap<Node, number>()
const neighbourhood = 1_000

const maxFailuresAt = (node: Node, number: number): number =>
  Math.abs(number - (givenUp.get(node) ?? Number.NEGATIVE_INFINITY)) < neighbourhood ? 1 : maxFailures

/** Failed turns after which a turn makes at most ten calls: they are most of a minute apart, and the nodes answer the same each time. */
const thriftyFrom = 10

const isThrifty = (failures: number): boolean => failures >= thriftyFrom

/**
 * The blocks nearby that are probed in a turn.
 *
 * Near the head a node that lags has the receipts of earlier blocks: only those of a later block prove something, until it has had the
 * time to catch up.
 */
const probedBlocks = (node: Node, number: number, failures: number): ReadonlyArray<number> => {
  const mayLag = !node.isSettled(number) && failures < TraceFailure.maxFailures
  const probing = mayLag ? distances.filter((distance) => distance > 0) : distances
  // A block that could lag is probed anew, the nearest first, once it cannot.
  const isLate = !mayLag && !node.isSettled(number)
  const turn = failures - (isLate ? TraceFailure.maxFailures : maxFailuresAt(node, number))
  const first = (probesPerTurn * turn) % probing.length
  return probing
    .slice(first, first + probesPerTurn)
    .map((distance) => number + distance)
    .filter((probed) => probed >= 0)
}

const isUndecodable = (error: NodeError): boolean => undecodable(error) !== "none"

/** The first and the last of some transactions; later one of them, in turn. */
const probedTransactions = (transactions: ReadonlyArray<string>, failures: number): ReadonlySet<string> => {
  const ends = [...transactions.slice(0, 1), ...transactions.slice(-1)]
  return new Set(isThrifty(failures) ? ends.slice(failures % 2).slice(0, 1) : ends)
}

/** True when the nodes have one of these receipts of a block; also where it does not decode. */
const hasOneOf = Effect.fnUntraced(function* (
  node: Node,
  ref: BlockRef,
  transactions: ReadonlyArray<string>,
  failures: number,
): Effect.fn.Return<boolean, NodeError> {
  for (const hash of probedTransactions(transactions, failures)) {
    const isFound = Effect.map(node.receipt(hash, ref), (receipt) => receipt !== null)
    if (yield* Effect.catchIf(isFound, isUndecodable, () => Effect.succeed(true))) return true
  }
  return false
})

/** The same of a block nearby. */
const hasOneOfBlock = Effect.fnUntraced(function* (
  node: Node,
  number: number,
  failures: number,
): Effect.fn.Return<boolean, NodeError> {
  const block = yield* Effect.catchIf(node.block(number), isUndecodable, () =>
    Effect.map(node.lenientBlock(number), (found) => found?.block ?? null),
  )
  if (block === null || block.hash === null) return false
  const transactions = block.transactions.map(({ hash }) => hash)
  return yield* hasOneOf(node, { number, hash: block.hash }, transactions, failures)
})

/** True when the nodes have shown that they keep receipts: one of the block itself, or of one nearby. */
const isProven = Effect.fnUntraced(function* (
  node: Node,
  ref: BlockTransactions,
  failures: number,
): Effect.fn.Return<boolean> {
  const proofs = [
    // By then the receipts of the block itself were asked for in seven turns.
    ...(isThrifty(failures) ? [] : [hasOneOf(node, ref, ref.transactions, failures)]),
    ...probedBlocks(node, ref.number, failures).map((number) => hasOneOfBlock(node, number, failures)),
  ]
  for (const proof of proofs) if (yield* Effect.orElseSucceed(proof, () => false)) return true
  return false
})

/** A receipt; `null` where no node has it, or can give it. */
const single = Effect.fnUntraced(function* (
  node: Node,
  hash: string,
  ref: BlockTransactions,
  failures: number,
): Effect.fn.Return<Receipt | null, NodeError> {
  for (let attempt = 1; ; attempt++) {
    const found = yield* Effect.catchTag(node.receipt(hash, ref), "NodeFailed", (error) =>
      TraceFailure.isFinal(error, failures) ? Effect.succeed(null) : Effect.fail(error),
    )
    const isOfBlock = found?.blockHash === ref.hash
    if (isOfBlock || attempt === attempts) return isOfBlock ? found : null
    yield* Effect.sleep(pause)
  }
})

/** Receipts that a response may lack for each of them to be asked for at once. */
const maxMissing = 4

/**
 * The receipts of a block, in the order of its transactions, where the nodes give by themselves those that a response lacks; else `null`.
 * Some nodes leave those of state-sync transactions out of the block.
 */
export const complete = Effect.fnUntraced(function* (
  node: Node,
  ref: BlockTransactions,
  received: ReadonlyArray<Receipt>,
): Effect.fn.Return<ReadonlyArray<Receipt> | null> {
  const byHash = new Map(received.map((receipt): [string, Receipt] => [receipt.transactionHash, receipt]))
  const missing = ref.transactions.filter((hash) => !byHash.has(hash))
  if (missing.length > maxMissing) return null
  const found = yield* Effect.forEach(missing, (hash) => Effect.orElseSucceed(node.receipt(hash, ref), () => null), {
    concurrency,
  })
  for (const receipt of found) if (receipt?.blockHash === ref.hash) byHash.set(receipt.transactionHash, receipt)
  const receipts = ref.transactions.flatMap((hash) => byHash.get(hash) ?? [])
  return receipts.length === ref.transactions.length ? receipts : null
})

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
  if (failures < maxFailuresAt(node, ref.number) || !(yield* isProven(node, ref, failures))) return null
  const receipts = yield* Effect.forEach(ref.transactions, (hash) => single(node, hash, ref, failures), { concurrency })
  const found = receipts.filter((receipt) => receipt !== null)
  if (found.length === receipts.length) return found
  // The block may have left the chain meanwhile, and its receipts with it.
  if ((yield* node.header(ref.number))?.hash !== ref.hash) return null
  givenUp.set(node, ref.number)
  return found
})
