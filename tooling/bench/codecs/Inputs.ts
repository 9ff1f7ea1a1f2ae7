/** JSON texts that codecs decode: wallet pages and blocks generated with a seed from the captured fixtures of `packages/schema`. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

type Json = Record<string, any>

const fixtures = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../packages/schema/test/fixtures/anvil.json"), "utf8"),
) as { readonly answers: ReadonlyArray<{ readonly resource: string; readonly of: string; readonly json: Json }> }

const capturesOf = (resource: string) =>
  fixtures.answers.filter((answer) => answer.resource === resource && answer.of !== "pending" && answer.of !== "type3")

/** A seeded generator (mulberry32): the texts are the same in every run. */
const random = (() => {
  let state = 42
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
})()
const hex = (digits: number) =>
  `0x${Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("")}`
const wallets = Array.from({ length: 120 }, () => hex(40))
const randomWallet = () => wallets[Math.floor(random() * wallets.length)]!

const transactions = capturesOf("Transaction.Transaction")
const receipts = new Map(capturesOf("Receipt.Receipt").map(({ json }) => [json["transactionHash"], json]))

const blockHash = hex(64)
const transactionAt = (at: number): Json => ({
  ...transactions[at % transactions.length]!.json,
  hash: hex(64),
  blockHash,
  blockNumber: "0x1312d00",
  transactionIndex: `0x${at.toString(16)}`,
  from: randomWallet(),
  value: `0x${Math.floor(random() * 2 ** 52).toString(16)}${Math.floor(random() * 256).toString(16)}`,
  gas: `0x${Math.floor(random() * 1e6 + 21000).toString(16)}`,
  r: hex(64),
  s: hex(64),
})

const list = Array.from({ length: 200 }, (_, at) => transactionAt(at))
const block = {
  ...capturesOf("Block.Block")[0]!.json,
  hash: blockHash,
  number: "0x1312d00",
  logsBloom: hex(512),
  withdrawals: [],
}

const toDecimal = (quantity: string) => BigInt(quantity).toString()

interface BlockFields {
  readonly block_timestamp: string
  readonly block_number: string
  readonly block_hash: string
}

const decodedTransfer = () => ({
  signature: "Transfer(address,address,uint256)",
  label: "Transfer",
  type: "event",
  params: [
    { name: "from", value: randomWallet(), type: "address" },
    { name: "to", value: randomWallet(), type: "address" },
    { name: "value", value: "777062616730", type: "uint256" },
  ],
})

const logAt = (index: number, log: Json, transactionIndex: string, hash: string, blockFields: BlockFields): Json => ({
  log_index: `${index}`,
  transaction_hash: hash,
  transaction_index: transactionIndex,
  address: log["address"],
  data: log["data"],
  ...Object.fromEntries([0, 1, 2, 3].map((slot) => [`topic${slot}`, log["topics"][slot] ?? ""])),
  ...blockFields,
  decoded_event: decodedTransfer(),
})

const recordAt = (at: number): Json => {
  const { json } = transactions[at % transactions.length]!
  const receipt = receipts.get(json["hash"])!
  const hash = hex(64)
  const transactionIndex = `${at % 90}`
  const blockFields: BlockFields = {
    block_timestamp: new Date(1_700_000_000_000 + at * 12_000).toISOString(),
    block_number: `${20_000_000 + at}`,
    block_hash: hex(64),
  }
  return {
    hash,
    nonce: toDecimal(json["nonce"]),
    transaction_index: transactionIndex,
    from_address: randomWallet(),
    to_address: json["to"],
    from_address_label: null,
    to_address_label: at % 5 === 0 ? "Exchange" : null,
    value: toDecimal(json["value"]),
    gas: toDecimal(json["gas"]),
    gas_price: toDecimal(receipt["effectiveGasPrice"]),
    input: json["input"],
    receipt_cumulative_gas_used: toDecimal(receipt["cumulativeGasUsed"]),
    receipt_gas_used: toDecimal(receipt["gasUsed"]),
    receipt_contract_address: receipt["contractAddress"] ?? "",
    receipt_root: "",
    receipt_status: toDecimal(receipt["status"]),
    ...blockFields,
    logs: (receipt["logs"] as ReadonlyArray<Json>).map((log, index) =>
      logAt(index, log, transactionIndex, hash, blockFields),
    ),
    decoded_call: null,
  }
}

/** A page of 100 transactions, a block of 200, and the same block with only their hashes. */
export const inputs = {
  page: JSON.stringify({
    cursor: hex(200),
    page: "0",
    page_size: "100",
    result: Array.from({ length: 100 }, (_, at) => recordAt(at)),
  }),
  block: JSON.stringify({ ...block, transactions: list }),
  hashes: JSON.stringify({ ...block, transactions: list.map((transaction) => transaction["hash"]) }),
} as const

export type InputName = keyof typeof inputs
