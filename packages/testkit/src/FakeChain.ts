/**
 * A chain with a wallet's history, generated from a seed: linked blocks with base fees by EIP-1559, transfers of ether, tokens and
 * collectibles with gas as real ones take, failed and foreign transactions, and reorgs. Hashes are random, not computed.
 */
import * as Random from "./internal/Random.ts"

/** A log, without its place. */
export interface FakeLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** A transaction with its receipt. */
export interface FakeTransaction {
  readonly hash: string
  readonly index: number
  readonly nonce: number
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly gasPrice: bigint
  readonly input: string
  readonly succeeded: boolean
  readonly logs: ReadonlyArray<FakeLog>
  /** Index in the block of its first log. */
  readonly firstLogIndex: number
}

/** A block. */
export interface FakeBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly baseFeePerGas: bigint
  readonly gasUsed: bigint
  readonly transactions: ReadonlyArray<FakeTransaction>
}

/** What to generate. */
export interface Options {
  /** Default 1. The same seed gives the same chain. */
  readonly seed?: number
  /** Address of the wallet whose history it is, in lower case. */
  readonly wallet?: string
  /** Blocks at the start. Default 200. */
  readonly blocks?: number
  /** Number of the first block. Default 20,000,000. */
  readonly firstBlock?: number
}

/** A chain that grows and reorganises on request. */
export interface FakeChain {
  readonly wallet: string
  /** Oldest first. */
  readonly blocks: () => ReadonlyArray<FakeBlock>
  /** Adds blocks at the head. */
  readonly mine: (blocks?: number) => void
  /** Replaces the newest blocks by as many others and one more; the first block stays. */
  readonly reorg: (depth: number) => void
  /** The number of the first block that was replaced since a block with this hash was on the chain; undefined when it still is. */
  readonly replacedFrom: (hash: string) => number | undefined
}

/**
 * The default wallet.
 *
 * **Example** (Reading the wallet of a fake)
 *
 * ```ts
 * import { FakeChain, FakeService } from "@daybook/testkit"
 *
 * console.log(FakeService.make({ blocks: 1 }).wallet === FakeChain.defaultWallet) // true
 * ```
 */
export const defaultWallet = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

const gwei = 10n ** 9n
const ether = 10n ** 18n
const gasLimit = 36_000_000n
const zeroAddress = `0x${"0".repeat(40)}`

const topics = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
} as const

