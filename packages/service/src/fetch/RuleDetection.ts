/**
 * Detects the hash rules of an unlisted chain from several of its blocks: the newest ones, and some of its history. Each rule is judged
 * separately: a reproducible header hash proves neither blooms nor roots.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import * as BatchFetcher from "../node/BatchFetcher.ts"
import * as BlockReceipts from "../node/BlockReceipts.ts"
import type { Node } from "../node/Node.ts"
import { type NodeError, undecodable } from "../node/NodeError.ts"
import * as BlockVerifier from "../verification/BlockVerifier.ts"
import type * as HashRules from "../verification/HashRules.ts"

/**
 * Evidence of one block of the chain.
 */
export interface Sample {
  readonly block: bigint
  readonly evidence: BlockVerifier.Evidence
}

/** True if the node responded, though not with the requested data. */
const isOfResponse = (error: NodeError): boolean =>
  error._tag === "NodeFailed" && (error.cause._tag === "RpcError" || error.cause._tag === "InvalidResponse")

const newestBlocks = 8
const parts = 4
const concurrency = 16

/** A rejected block, and blocks at growing distances above it, so that a rule is dropped for as few blocks as possible. */
const around = (doubtful: number, head: number): ReadonlyArray<number> => {
  const numbers = doubtful <= head ? [doubtful] : []
  for (let distance = 1; doubtful + distance <= head; distance *= 4) numbers.push(doubtful + distance)
  return numbers
}

/**
 * Numbers of the blocks to examine, newest first; with a rejected block, also that one and some above it.
 */
export const samplesOf = (head: number, doubtful: number | null = null): ReadonlyArray<number> => {
  const newest = Array.from({ length: newestBlocks }, (_, age) => head - age)
  const older = Array.from({ length: parts - 1 }, (_, part) => Math.floor((head * (parts - 1 - part)) / parts))
  const refused = doubtful === null ? [] : around(doubtful, head)
  return [...new Set([...newest, ...older, ...refused])].filter((number) => number >= 0)
}

/**
 * First block from which a rule holds: 0, or the first sample after the last one that violates it; `null` without later evidence. Most
 * chains have no withdrawals, so that rule needs no evidence.
 */
const heldFrom = (samples: ReadonlyArray<Sample>, rule: keyof BlockVerifier.Evidence): bigint | null => {
  const since = samples.slice(samples.findLastIndex(({ evidence }) => evidence[rule] === false) + 1)
  const isHeld = rule === "withdrawals" ? since.length > 0 : since.some(({ evidence }) => evidence[rule] === true)
  if (!isHeld) return null
  return since.length === samples.length ? 0n : since[0]!.block
}

/**
 * Rules proved by samples, by range of blocks. A rule without evidence does not hold, with one exception: if no sample has logs, the rule
 * for blooms follows that for headers, whose hash covers them. Otherwise a node that strips all logs would be believed.
 */
export const fromSamples = (samples: ReadonlyArray<Sample>): HashRules.HashRules => {
  const ascending = samples.toSorted((one, other) => Number(one.block - other.block))
  const headerHash = heldFrom(ascending, "headerHash")
  const hasLogs = ascending.some(({ evidence }) => evidence.blooms !== null)
  const from = {
    headerHash,
    blooms: hasLogs ? heldFrom(ascending, "blooms") : headerHash,
    roots: heldFrom(ascending, "roots"),
    withdrawals: heldFrom(ascending, "withdrawals"),
  }
  const holds = (block: bigint, since: bigint | null) => since !== null && since <= block
  const rangeAt = (block: bigint): HashRules.HashRules[0] => ({
    fromBlock: block,
    headerHash: holds(block, from.headerHash),
    blooms: holds(block, from.blooms),
    roots: holds(block, from.roots),
    withdrawals: holds(block, from.withdrawals),
  })
  const later = Object.values(from).filter((block): block is bigint => (block ?? 0n) > 0n)
  const forks = [...new Set(later)].toSorted((one, other) => Number(one - other))
  return [rangeAt(0n), ...forks.map(rangeAt)]
}

/** A block and its receipts from one response; `null` for what it lacks. */
interface Received {
  readonly block: HydratedBlock | null
  readonly receipts: ReadonlyArray<Receipt> | null
}

/** Requests a block and its receipts by number in one request, so that a distant node is waited for once; empty if a node returns neither. */
const receive = Effect.fnUntraced(function* (node: Node, number: number): Effect.fn.Return<Received, NodeError> {
  const calls = [BatchFetcher.blockCall(number), BatchFetcher.receiptsCall(number)]
  const task = { what: "return the block", block: number }
  const results = yield* Effect.catchIf(node.batch(calls, task), isOfResponse, () => Effect.succeed([]))
  const [block] = results
  return {
    // Sound: the result is that of the method, which is decoded by its schema.
    block: block?._tag === "Success" ? (block.success as HydratedBlock | null) : null,
    receipts: BlockReceipts.fromResults(results.slice(1), false),
  }
})

const sampleWhole = Effect.fnUntraced(function* (
  node: Node,
  number: number,
): Effect.fn.Return<ReadonlyArray<Sample>, NodeError> {
  const received = yield* receive(node, number)
  const block = received.block ?? (yield* node.block(number))
  if (block === null || block.hash === null) return []
  const { hash } = block
  const transactions = block.transactions.map((transaction) => transaction.hash)
  const given = transactions.length === 0 ? [] : received.receipts
  const isOfBlock = given?.length === transactions.length && given.every(({ blockHash }) => blockHash === hash)
  const receipts = isOfBlock ? given : yield* node.receipts({ number, hash, transactions })
  const evidence = BlockVerifier.evidence(block, receipts)
  return evidence === null ? [] : [{ block: BigInt(number), evidence }]
})

/** A block with parts that do not decode is not evidence. */
const sample = (node: Node, number: number): Effect.Effect<ReadonlyArray<Sample>, NodeError> =>
  Effect.catchIf(
    sampleWhole(node, number),
    (error) => undecodable(error) !== "none",
    () => Effect.succeed<ReadonlyArray<Sample>>([]),
  )

/**
 * Detects the rules of a chain whose newest block is `head`. Older blocks that the node cannot return are skipped.
 *
 * **Details** `doubtful` is a block rejected by detected rules: a rule that it violates does not hold for it. The rules of an unlisted
 * chain are assumptions, and a block that all nodes return in the same form disproves them.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: the node did not return the newest block.
 */
export const detect = Effect.fnUntraced(function* (
  node: Node,
  head: number,
  doubtful: number | null = null,
): Effect.fn.Return<HashRules.HashRules, NodeError> {
  const numbers = samplesOf(head, doubtful)
  const samples = yield* Effect.forEach(
    numbers,
    (number) => {
      const found = sample(node, number)
      return number === head ? found : Effect.orElseSucceed(found, (): ReadonlyArray<Sample> => [])
    },
    { concurrency },
  )
  return fromSamples(samples.flat())
})
