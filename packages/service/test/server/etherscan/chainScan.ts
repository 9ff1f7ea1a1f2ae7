/** Lists of Etherscan's API for a chain, read from its node block by block. It shares no code with the service. */
import { Effect } from "effect"
import { batch } from "../../books/balanceOracle.ts"
import { below, type InnerFrame, type RawFrame } from "../../node/callFrames.ts"

/** A row with the fields that the node supplies. */
type Row = Readonly<Record<string, string>>

export const actions = [
  "txlist",
  "txlistinternal",
  "tokentx",
  "tokennfttx",
  "token1155tx",
  "txsBeaconWithdrawal",
  "getminedblocks",
] as const

export const zeroAddress = `0x${"0".repeat(40)}`

export type Action = (typeof actions)[number]

interface RawTransaction {
  readonly hash: string
  readonly nonce: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly gas: string
  readonly input: string
  readonly blockHash: string
}

interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly logIndex: string
}

interface RawReceipt {
  readonly contractAddress: string | null
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly cumulativeGasUsed: string
  readonly logs: ReadonlyArray<RawLog>
}

interface RawBlock {
  readonly number: string
  readonly timestamp: string
  readonly miner: string
  readonly baseFeePerGas: string
  readonly transactions: ReadonlyArray<RawTransaction>
  readonly withdrawals?: ReadonlyArray<Readonly<Record<"index" | "validatorIndex" | "address" | "amount", string>>>
}