const tokens = [
  { address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", unit: 10n ** 6n },
  { address: "0x6b175474e89094c44da98b954eedeac495271d0f", unit: ether },
  { address: "0xdac17f958d2ee523a2206206994597c13d831ec7", unit: 10n ** 6n },
] as const
const collectibles = "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d"
const multiTokens = "0x495f947276749ce646f68ac8c248420045cb7b5e"
const router = "0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad"

const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const indexed = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

const transferLog = (token: string, from: string, to: string, amount: bigint): FakeLog => ({
  address: token,
  topics: [topics.transfer, indexed(from), indexed(to)],
  data: `0x${word(amount)}`,
})

/** A transaction before it has a place and a price. */
type Draft = Pick<FakeTransaction, "from" | "to" | "value" | "gasUsed" | "input" | "logs">

const callOf = (selector: string, ...words: ReadonlyArray<bigint | string>): string =>
  `${selector}${words.map((one) => (typeof one === "string" ? indexed(one).slice(2) : word(one))).join("")}`

type Kind = (wallet: string, other: string, random: Random.Random) => Draft

const gasBetween = (random: Random.Random, least: number, most: number): bigint =>
  BigInt(least + random.integer(most - least))

const sendToken: Kind = (from, to, random) => {
  const { address, unit } = random.pick(tokens)
  const amount = random.amount(unit, 5_000n * unit)
  const logs = [transferLog(address, from, to, amount)]
  const gasUsed = gasBetween(random, 46_000, 65_000)
  return { from, to: address, value: 0n, gasUsed, input: callOf("0xa9059cbb", to, amount), logs }
}

/** Kinds of transactions; the first ones are frequent. */
const kinds: ReadonlyArray<Kind> = [
  (from, to, random) => ({
    from,
    to,
    value: random.amount(ether / 1000n, 2n * ether),
    gasUsed: 21000n,
    input: "0x",
    logs: [],
  }),
  (to, from, random) => ({
    from,
    to,
    value: random.amount(ether / 1000n, 5n * ether),
    gasUsed: 21000n,
    input: "0x",
    logs: [],
  }),
  sendToken,
  (to, from, random) => sendToken(from, to, random),
  (from, pool, random) => {
    const [sold, bought] = [random.pick(tokens), random.pick(tokens)]
    const logs = [
      transferLog(sold.address, from, pool, random.amount(sold.unit, 900n * sold.unit)),
      transferLog(bought.address, pool, from, random.amount(bought.unit, 900n * bought.unit)),
    ]
    const gasUsed = gasBetween(random, 120_000, 230_000)
    return { from, to: router, value: 0n, gasUsed, input: callOf("0x3593564c", 0x60n, 0xa0n), logs }
  },
  (from, _other, random) => {
    const id = BigInt(random.integer(10_000))
    const logs = [{ ...transferLog(collectibles, zeroAddress, from, 0n), data: "0x" }].map((log) => ({
      ...log,
      topics: [...log.topics, `0x${word(id)}`],
    }))
    const value = ether / 20n
    return { from, to: collectibles, value, gasUsed: gasBetween(random, 90_000, 130_000), input: "0x1249c58b", logs }
  },
  (to, from, random) => {
    const [id, amount] = [random.amount(0n, 2n ** 64n), BigInt(1 + random.integer(9))]
    const log = {
      address: multiTokens,
      topics: [topics.transferSingle, indexed(from), indexed(from), indexed(to)],
      data: `0x${word(id)}${word(amount)}`,
    }
    const input = callOf("0xf242432a", from, to, id, amount, 0xa0n, 0n)
    return { from, to: multiTokens, value: 0n, gasUsed: gasBetween(random, 50_000, 70_000), input, logs: [log] }
  },
]

/** Base fee of the block after another, by how full that one is. Source: EIP-1559. */
const nextBaseFee = ({ baseFeePerGas, gasUsed }: FakeBlock): bigint => {
  const target = gasLimit / 2n
  return baseFeePerGas + (baseFeePerGas * (gasUsed - target)) / target / 8n
}

/** Nonces of the senders so far. */
type Nonces = Map<string, number>

const transactionOf = (
  draft: Draft,
  block: Pick<FakeBlock, "baseFeePerGas">,
  before: FakeTransaction | undefined,
  nonce: number,
  random: Random.Random,
): FakeTransaction => {
  const succeeded = draft.gasUsed === 21_000n || random.integer(25) !== 0
  const maxPriorityFeePerGas = random.amount(gwei / 20n, 2n * gwei)
  const logs = succeeded ? draft.logs : []
  return {
    ...draft,
    logs,
    succeeded,
    nonce,
    maxPriorityFeePerGas,
    hash: random.hex(32),
    index: (before?.index ?? -1) + 1,
    gas: draft.gasUsed === 21000n ? 21000n : (draft.gasUsed * 13n) / 10n,
    cumulativeGasUsed: (before?.cumulativeGasUsed ?? 0n) + draft.gasUsed,
    maxFeePerGas: block.baseFeePerGas * 2n + maxPriorityFeePerGas,
    gasPrice: block.baseFeePerGas + maxPriorityFeePerGas,
    firstLogIndex: (before?.firstLogIndex ?? 0) + (before?.logs.length ?? 0),
  }
}

const blockAfter = (
  parent: FakeBlock | undefined,
  options: { readonly wallet: string; readonly firstBlock: number },
  nonces: Nonces,
  random: Random.Random,
): FakeBlock => {
  const others = Array.from({ length: 3 }, () => random.hex(20))
  const baseFeePerGas = parent === undefined ? 12n * gwei : nextBaseFee(parent)
  const transactions: Array<FakeTransaction> = []
  for (let left = random.integer(4); left > 0; left--) {
    const draft = random.pick(kinds)(options.wallet, random.pick(others), random)
    const nonce = nonces.get(draft.from) ?? 0
    nonces.set(draft.from, nonce + 1)
    transactions.push(transactionOf(draft, { baseFeePerGas }, transactions.at(-1), nonce, random))
  }
  return {
    number: parent === undefined ? options.firstBlock : parent.number + 1,
    hash: random.hex(32),
    parentHash: parent?.hash ?? random.hex(32),
    timestamp: parent === undefined ? 1_718_000_003 : parent.timestamp + 12,
    baseFeePerGas,
    // The transactions of others, which are left out, fill the block beside these.
    gasUsed: (transactions.at(-1)?.cumulativeGasUsed ?? 0n) + random.amount(8_000_000n, 27_000_000n),
    transactions,
  }
}

const noncesOf = (blocks: ReadonlyArray<FakeBlock>): Nonces => {
  const nonces: Nonces = new Map()
  for (const { transactions } of blocks) for (const { from, nonce } of transactions) nonces.set(from, nonce + 1)
  return nonces
}

/**
 * Makes a chain.
 *
 * **Example** (Looking at the blocks alone)
 *
 * ```ts
 * import { FakeChain } from "@daybook/testkit"
 *
 * const chain = FakeChain.make({ seed: 7, firstBlock: 100, blocks: 3 })
 * chain.mine()
 * console.log(chain.blocks().map(({ number }) => number)) // [ 100, 101, 102, 103 ]
 * ```
 */
export const make = (options: Options = {}): FakeChain => {
  const { blocks: count = 200, firstBlock = 20_000_000, seed = 1, wallet = defaultWallet } = options
  const random = Random.make(seed)
  const replaced = new Map<string, number>()
  let blocks: ReadonlyArray<FakeBlock> = []

  const mine = (more = 1): void => {
    const nonces = noncesOf(blocks)
    const grown = [...blocks]
    for (let left = more; left > 0; left--) {
      grown.push(blockAfter(grown.at(-1), { wallet: wallet.toLowerCase(), firstBlock }, nonces, random))
    }
    blocks = grown
  }

  mine(Math.max(1, count))
  return {
    wallet: wallet.toLowerCase(),
    blocks: () => blocks,
    mine,
    reorg: (depth) => {
      const kept = Math.max(1, blocks.length - depth)
      const gone = blocks.slice(kept)
      const from = gone[0]?.number
      if (from === undefined) return
      for (const [hash, earlier] of replaced) replaced.set(hash, Math.min(earlier, from))
      for (const { hash } of gone) replaced.set(hash, from)
      blocks = blocks.slice(0, kept)
      mine(gone.length + 1)
    },
    replacedFrom: (hash) => replaced.get(hash),
  }
}
