/** Small chains of rows in the form that the indexer writes. */
import { createHash } from "node:crypto"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import type { BlockRows, TransactionRow } from "../../src/block/BlockRows.ts"

const decoder = KnownSignatures.decoder()

export const hashOf = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`

/** An address of one repeated hex digit. */
export const address = (digit: string): string => `0x${digit.repeat(40)}`

export const alice = address("a")
export const bob = address("b")
export const contract = address("c")
export const stranger = address("9")

/** Timestamp of block 0: 2021-05-07T11:08:35Z. Blocks follow at intervals of ten seconds. */
export const genesisSeconds = 1_620_385_715
export const blockSeconds = 10

/** A log of a transaction. */
export interface LogPlan {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** A transaction of a block: sender, recipient, and created contract. */
export interface TransactionPlan {
  readonly from: string
  /** `null` creates `contract`. */
  readonly to: string | null
  readonly input?: string
  readonly topics?: ReadonlyArray<string>
  /** Logs that replace the one with these topics. */
  readonly logs?: ReadonlyArray<LogPlan>
}

const word = (digits: string): string => `0x${digits.replace(/^0x/, "").padStart(64, "0")}`

/** Topics of a token transfer from alice to bob. */
export const transferTopics = [
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  word(alice),
  word(bob),
]

/** A call of `transfer(bob, 5)`. */
export const transferInput = `0xa9059cbb${word(bob).slice(2)}${word("5").slice(2)}`

export const timeOf = (number: number): string =>
  new Date((genesisSeconds + number * blockSeconds) * 1000).toISOString()

const bodyOf = (number: number, hash: string, index: number, plan: TransactionPlan, isDecoded: boolean): string => {
  const { from, input = "0x", to, topics = [] } = plan
  const { logs = topics.length === 0 ? [] : [{ address: contract, topics, data: word("5") }] } = plan
  const transactionHash = hashOf(`${hash} ${index}`)
  const block = { block_timestamp: timeOf(number), block_number: String(number), block_hash: hash }
  const written = logs.map(({ address: emitter, data, topics: own }, at) => ({
    log_index: String(at),
    transaction_hash: transactionHash,
    transaction_index: String(index),
    address: emitter,
    data,
    topic0: own[0] ?? "",
    topic1: own[1] ?? "",
    topic2: own[2] ?? "",
    topic3: own[3] ?? "",
    ...block,
    decoded_event: isDecoded ? decoder.event({ topics: own, data }) : null,
  }))
  return JSON.stringify({
    hash: transactionHash,
    nonce: "7",
    transaction_index: String(index),
    from_address: from,
    to_address: to,
    value: "1000000000000000000",
    gas: "21000",
    gas_price: "1000000007",
    input,
    receipt_cumulative_gas_used: "21000",
    receipt_gas_used: "21000",
    receipt_contract_address: to === null ? contract : "",
    receipt_root: "",
    receipt_status: "1",
    ...block,
    logs: written,
    decoded_call: isDecoded && to !== null ? decoder.call(input) : null,
  })
}

const internalOf = (number: number, hash: string, index: number): string =>
  JSON.stringify([
    {
      transaction_hash: hashOf(`${hash} ${index}`),
      block_number: number,
      block_hash: hash,
      type: "CALL",
      from: contract,
      to: bob,
      value: "1",
      gas: "100",
      gas_used: "50",
      input: "0x",
      output: "0x",
    },
  ])

export interface Options {
  /** Distinguishes blocks of the same number. Default `a`. */
  readonly fork?: string
  /** Hash of the block. Default: derived from its number and fork. */
  readonly hash?: string
  /** Whether traces are stored. Default true. */
  readonly traces?: boolean
  /** True if the rows were written by a decoder without signatures. Default false. */
  readonly staleRows?: boolean
}

export const blockHash = (number: number, fork = "a"): string => hashOf(`block ${number} ${fork}`)

/** Rows of a block whose parent belongs to the same fork unless `parent` is given. */
export const block = (
  number: number,
  plans: ReadonlyArray<TransactionPlan>,
  options: Options = {},
  parent = blockHash(number - 1, options.fork),
): BlockRows => {
  const { fork, hash = blockHash(number, fork), staleRows = false, traces = true } = options
  return {
    number,
    hash,
    parentHash: parent,
    timestamp: genesisSeconds + number * blockSeconds,
    decoderRevision: staleRows ? 1 : decoder.revision,
    transactions: plans.map((plan, index): TransactionRow => ({
      index,
      hash: hashOf(`${hash} ${index}`),
      body: bodyOf(number, hash, index, plan, !staleRows),
      internal: traces ? internalOf(number, hash, index) : null,
      addresses: [...new Set([plan.from, plan.to ?? contract])],
    })),
  }
}

/** Contents of a block of the default chain: up to three transactions of alice and bob; some blocks have none of alice. */
export const plansOf = (number: number): ReadonlyArray<TransactionPlan> => {
  const plans: Array<TransactionPlan> = []
  for (let index = 0; index < number % 4; index++) {
    const isAlice = (number + index) % 3 !== 0
    plans.push({ from: isAlice ? alice : stranger, to: bob })
  }
  return plans
}

/** The default chain from block `from` to block `to`. */
export const chain = (from: number, to: number, options: Options = {}): ReadonlyArray<BlockRows> =>
  Array.from({ length: to - from + 1 }, (_, at) => block(from + at, plansOf(from + at), options))

/** Hashes of a wallet's transactions, oldest first. */
export const hashesOf = (blocks: ReadonlyArray<BlockRows>, wallet: string): ReadonlyArray<string> =>
  blocks.flatMap(({ transactions }) =>
    transactions.filter(({ addresses }) => addresses.includes(wallet)).map(({ hash }) => hash),
  )
