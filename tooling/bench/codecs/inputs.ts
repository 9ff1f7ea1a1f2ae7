/** The texts that are decoded: real-shaped answers, grown from the captured fixtures of `packages/schema` by a seed. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

type Json = Record<string, any>

const fixtures = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../packages/schema/test/fixtures/anvil.json"), "utf8"),
) as { readonly answers: ReadonlyArray<{ readonly resource: string; readonly of: string; readonly json: Json }> }

const of = (resource: string) =>
  fixtures.answers.filter((answer) => answer.resource === resource && answer.of !== "pending" && answer.of !== "type3")

const chance = (() => {
  let state = 42
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
})()
const hex = (digits: number) =>
  `0x${Array.from({ length: digits }, () => Math.floor(chance() * 16).toString(16)).join("")}`
const people = Array.from({ length: 120 }, () => hex(40))
const anyone = () => people[Math.floor(chance() * people.length)]!

const transactions = of("Transaction.Transaction")
const receipts = new Map(of("Receipt.Receipt").map(({ json }) => [json["transactionHash"], json]))

const blockHash = hex(64)
const transactionAt = (at: number): Json => ({
  ...transactions[at % transactions.length]!.json,
  hash: hex(64),
  blockHash,
  blockNumber: "0x1312d00",
  transactionIndex: `0x${at.toString(16)}`,
  from: anyone(),
  value: `0x${Math.floor(chance() * 2 ** 52).toString(16)}${Math.floor(chance() * 256).toString(16)}`,
  gas: `0x${Math.floor(chance() * 1e6 + 21000).toString(16)}`,
  r: hex(64),
  s: hex(64),
})

const list = Array.from({ length: 200 }, (_, at) => transactionAt(at))
const block = {
  ...of("Block.Block")[0]!.json,
  hash: blockHash,
  number: "0x1312d00",
  logsBloom: hex(512),
  withdrawals: [],
}

const dec = (quantity: string) => BigInt(quantity).toString()

const recordAt = (at: number): Json => {
  const { json } = transactions[at % transactions.length]!
  const receipt = receipts.get(json["hash"])!
  const hash = hex(64)
  const placed = {
    block_timestamp: new Date(1_700_000_000_000 + at * 12_000).toISOString(),
    block_number: `${20_000_000 + at}`,
    block_hash: hex(64),
  }
  return {
    hash,
    nonce: dec(json["nonce"]),
    transaction_index: `${at % 90}`,
    from_address: anyone(),
    to_address: json["to"],
    from_address_label: null,
    to_address_label: at % 5 === 0 ? "Exchange" : null,
    value: dec(json["value"]),
    gas: dec(json["gas"]),
    gas_price: dec(receipt["effectiveGasPrice"]),
    input: json["input"],
    receipt_cumulative_gas_used: dec(receipt["cumulativeGasUsed"]),
    receipt_gas_used: dec(receipt["gasUsed"]),
    receipt_contract_address: receipt["contractAddress"] ?? "",
    receipt_root: "",
    receipt_status: dec(receipt["status"]),
    ...placed,
    logs: (receipt["logs"] as ReadonlyArray<Json>).map((log, index) => ({
      log_index: `${index}`,
      transaction_hash: hash,
      transaction_index: `${at % 90}`,
      address: log["address"],
      data: log["data"],
      ...Object.fromEntries([0, 1, 2, 3].map((slot) => [`topic${slot}`, log["topics"][slot] ?? ""])),
      ...placed,
      decoded_event: {
        signature: "Transfer(address,address,uint256)",
        label: "Transfer",
        type: "event",
        params: [
          { name: "from", value: anyone(), type: "address" },
          { name: "to", value: anyone(), type: "address" },
          { name: "value", value: "777062616730", type: "uint256" },
        ],
      },
    })),
    decoded_call: null,
  }
}

/** The texts by name. */
export const inputs: Readonly<Record<string, string>> = {
  page: JSON.stringify({
    cursor: hex(200),
    page: "0",
    page_size: "100",
    result: Array.from({ length: 100 }, (_, at) => recordAt(at)),
  }),
  block: JSON.stringify({ ...block, transactions: list }),
  hashes: JSON.stringify({ ...block, transactions: list.map((transaction) => transaction["hash"]) }),
}
