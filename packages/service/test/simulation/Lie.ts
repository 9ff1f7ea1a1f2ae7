/**
 * What a node says that is not so: a block with another parent, receipts that do not fit, a trace that failed. Each lie is one
 * that a service can see through, by what the answers say against each other or by the header's hash.
 */
import type { Chance } from "./Chance.ts"
import type { Count } from "./Count.ts"
import * as Answers from "./Answers.ts"
import type { Block, Log } from "./Tree.ts"
import { at, bloomOf } from "./Tree.ts"

type Json = Record<string, unknown>
type Told = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

interface Question {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const copy = <A>(value: A): A => structuredClone(value)

const otherThan = (chance: Chance, head: Block, number: number): Block | undefined =>
  at(head, Math.max(0, number + chance.pick([-2, -1, 1, 2])))

const lieOfBlock = (chance: Chance, head: Block, { params }: Question, honest: Json): readonly [string, unknown] => {
  const isTag = params[0] === "latest" || params[0] === "finalized"
  const kind = chance.pick(isTag ? ["block null"] : ["block null", "wrong parent", "block of another number"])
  if (kind === "wrong parent") {
    return [
      "wrong parent",
      {
        ...honest,
        parentHash: `0x${chance
          .below(2 ** 32)
          .toString(16)
          .padStart(64, "d")}`,
      },
    ]
  }
  if (kind === "block of another number") {
    const other = otherThan(chance, head, Number(params[0]))
    if (other !== undefined) return [kind, params[1] === true ? Answers.hydrated(other) : Answers.plain(other)]
  }
  return [isTag ? `no ${String(params[0])} block` : "block null", null]
}

const lieOfReceipts = (chance: Chance, head: Block, honest: ReadonlyArray<Json>): readonly [string, unknown] => {
  const list = copy(honest) as Array<Json>
  const receipt = chance.pick(list)
  const logs = receipt["logs"] as Array<Json>
  const kinds = [
    "receipts null",
    "no receipts",
    "receipt missing",
    "receipts of another block",
    "receipt of another block",
  ]
  const kind = chance.pick([...kinds, ...(logs.length > 0 ? ["log missing", "log of another block", "log twice"] : [])])
  switch (kind) {
    case "receipts null":
      return [kind, null]
    case "no receipts":
      return [kind, []]
    case "receipts of another block": {
      const other = otherThan(chance, head, Number(receipt["blockNumber"]))
      return [kind, other === undefined ? [] : Answers.receipts(other)]
    }
    case "receipt of another block":
      receipt["blockHash"] = `0x${"e".repeat(64)}`
      return [kind, list]
    case "log missing": {
      const before = bloomOf(logs as unknown as ReadonlyArray<Log>)
      logs.splice(chance.below(logs.length), 1)
      // A last log that the bloom does not tell from those before it is beyond what is checked by default.
      return bloomOf(logs as unknown as ReadonlyArray<Log>) === before ? ["receipts null", null] : [kind, list]
    }
    case "log of another block":
      chance.pick(logs)["blockHash"] = `0x${"e".repeat(64)}`
      return [kind, list]
    case "log twice":
      logs.push(copy(logs[0]!))
      return [kind, list]
    default:
      list.splice(list.indexOf(receipt), 1)
      return [kind, list]
  }
}

const lieOfFlat = (chance: Chance, head: Block, honest: ReadonlyArray<Json>): readonly [string, unknown] => {
  const other = otherThan(chance, head, Number(honest[0]!["blockNumber"]))
  if (other !== undefined && other.deeds.length > 0 && chance.is(0.5))
    return ["traces of another block", Answers.flat(other)]
  const hash = chance.pick(honest.filter(({ transactionHash }) => transactionHash !== undefined))["transactionHash"]
  return ["traces of a transaction missing", honest.filter(({ transactionHash }) => transactionHash !== hash)]
}

const lieOfFrames = (chance: Chance, honest: ReadonlyArray<Json>): readonly [string, unknown] => {
  const list = copy(honest) as Array<Json>
  const index = chance.below(list.length)
  if (chance.is(0.3)) return ["traces of a transaction missing", list.toSpliced(index, 1)]
  list[index] = { txHash: list[index]!["txHash"], error: "historical state is not available" }
  return ["error of the tracer", list]
}

/** A lie in the place of an honest result; the honest result where there is nothing to lie about. */
export const about = (chance: Chance, count: Count, head: Block, question: Question, honest: unknown): Told => {
  const tell = ([kind, result]: readonly [string, unknown]): Told => {
    count(`lie: ${kind}`)
    return { result }
  }
  if (honest === null || typeof honest !== "object") return { result: honest }
  if (question.method.startsWith("eth_getBlockBy")) return tell(lieOfBlock(chance, head, question, honest as Json))
  const list = honest as ReadonlyArray<Json>
  const isOfBlocks = list.some(({ transactionHash, txHash }) => transactionHash !== undefined || txHash !== undefined)
  if (!isOfBlocks) return { result: honest }
  if (question.method === "eth_getBlockReceipts") return tell(lieOfReceipts(chance, head, list))
  if (question.method === "trace_block") return tell(lieOfFlat(chance, head, list))
  return tell(lieOfFrames(chance, list))
}
