/**
 * Compares fees and token movements that the ledger derives from recorded receipts with those from viem's decoders: `pnpm bench receipts`.
 * `--file FILE` reads other recordings, in the form of `tooling/harness/src/RecordedReceipts.ts`. Exits with code 1 if they differ.
 */
import * as RecordedReceipts from "../../../tooling/harness/src/RecordedReceipts.ts"
import * as Daybook from "../../../packages/service/test/ledger/recordedReceipts.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Viem from "./viem.ts"

/** Numbers of compared items on one chain. */
interface Counts {
  transactions: number
  fees: number
  l1Fees: number
  sums: number
  differences: number
}

const { values } = BenchOptions.parse({ rounds: 1, options: { file: "" } })
const recordings = values.file === "" ? RecordedReceipts.all() : RecordedReceipts.read(values.file)

const byChain = new Map<number, Counts>()
const differences: Array<string> = []

const text = (sums: ReadonlyMap<string, bigint>): ReadonlyArray<string> =>
  [...sums].map(([key, sum]) => `${key} ${sum}`).toSorted()

for (const recorded of recordings) {
  const { chain, transaction } = recorded
  const counts = byChain.get(chain) ?? { transactions: 0, fees: 0, l1Fees: 0, sums: 0, differences: 0 }
  byChain.set(chain, counts)
  const local = Daybook.derive(recorded)
  const other = Viem.derive(recorded)
  const [own, remote] = [text(local.tokens), text(other.tokens)]
  counts.transactions++
  if (other.fee > 0n) counts.fees++
  if (other.l1Fee > 0n) counts.l1Fees++
  counts.sums += remote.length
  const found = [
    ...(local.fee === other.fee ? [] : [`fee ${local.fee}, viem ${other.fee}`]),
    ...own.filter((sum) => !remote.includes(sum)).map((sum) => `${sum}, not by viem`),
    ...remote.filter((sum) => !own.includes(sum)).map((sum) => `${sum}, by viem alone`),
  ]
  counts.differences += found.length
  for (const difference of found) differences.push(`chain ${chain}, ${String(transaction["hash"])}: ${difference}`)
}

console.log("| chain | transactions | fees above 0 | fees of L1 above 0 | sums of tokens | differences |")
console.log("|---|---|---|---|---|---|")
for (const [chain, { differences: count, fees, l1Fees, sums, transactions }] of byChain)
  console.log(`| ${chain} | ${transactions} | ${fees} | ${l1Fees} | ${sums} | ${count} |`)
for (const difference of differences) console.log(difference)
if (differences.length > 0) process.exitCode = 1
