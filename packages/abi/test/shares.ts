/**
 * Counts how many recorded events and calls of each chain are decoded: with the signatures of standards, with all built-in ones, and
 * with those of additional files. A file has one signature per line; these are tried first, as in an operator's signature pack. A call
 * has at least four bytes. `pnpm --filter @daybook/abi decoded [SIGNATURES.txt...] [BLOCKS.jsonl.gz...]`; a line of a file of blocks has
 * a `block` with whole transactions, and its `receipts`.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as Result from "effect/Result"
import * as KnownSignatures from "../src/KnownSignatures.ts"
import { fromSignatures, type LogData, type SignatureSet } from "../src/Decoder.ts"
import * as Signature from "../src/Signature.ts"
import { protocols } from "../src/internal/signatures/protocols.ts"

interface Transaction {
  readonly chainId?: string
  readonly to: string | null
  /** Some chains have transactions without input. */
  readonly input?: string
}

interface Receipt {
  readonly logs: ReadonlyArray<LogData>
}

/** A transaction of a chain with its receipt. */
interface Recorded {
  readonly chain: string
  readonly transaction: Transaction
  readonly receipt: Receipt
}

interface WholeBlock {
  readonly source: string
  readonly block: { readonly transactions: ReadonlyArray<Transaction> }
  readonly receipts: ReadonlyArray<Receipt>
}

const names: Readonly<Record<string, string>> = {
  "1": "mainnet",
  "10": "Optimism",
  "100": "Gnosis",
  "137": "Polygon",
  "8453": "Base",
  "42161": "Arbitrum",
}

/** Transactions of a file of whole blocks. The chain is that of the first transaction with a chain id. */
const blocksOf = (path: string): ReadonlyArray<Recorded> =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      // Sound: the caller names files of this form.
      const { block, receipts } = JSON.parse(line) as WholeBlock
      const id = block.transactions.find(({ chainId }) => chainId !== undefined)?.chainId
      const chain = names[String(Number(id))] ?? "other chains"
      return block.transactions.map((transaction, at) => ({ chain, transaction, receipt: receipts[at]! }))
    })

const recorded: ReadonlyArray<Recorded> = RecordedReceipts.all().map(({ chain, receipt, transaction }) => ({
  chain: names[String(chain)]!,
  // Sound: recordings are responses of nodes.
  ...({ transaction, receipt } as unknown as Pick<Recorded, "transaction" | "receipt">),
}))

const setOf = (texts: ReadonlyArray<string>): SignatureSet =>
  fromSignatures(texts.map((text) => Result.getOrThrow(Signature.fromText(text))))

const signaturesIn = (path: string): ReadonlyArray<string> =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => /^(?:event|function) /.test(line))

const files = process.argv.slice(2)
const isText = (path: string) => path.endsWith(".txt")
const fileLines = files.filter(isText).flatMap(signaturesIn)
const protocolLines = new Set(protocols)
const sets: ReadonlyArray<SignatureSet> = [
  setOf(KnownSignatures.lines.filter((text) => !protocolLines.has(text))),
  setOf(KnownSignatures.lines),
  ...(fileLines.length === 0 ? [] : [setOf([...fileLines, ...KnownSignatures.lines])]),
]

const share = (count: number, total: number): string => `${((100 * count) / total).toFixed(0)} %`

const row = (chain: string, all: ReadonlyArray<Recorded>): string => {
  const logs = all.flatMap(({ receipt }) => receipt.logs).filter(({ topics }) => topics.length > 0)
  const inputs = all.flatMap(({ transaction: { input = "0x", to } }) =>
    to === null || input.length < 10 ? [] : [input],
  )
  const events = sets.map((set) => share(logs.filter((log) => set.event(log) !== null).length, logs.length))
  const calls = sets.map((set) => share(inputs.filter((input) => set.call(input) !== null).length, inputs.length))
  return [chain, logs.length, ...events, inputs.length, ...calls].join(" | ")
}

const everything = [...recorded, ...files.filter((path) => !isText(path)).flatMap(blocksOf)]
const chains = [...new Set(everything.map(({ chain }) => chain))].toSorted()
const kinds = ["standards", "built-in", ...(fileLines.length === 0 ? [] : ["with files"])]
const head = ["chain", "events", ...kinds, "calls", ...kinds].join(" | ")
const rows = [
  ...chains.map((chain) =>
    row(
      chain,
      everything.filter((one) => one.chain === chain),
    ),
  ),
  row("all", everything),
]
process.stdout.write([head, ...rows, ""].join("\n"))
