/**
 * A chain with a wallet's history, generated from a seed: linked blocks with base fees by EIP-1559, transfers of ether, tokens and
 * collectibles with realistic gas, failed and unrelated transactions, and reorgs. Hashes are random, not computed.
 */
import type { FakeBlock, FakeTransaction } from "./internal/FakeBlock.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"
import * as Random from "./internal/Random.ts"
import * as Traffic from "./internal/Traffic.ts"

export type { FakeBlock, FakeCall, FakeLog, FakeTransaction, FakeWithdrawal } from "./internal/FakeBlock.ts"

/** What to generate. */
export interface Options {
  /** Default 1. The same seed gives the same chain. */
  readonly seed?: number
  /** Address of the wallet with the history, in lower case. */
  readonly wallet?: string
  /** Number of initial blocks. Default 200. */
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
  /** Replaces the newest blocks by the same number of others and one more; the first block stays. */
  readonly reorg: (depth: number) => void
  /** Number of the first block replaced since a block with this hash was on the chain; undefined if it still is. */
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
const gasLimit = 36_000_000n

/** Base fee of the block after another one, from how full that one is. Source: EIP-1559. */
const nextBaseFee = ({ baseFeePerGas, gasUsed }: FakeBlock): bigint => {
  const target = gasLimit / 2n
  return baseFeePerGas + (baseFeePerGas * (gasUsed - target)) / target / 8n
}

/** Next nonces of the senders. */
type Nonces = Map<string, number>

const transactionOf = (
  draft: Traffic.Draft,
  block: Pick<FakeBlock, "baseFeePerGas">,
  before: FakeTransaction | undefined,
  nonce: number,
  random: Random.Random,
): FakeTransaction => {
  const succeeded = draft.gasUsed === 21_000n || random.integer(25) !== 0
  const maxPriorityFeePerGas = random.amount(gwei / 20n, 2n * gwei)
  return {
    ...draft,
    logs: succeeded ? draft.logs : [],
    calls: succeeded ? (draft.calls ?? []) : [],
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
    const draft = random.pick(Traffic.kinds)(options.wallet, random.pick(others), random)
    const nonce = nonces.get(draft.from) ?? 0
    nonces.set(draft.from, nonce + 1)
    transactions.push(transactionOf(draft, { baseFeePerGas }, transactions.at(-1), nonce, random))
  }
  const number = parent === undefined ? options.firstBlock : parent.number + 1
  return {
    number,
    hash: random.hex(32),
    parentHash: parent?.hash ?? random.hex(32),
    timestamp: parent === undefined ? 1_718_000_003 : parent.timestamp + 12,
    baseFeePerGas,
    // Transactions of others, which are not generated, fill the rest of the block.
    gasUsed: (transactions.at(-1)?.cumulativeGasUsed ?? 0n) + random.amount(8_000_000n, 27_000_000n),
    transactions,
    withdrawals: Traffic.withdrawals(options.wallet, number, random),
  }
}

const noncesOf = (blocks: ReadonlyArray<FakeBlock>): Nonces => {
  const nonces: Nonces = new Map()
  for (const { transactions } of blocks) for (const { from, nonce } of transactions) nonces.set(from, nonce + 1)
  return nonces
}

/**
 * Makes a chain. Throws a `TypeError` for an invalid option, or for a number of blocks that is not an integer of at least 0.
 *
 * **Example** (Reading the blocks)
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
  OptionCheck.check(options)
  const { blocks: count = 200, firstBlock = 20_000_000, seed = 1, wallet = defaultWallet } = options
  const random = Random.make(seed)
  const replaced = new Map<string, number>()
  let blocks: ReadonlyArray<FakeBlock> = []

  const mine = (more = 1): void => {
    OptionCheck.checkCount("blocks", more)
    const nonces = noncesOf(blocks)
    const grown = [...blocks]
    for (let left = more; left > 0; left--) {
      grown.push(blockAfter(grown.at(-1), { wallet: wallet.toLowerCase(), firstBlock }, nonces, random))
    }
    blocks = grown
  }

  mine(count)
  return {
    wallet: wallet.toLowerCase(),
    blocks: () => blocks,
    mine,
    reorg: (depth) => {
      OptionCheck.checkCount("depth", depth)
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
