/**
 * Faulty responses of a node: a block with another parent, receipts of another block, a failed trace. Each can be detected by an
 * inconsistency between responses or by the hash of the header.
 */
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Count } from "./Count.ts"
import * as NodeResponse from "./NodeResponse.ts"
import type { Block, Log } from "./Tree.ts"
import { at, bloomOf } from "./Tree.ts"

type Json = Record<string, unknown>
type Reply = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

interface Question {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const copy = <A>(value: A): A => structuredClone(value)

const otherThan = (random: SeededRandom, head: Block, number: number): Block | undefined =>
  at(head, Math.max(0, number + random.pick([-2, -1, 1, 2])))

const faultyBlock = (
  random: SeededRandom,
  head: Block,
  { params }: Question,
  correct: Json,
): readonly [string, unknown] => {
  const isTag = params[0] === "latest" || params[0] === "finalized"
  const kind = random.pick(isTag ? ["block null"] : ["block null", "wrong parent", "block of another number"])
  if (kind === "wrong parent") {
    return [
      "wrong parent",
      {
        ...correct,
        parentHash: `0x${random
          .below(2 ** 32)
          .toString(16)
          .padStart(64, "d")}`,
      },
    ]
  }
  if (kind === "block of another number") {
    const other = otherThan(random, head, Number(params[0]))
    if (other !== undefined)
      return [kind, params[1] === true ? NodeResponse.hydrated(other) : NodeResponse.plain(other)]
  }
  return [isTag ? `no ${String(params[0])} block` : "block null", null]
}

const faultyReceipts = (
  random: SeededRandom,
  head: Block,
  correct: ReadonlyArray<Json>,
): readonly [string, unknown] => {
  const list = copy(correct) as Array<Json>
  const receipt = random.pick(list)
  const logs = receipt["logs"] as Array<Json>
  const kinds = [
    "receipts null",
    "no receipts",
    "receipt missing",
    "receipts of another block",
    "receipt of another block",
  ]
  const kind = random.pick([...kinds, ...(logs.length > 0 ? ["log missing", "log of another block", "log twice"] : [])])
  switch (kind) {
    case "receipts null":
      return [kind, null]
    case "no receipts":
      return [kind, []]
    case "receipts of another block": {
      const other = otherThan(random, head, Number(receipt["blockNumber"]))
      return [kind, other === undefined ? [] : NodeResponse.receipts(other)]
    }
    case "receipt of another block":
      receipt["blockHash"] = `0x${"e".repeat(64)}`
      return [kind, list]
    case "log missing": {
      const before = bloomOf(logs as unknown as ReadonlyArray<Log>)
      logs.splice(random.below(logs.length), 1)
      // A missing log that leaves the bloom unchanged is not detected at the default level.
      return bloomOf(logs as unknown as ReadonlyArray<Log>) === before ? ["receipts null", null] : [kind, list]
    }
    case "log of another block":
      random.pick(logs)["blockHash"] = `0x${"e".repeat(64)}`
      return [kind, list]
    case "log twice":
      logs.push(copy(logs[0]!))
      return [kind, list]
    default:
      list.splice(list.indexOf(receipt), 1)
      return [kind, list]
  }
}

const faultyReceipt = (random: SeededRandom, correct: Json): readonly [string, unknown] =>
  random.is(0.5)
    ? ["single receipt null", null]
    : ["single receipt of another block", { ...correct, blockHash: `0x${"e".repeat(64)}` }]

const faultyFlat = (random: SeededRandom, head: Block, correct: ReadonlyArray<Json>): readonly [string, unknown] => {
  const other = otherThan(random, head, Number(correct[0]!["blockNumber"]))
  if (other !== undefined && other.transactions.length > 0 && random.is(0.5))
    return ["traces of another block", NodeResponse.flat(other)]
  const hash = random.pick(correct.filter(({ transactionHash }) => transactionHash !== undefined))["transactionHash"]
  return ["traces of a transaction missing", correct.filter(({ transactionHash }) => transactionHash !== hash)]
}

const faultyFrames = (random: SeededRandom, correct: ReadonlyArray<Json>): readonly [string, unknown] => {
  const list = copy(correct) as Array<Json>
  const index = random.below(list.length)
  if (random.is(0.3)) return ["traces of a transaction missing", list.toSpliced(index, 1)]
  list[index] = { txHash: list[index]!["txHash"], error: "historical state is not available" }
  return ["error of the tracer", list]
}

/** A faulty response in place of a correct one; the correct response if no fault applies. */
export const about = (random: SeededRandom, count: Count, head: Block, question: Question, correct: unknown): Reply => {
  const log = ([kind, result]: readonly [string, unknown]): Reply => {
    count(`faulty response: ${kind}`)
    return { result }
  }
  if (correct === null || typeof correct !== "object") return { result: correct }
  if (question.method.startsWith("eth_getBlockBy")) return log(faultyBlock(random, head, question, correct as Json))
  if (question.method === "eth_getTransactionReceipt") return log(faultyReceipt(random, correct as Json))
  const list = correct as ReadonlyArray<Json>
  const isOfBlocks = list.some(({ transactionHash, txHash }) => transactionHash !== undefined || txHash !== undefined)
  if (!isOfBlocks) return { result: correct }
  if (question.method === "eth_getBlockReceipts") return log(faultyReceipts(random, head, list))
  if (question.method === "trace_block") return log(faultyFlat(random, head, list))
  return log(faultyFrames(random, list))
}
