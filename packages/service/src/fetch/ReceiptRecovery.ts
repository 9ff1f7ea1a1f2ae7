/**
 * Recovers the receipts of a block that no node returns completely, as far as they are available one by one. A node that pruned its history
 * must not be mistaken for one that lacks a few receipts. Another receipt of the block, or one of a nearby block, must therefore first
 * prove that the nodes keep receipts. Nor must a lagging node behind a load balancer, so a receipt only counts as missing after repeated
 * attempts.
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

/** Number of failed turns after which receipts are fetched one by one. */
const maxFailures = 4
/** Distances of probed blocks, two per turn, so that a node that cannot answer gets few calls. */
const distances = [-1, 1, -2, 2, -3, 3, -4, 4, -6, 6, -8, 8, -12, 12, -16, 16, -32, 32] as const
const probesPerTurn = 2
const concurrency = 4
/** Number of attempts for a missing receipt, and the pause between them. */
const attempts = 4
const pause = "250 millis"

/** The last block whose receipts were given up; nearby blocks are retried for one turn. */
const givenUp = new WeakMap<Node, number>()
const neighbourhood = 1_000

const maxFailuresAt = (node: Node, number: number): number =>
  Math.abs(number - (givenUp.get(node) ?? Number.NEGATIVE_INFINITY)) < neighbourhood ? 1 : maxFailures

/**
 * Number of failed turns after which a turn makes at most ten calls: turns are then nearly a minute apart, and the nodes give the same
 * answer each time.
 */
const thriftyFrom = 10

const isThrifty = (failures: number): boolean => failures >= thriftyFrom

/**
 * Nearby blocks to probe in a turn.
 *
 * Near the head, a lagging node has the receipts of earlier blocks, so only those of a later block prove anything until it has had time to
 * catch up.
 */
const probedBlocks = (node: Node, number: number, failures: number): ReadonlyArray<number> => {
  const mayLag = !node.isSettled(number) && failures < TraceFailure.maxFailures
  const probing = mayLag ? distances.filter((distance) => distance > 0) : distances
  // A block for which the node might have lagged is probed again, nearest first, once it cannot lag any more.
  const isLate = !mayLag && !node.isSettled(number)
  const turn = failures - (isLate ? TraceFailure.maxFailures : maxFailuresAt(node, number))
  const first = (probesPerTurn * turn) % probing.length
  return probing
    .slice(first, first + probesPerTurn)
    .map((distance) => number + distance)
    .filter((probed) => probed >= 0)
}

const isUndecodable = (error: NodeError): boolean => undecodable(error) !== "none"

/** The first and last of some transactions; in later turns, one of them in rotation. */
const probedTransactions = (transactions: ReadonlyArray<string>, failures: number): ReadonlySet<string> => {
  const ends = [...transactions.slice(0, 1), ...transactions.slice(-1)]
  return new Set(isThrifty(failures) ? ends.slice(failures % 2).slice(0, 1) : ends)
}

/** True if the nodes have one of these receipts of a block, even if it does not decode. */
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

/** True if the nodes have one of the receipts of a nearby block. */
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

/** True if the nodes have proved that they keep receipts: of the block itself, or of a nearby one. */
const isProven = Effect.fnUntraced(function* (
  node: Node,
  ref: BlockTransactions,
  failures: number,
): Effect.fn.Return<boolean> {
  const proofs = [
    // By then, receipts of the block itself were requested in seven turns.
    ...(isThrifty(failures) ? [] : [hasOneOf(node, ref, ref.transactions, failures)]),
    ...probedBlocks(node, ref.number, failures).map((number) => hasOneOfBlock(node, number, failures)),
  ]
  for (const proof of proofs) if (yield* Effect.orElseSucceed(proof, () => false)) return true
  return false
})

/** A receipt; `null` if no node has it or can return it. */
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

/** Maximum number of missing receipts that are requested individually at once. */
const maxMissing = 4

/**
 * Receipts of a block, in transaction order, if the nodes individually return those missing from a response; otherwise `null`. Some nodes
 * omit receipts of state-sync transactions from the block.
 */
export const complete = Effect.fnUntraced(function* (
  node: Node,
  ref: BlockTransactions,
  received: ReadonlyArray<Receipt>,
): Effect.fn.Return<ReadonlyArray<Receipt> | null> {
  const byHash = new Map(received.map((receipt): [string, Receipt] => [receipt.transactionHash, receipt]))
  const missing = ref.transactions.filter((hash) => !byHash.has(hash))
  if (missing.length > maxMissing) return null
  const found = yield* Effect.forEach(
    missing,
    (hash) => Effect.orElseSucceed(node.receipt(hash, ref), () => undefined),
    { concurrency },
  )
  for (const receipt of found) if (receipt?.blockHash === ref.hash) byHash.set(receipt.transactionHash, receipt)
  const receipts = ref.transactions.flatMap((hash) => byHash.get(hash) ?? [])
  return receipts.length === ref.transactions.length ? receipts : null
})

/**
 * Fetches the available receipts of a block, in transaction order; `null` until recovery starts.
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
  // The block may have left the chain meanwhile, together with its receipts.
  if ((yield* node.header(ref.number))?.hash !== ref.hash) return null
  givenUp.set(node, ref.number)
  return found
})
