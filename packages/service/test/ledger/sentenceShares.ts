/**
 * Counts by chain the recorded transactions with a sentence, and the sentences that disagree with the movements. Files with further
 * transactions have the format of the recordings. `pnpm --filter @daybook/service sentences [TRANSACTIONS.jsonl.gz...]`.
 */
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import { type Described, describe, issuesOf, shareOf, textOf } from "./sentences.ts"

const rowOf = (name: string, all: ReadonlyArray<Described>): string => {
  const { beyondCalls, sentences, transactions, wrong } = shareOf(all)
  const share = `${((100 * sentences) / Math.max(1, transactions)).toFixed(0)} %`
  return `| ${name} | ${transactions} | ${sentences} | ${share} | ${beyondCalls} | ${wrong} |`
}

const sets: ReadonlyArray<readonly [name: string, recorded: ReadonlyArray<RecordedReceipts.RecordedReceipt>]> = [
  ["chosen", RecordedReceipts.all()],
  ["whole blocks", RecordedReceipts.ofBlocks()],
  ...process.argv.slice(2).map((path) => [path, RecordedReceipts.read(path)] as const),
]

const lines = [
  "| transactions of | number | sentences | share | more than the call | wrong |",
  "|---|--:|--:|--:|--:|--:|",
]
const problems: Array<string> = []
for (const [name, recorded] of sets) {
  const all = recorded.map(describe)
  for (const chain of new Set(all.map((one) => one.chain))) {
    const ofChain = all.filter((one) => one.chain === chain)
    lines.push(rowOf(`${name}, chain ${chain}`, ofChain))
  }
  lines.push(rowOf(name, all))
  for (const one of all) {
    const issues = issuesOf(one)
    if (one.sentence !== null && issues.length > 0)
      problems.push(`${one.hash} ${textOf(one.sentence)}: ${issues.join("; ")}`)
  }
}
process.stdout.write(`${[...lines, ...problems].join("\n")}\n`)
if (problems.length > 0) process.exitCode = 1
