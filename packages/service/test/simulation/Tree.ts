/**
 * All blocks ever created in a simulated world: a tree whose branches are chains that were or will be reorged. It contains the true
 * contents of each block. Header hashes and blooms follow Ethereum's rules, as those of a real node do.
 */
import { createHash } from "node:crypto"
import * as Hash from "ox/Hash"
import * as Rlp from "ox/Rlp"
import type * as Hex from "ox/Hex"
import type { SeededRandom } from "../store/SeededRandom.ts"

/** A call below a transaction. */
export interface Call {
  readonly kind: "CALL" | "STATICCALL" | "DELEGATECALL" | "CREATE" | "SELFDESTRUCT"
  readonly from: string
  readonly to: string
  readonly value: number
  readonly isFailed: boolean
  readonly calls: ReadonlyArray<Call>
}

/** A log without its position. */
export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** The fields of a transaction that do not depend on its block. */
export interface Transaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly created: string | null
  readonly value: number
  readonly nonce: number
  readonly input: string
  readonly status: 0 | 1
  readonly gasUsed: number
  readonly logs: ReadonlyArray<Log>
  readonly calls: ReadonlyArray<Call>
}

/** A block with its contents. */
export interface Block {
  readonly number: number
  readonly hash: string
  readonly parent: Block | null
  /** Unix seconds. */
  readonly timestamp: number
  readonly header: Readonly<Record<string, unknown>>
  readonly transactions: ReadonlyArray<Transaction>
  /** Added to the value of every call, so that a transaction has different effects in different blocks. */
  readonly callValueOffset: number
}

export interface Tree {
  readonly genesis: Block
  readonly byHash: ReadonlyMap<string, Block>
  /** Adds a child of a block. `again` are transactions of an abandoned branch, some of which are included again. */
  readonly grow: (parent: Block, again?: Array<Transaction>) => Block
}

const hex = (value: number): Hex.Hex => `0x${value.toString(16)}`
const digest = (text: string, bytes: number): string =>
  createHash("sha512")
    .update(text)
    .digest("hex")
    .slice(0, bytes * 2)
const word = (text: string): string => digest(text, 32).padStart(64, "0")
const zeros = (bytes: number): Hex.Hex => `0x${"00".repeat(bytes)}`

/** Addresses that occur repeatedly. */
export const wallets: ReadonlyArray<string> = [1, 2, 3, 4, 5].map((n) => `0x${digest(`wallet ${n}`, 20)}`)
const contracts = [1, 2, 3].map((n) => `0x${digest(`contract ${n}`, 20)}`)

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const emptyUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"

const bitsByText = new Map<string, ReadonlyArray<number>>()

const bitsOf = (text: string): ReadonlyArray<number> => {
  const known = bitsByText.get(text)
  if (known !== undefined) return known
  const hash = Buffer.from(Hash.keccak256(text as Hex.Hex).slice(2), "hex")
  const bits = [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047)
  bitsByText.set(text, bits)
  return bits
}

