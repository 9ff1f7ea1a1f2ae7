/**
 * Cost of each level of verification beside the rest of the work for a block, on whole recorded blocks:
 * `node tooling/bench/checks/measure.ts FILE`. FILE is gzipped JSON, a line for each block: `{ block, receipts }`. Prints the
 * milliseconds of a block for each step, as the median of the rounds.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import * as Schema from "effect/Schema"
import * as Block from "../../../packages/schema/src/Block.ts"
import * as RpcMethod from "../../../packages/schema/src/RpcMethod.ts"
import * as Decoder from "../../../packages/service/src/decode/Decoder.ts"
import * as BlockAssembler from "../../../packages/service/src/fetch/BlockAssembler.ts"
import * as BlockVerifier from "../../../packages/service/src/verification/BlockVerifier.ts"
import * as HashRules from "../../../packages/service/src/verification/HashRules.ts"
import * as Rlp from "../../../packages/service/src/verification/Rlp.ts"
import * as TrieRoot from "../../../packages/service/src/verification/TrieRoot.ts"
import * as Figures from "../Figures.ts"

const rounds = 9

const [file = ""] = process.argv.slice(2)
const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n")

interface Line {
  readonly block: unknown
  readonly receipts: unknown
}

const decodeBlock = Schema.decodeUnknownSync(Block.HydratedBlock)
const decodeReceipts = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.result)
const decoder = Decoder.make()
const rules = HashRules.ethereum

const read = (line: string) => {
  const { block, receipts } = JSON.parse(line) as Line
  return { block: decodeBlock(block), receipts: decodeReceipts(receipts) ?? [], traces: null }
}

const blocks = lines.map(read)

const timed = (work: () => void): number => {
  const began = performance.now()
  work()
  return (performance.now() - began) / blocks.length
}

const verify = (checks: HashRules.Level) => () => {
  for (const { block, receipts } of blocks) BlockVerifier.verify(block, receipts, { checks, rules })
}

const receiptsRoots = () => {
  for (const { block, receipts } of blocks) {
    const encoded = receipts.map((receipt, index) => Rlp.receipt(receipt, block.transactions[index]?.type ?? 0))
    TrieRoot.of(encoded.filter((bytes) => bytes !== null))
  }
}

const steps: ReadonlyArray<readonly [name: string, work: () => void]> = [
  ["parse and decode", () => void lines.map(read)],
  ["assemble rows", () => void blocks.map((one) => BlockAssembler.assemble(one, { decoder, checks: "links" }))],
  ["links", verify("links")],
  ["standard", verify("standard")],
  ["full", verify("full")],
  ["receipts root", receiptsRoots],
]

const values = new Map<string, Array<number>>(steps.map(([name]) => [name, []]))
for (let round = 0; round < rounds; round++) for (const [name, work] of steps) values.get(name)!.push(timed(work))

const transactions = blocks.reduce((sum, { receipts }) => sum + receipts.length, 0)
console.log(`${blocks.length} blocks, ${transactions} transactions; ms a block, median of ${rounds} rounds`)
for (const [name] of steps) console.log(`${name.padEnd(18)} ${Figures.median(values.get(name)!).toFixed(2)}`)