const decimal = (hex: string): string => BigInt(hex).toString()
const hex = (number: number) => `0x${number.toString(16)}`
const addressIn = (topic: string): string => `0x${topic.slice(26)}`
const wordsOf = (data: string): ReadonlyArray<bigint> =>
  (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const single = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"
const many = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"

/** Transfers of a log: list, parties and transferred fields. */
const transfersOf = ({ data, topics }: RawLog): ReadonlyArray<readonly [Action, string, string, Row]> => {
  const [event, one = "", two = "", three = ""] = topics
  const words = wordsOf(data)
  if (event === transfer && topics.length === 3) {
    return [["tokentx", addressIn(one), addressIn(two), { value: String(words[0]) }]]
  }
  if (event === transfer && topics.length === 4) {
    return [["tokennfttx", addressIn(one), addressIn(two), { tokenID: decimal(three) }]]
  }
  const item = (id: bigint, amount: bigint) =>
    ["token1155tx", addressIn(two), addressIn(three), { tokenID: String(id), tokenValue: String(amount) }] as const
  if (event === single) return [item(words[0]!, words[1]!)]
  if (event !== many) return []
  const count = Number(words[2]!)
  return words.slice(3, 3 + count).map((id, at) => item(id, words[4 + count + at]!))
}

const isListed = ({ type, value = "0x0" }: InnerFrame): boolean =>
  type === "SELFDESTRUCT" || type.startsWith("CREATE") || (type === "CALL" && BigInt(value) > 0n)

/** Collects rows by list and address. */
class Collected {
  readonly #rows = new Map<string, Array<Row>>()
  readonly #all: Array<readonly [Action, Row]> = []
  readonly addresses = new Set<string>()

  add(action: Action, parties: ReadonlyArray<string | null | undefined>, row: Row): void {
    this.#all.push([action, row])
    for (const address of new Set(parties)) {
      if (address == null) continue
      this.addresses.add(address)
      const key = `${action} ${address}`
      const keyRows = this.#rows.get(key)
      if (keyRows === undefined) this.#rows.set(key, [row])
      else keyRows.push(row)
    }
  }

  /** Number of distinct rows of a list in a block, over all addresses. */
  countIn = (action: Action, block: number): number =>
    new Set(
      [...this.#rows]
        .filter(([key]) => key.startsWith(`${action} `))
        .flatMap(([, rows]) => rows.filter(({ blockNumber }) => blockNumber === String(block))),
    ).size

  /** Rows of all addresses. */
  all = (action: Action): ReadonlyArray<Row> =>
    this.#all.flatMap(([rowAction, row]) => (rowAction === action ? [row] : []))

  rows = (action: Action, address: string): ReadonlyArray<Row> => this.#rows.get(`${action} ${address}`) ?? []
}

const addTransaction = (
  collected: Collected,
  block: RawBlock,
  index: number,
  receipt: RawReceipt,
  trace: RawFrame,
): void => {
  const transaction = block.transactions[index]!
  const at = { blockNumber: decimal(block.number), timeStamp: decimal(block.timestamp), hash: transaction.hash }
  const gas = {
    gas: decimal(transaction.gas),
    gasPrice: decimal(receipt.effectiveGasPrice),
    gasUsed: decimal(receipt.gasUsed),
    cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
  }
  collected.add("txlist", [transaction.from, transaction.to, receipt.contractAddress], {
    ...at,
    blockHash: transaction.blockHash,
    nonce: decimal(transaction.nonce),
    transactionIndex: String(index),
    from: transaction.from,
    to: transaction.to ?? "",
    value: decimal(transaction.value),
    ...gas,
    input: transaction.input,
    contractAddress: transaction.to === null ? (receipt.contractAddress ?? "") : "",
    txreceipt_status: decimal(receipt.status),
    isError: receipt.status === "0x1" ? "0" : "1",
  })
  for (const frame of below(trace)) {
    if (!isListed(frame)) continue
    const isCreation = frame.type.startsWith("CREATE")
    collected.add("txlistinternal", [frame.from, frame.to], {
      ...at,
      from: frame.from,
      to: isCreation ? "" : frame.to!,
      value: decimal(frame.value ?? "0x0"),
      contractAddress: isCreation ? (frame.to ?? "") : "",
      isError: frame.isFailed ? "1" : "0",
    })
  }
  for (const log of receipt.logs) {
    for (const [action, from, to, values] of transfersOf(log)) {
      const logIndex = decimal(log.logIndex)
      collected.add(action, [from, to], { ...at, from, to, contractAddress: log.address, ...values, ...gas, logIndex })
    }
  }
}

const addBlock = Effect.fnUntraced(function* (node: { readonly url: string }, collected: Collected, number: number) {
  const [block, receipts = [], traces = []] = (yield* batch(node, [
    ["eth_getBlockByNumber", [hex(number), true]],
    ["eth_getBlockReceipts", [hex(number)]],
    ["debug_traceBlockByNumber", [hex(number), { tracer: "callTracer" }]],
  ])) as [RawBlock, ReadonlyArray<RawReceipt> | undefined, ReadonlyArray<{ readonly result: RawFrame }> | undefined]
  for (const index of block.transactions.keys()) {
    addTransaction(collected, block, index, receipts[index]!, traces[index]!.result)
  }
  const at = { blockNumber: String(number), timestamp: decimal(block.timestamp) }
  for (const { address, amount, index, validatorIndex } of block.withdrawals ?? []) {
    collected.add("txsBeaconWithdrawal", [address], {
      withdrawalIndex: decimal(index),
      validatorIndex: decimal(validatorIndex),
      address,
      amount: decimal(amount),
      ...at,
    })
  }
  const tips = receipts.map(
    ({ effectiveGasPrice, gasUsed }) => (BigInt(effectiveGasPrice) - BigInt(block.baseFeePerGas)) * BigInt(gasUsed),
  )
  if (number === 0) return
  collected.add("getminedblocks", [block.miner], {
    blockNumber: String(number),
    timeStamp: at.timestamp,
    blockReward: String(tips.reduce((sum, tip) => sum + tip, 0n)),
  })
})

/** Rows of the blocks from 0 to `last`, oldest first. */
export const scan = Effect.fnUntraced(function* (node: { readonly url: string }, last: number) {
  const collected = new Collected()
  for (let number = 0; number <= last; number++) yield* addBlock(node, collected, number)
  return { addresses: [...collected.addresses], rows: collected.rows, all: collected.all, countIn: collected.countIn }
})