/** Bloom filter of logs. Source: Ethereum yellow paper 4.4.1. */
export const bloomOf = (logs: ReadonlyArray<Log>): string => {
  if (logs.length === 0) return zeros(256)
  const bloom = Buffer.alloc(256)
  for (const text of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    for (const bit of bitsOf(text)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
  return `0x${bloom.toString("hex")}`
}

const quantity = (value: number): Hex.Hex => {
  const digits = value === 0 ? "" : value.toString(16)
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}

const headerOf = (
  parentHash: string,
  number: number,
  timestamp: number,
  salt: string,
  transactions: ReadonlyArray<Transaction>,
) => {
  const gasUsed = transactions.reduce((sum, transaction) => sum + transaction.gasUsed, 0)
  const fields = {
    parentHash,
    sha3Uncles: emptyUncles,
    miner: zeros(20),
    stateRoot: `0x${word(`state ${salt}`)}`,
    transactionsRoot: transactions.length === 0 ? emptyRoot : `0x${word(`transactions ${salt}`)}`,
    receiptsRoot: transactions.length === 0 ? emptyRoot : `0x${word(`receipts ${salt}`)}`,
    logsBloom: bloomOf(transactions.flatMap(({ logs }) => logs)),
    extraData: `0x${digest(`extra ${salt}`, 8)}`,
    mixHash: zeros(32),
    nonce: zeros(8),
  }
  const bytes = (key: keyof typeof fields) => fields[key] as Hex.Hex
  const hash = Hash.keccak256(
    Rlp.fromHex([
      bytes("parentHash"),
      bytes("sha3Uncles"),
      bytes("miner"),
      bytes("stateRoot"),
      bytes("transactionsRoot"),
      bytes("receiptsRoot"),
      bytes("logsBloom"),
      quantity(0),
      quantity(number),
      quantity(30_000_000),
      quantity(gasUsed),
      quantity(timestamp),
      bytes("extraData"),
      bytes("mixHash"),
      bytes("nonce"),
      quantity(7),
    ]),
  )
  const numbers = {
    number: hex(number),
    timestamp: hex(timestamp),
    gasLimit: hex(30_000_000),
    gasUsed: hex(gasUsed),
    baseFeePerGas: hex(7),
    difficulty: "0x0",
    size: "0x400",
  }
  return { hash, header: { ...fields, ...numbers, hash, uncles: [] } }
}

const callsOf = (random: SeededRandom, from: string, depth: number): ReadonlyArray<Call> =>
  Array.from({ length: random.below(3) }, () => {
    const kind = random.pick(["CALL", "CALL", "CALL", "STATICCALL", "DELEGATECALL", "CREATE", "SELFDESTRUCT"] as const)
    const isFailed = kind === "CALL" && random.is(0.2)
    const to = random.pick([...wallets, ...contracts])
    const isLeaf = depth >= 3 || kind === "SELFDESTRUCT"
    return { kind, from, to, value: random.below(1000), isFailed, calls: isLeaf ? [] : callsOf(random, to, depth + 1) }
  })

const transactionOf = (random: SeededRandom, serial: number): Transaction => {
  const from = random.pick(wallets)
  const kind = random.pick(["transfer", "transfer", "call", "call", "creation"] as const)
  const created = kind === "creation" ? `0x${digest(`created ${serial}`, 20)}` : null
  const to = created === null ? random.pick(kind === "call" ? contracts : wallets) : null
  const isFailed = kind === "call" && random.is(0.15)
  const other = random.pick(wallets)
  const log = (): Log => ({
    address: random.pick(contracts),
    topics: [transferTopic, `0x${from.slice(2).padStart(64, "0")}`, `0x${other.slice(2).padStart(64, "0")}`],
    data: `0x${serial.toString(16).padStart(64, "0")}`,
  })
  const target = to ?? created!
  return {
    hash: `0x${word(`transaction ${serial}`)}`,
    from,
    to,
    created,
    value: random.below(1_000_000),
    nonce: serial,
    input:
      kind === "call" ? `0xa9059cbb${other.slice(2).padStart(64, "0")}${serial.toString(16).padStart(64, "0")}` : "0x",
    status: isFailed ? 0 : 1,
    gasUsed: 21_000 + random.below(1000),
    logs: kind === "call" && !isFailed ? Array.from({ length: random.below(4) }, log) : [],
    calls: kind === "transfer" ? [] : callsOf(random, target, 1),
  }
}

/**
 * Creates a tree of one block. With `hasVaryingCalls`, the calls of a transaction transfer different amounts in each block that includes
 * it.
 */
export const make = (random: SeededRandom, hasVaryingCalls: boolean): Tree => {
  const byHash = new Map<string, Block>()
  let serial = 0
  const add = (parent: Block | null, transactions: ReadonlyArray<Transaction>): Block => {
    const number = parent === null ? 0 : parent.number + 1
    // Blocks in the same second occur on several chains.
    const timestamp = parent === null ? 1_767_000_000 : parent.timestamp + random.below(4)
    const parentHash = parent?.hash ?? zeros(32)
    const { hash, header } = headerOf(parentHash, number, timestamp, `${number} ${++serial}`, transactions)
    const block: Block = {
      number,
      hash,
      parent,
      timestamp,
      header,
      transactions,
      callValueOffset: hasVaryingCalls ? serial : 0,
    }
    byHash.set(hash, block)
    return block
  }
  const genesis = add(null, [])
  return {
    genesis,
    byHash,
    grow: (parent, again = []) => {
      const count = random.is(0.25) ? 0 : random.between(1, 3)
      const transactions = Array.from({ length: count }, () =>
        again.length > 0 && random.is(0.6)
          ? again.splice(random.below(again.length), 1)[0]!
          : transactionOf(random, ++serial),
      )
      return add(parent, transactions)
    },
  }
}

/** Block of a number on the chain that ends with `head`; undefined above it. */
export const at = (head: Block, number: number): Block | undefined => {
  let block: Block | null = head
  while (block !== null && block.number > number) block = block.parent
  return block?.number === number ? block : undefined
}

/** The chain that ends with a block, lowest first, starting at a number. */
export const chainOf = (head: Block | null, from: number): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  for (let block = head; block !== null && block.number >= from; block = block.parent) blocks.push(block)
  return blocks.toReversed()
}

/** Highest common block of two chains. */
export const ancestorOf = (one: Block, other: Block): Block => {
  let a = one
  let b = other
  while (a !== b) {
    if (a.number >= b.number) a = a.parent!
    else b = b.parent!
  }
  return a
}

/** Wallets that a transaction belongs to. */
export const addressesOf = (transaction: Transaction): ReadonlyArray<string> => [
  ...new Set([
    transaction.from,
    ...(transaction.to === null ? [] : [transaction.to]),
    ...(transaction.created === null ? [] : [transaction.created]),
  ]),
]
