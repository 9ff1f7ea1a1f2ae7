/**
 * A long chain with wallets whose transactions are far apart: the plan of each block, and an anvil that mines it. The empty blocks in
 * between are either mined or supplied by an archive.
 */
import { Effect } from "effect"
import { type Anvil, Contracts } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"
import { batch } from "@daybook/harness/Rpc"
import * as BaseFee from "./BaseFee.ts"
import type { WireBlock } from "./Recording.ts"

type Address = `0x${string}`

/** A wallet and the blocks that it takes part in. */
export interface PlannedWallet {
  readonly address: Address
  /** Ascending. */
  readonly blocks: ReadonlyArray<number>
}

interface Transaction {
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly data?: string
}

export interface PlannedChain {
  /** Number of the last block. */
  readonly last: number
  readonly wallets: ReadonlyArray<PlannedWallet>
  readonly tokens: ReadonlyArray<Address>
  readonly contracts: ReadonlyArray<Address>
  readonly transactions: ReadonlyMap<number, ReadonlyArray<Transaction>>
}

/** The block after the deployment of the contracts, without transactions. */
export const emptyBlock = 2

const hex = (number: number | bigint): Address => `0x${number.toString(16)}`
const ether = 10n ** 18n
/** A constant price, so that fees do not depend on the base fee. */
const gasPrice = hex(2_000_000_000)
const gas = hex(1_500_000)
const secondsPerBlock = 12

/** Of ten transactions of a wallet, five have a different kind each; the others send ether. */
const transactionOf = (
  kind: number,
  wallet: Address,
  other: Address,
  contracts: ReadonlyArray<Address>,
): Transaction => {
  const [token, wrapped, multisend] = contracts as readonly [Address, Address, Address]
  const call = (from: Address, to: Address, data: string, value = 0n) => ({ from, to, data, value: hex(value) })
  if (kind === 0) return { from: other, to: wallet, value: hex(ether) }
  if (kind === 1) {
    return call(other, multisend, Contracts.encodeCall("Multisend", "multisend", [[wallet], [ether]]), ether)
  }
  if (kind === 2) return call(other, token, Contracts.encodeCall("Token", "transfer", [wallet, 100n]))
  if (kind === 3) return call(wallet, token, Contracts.encodeCall("Token", "transfer", [other, 40n]))
  if (kind === 4) return call(wallet, wrapped, Contracts.encodeCall("WrappedEther", "deposit"), 7n)
  return { from: wallet, to: other, value: hex(1n) }
}

/** Plans a chain on which each wallet has the given number of transactions, each in a separate block. */
export const plan = (
  accounts: ReadonlyArray<string>,
  last: number,
  sizes: ReadonlyArray<number>,
  seed = 1,
): PlannedChain => {
  const random = Random.make(seed)
  // Sound: addresses of the node are in hex.
  const [other, ...candidates] = accounts as ReadonlyArray<Address> as [Address, ...Array<Address>]
  const contracts = [0, 1, 2].map((nonce) => Contracts.createdAddress(other, nonce))
  const create = (data: string): Transaction => ({ from: other, data })
  const transactions = new Map<number, ReadonlyArray<Transaction>>([
    [
      1,
      [
        create(Contracts.encodeCreation("Token", ["Gold", "GLD"])),
        create(Contracts.encodeCreation("WrappedEther")),
        create(Contracts.encodeCreation("Multisend")),
        { from: other, to: contracts[0]!, data: Contracts.encodeCall("Token", "mint", [other, ether]) },
      ],
    ],
  ])
  const wallets = sizes.map((size, at): PlannedWallet => {
    const blocks = new Set<number>()
    while (blocks.size < size) {
      const block = emptyBlock + 1 + random.integer(last - emptyBlock)
      if (!transactions.has(block)) blocks.add(block)
    }
    const ascending = [...blocks].toSorted((one, another) => one - another)
    for (const [index, block] of ascending.entries()) {
      transactions.set(block, [transactionOf(index % 10, candidates[at]!, other, contracts)])
    }
    return { address: candidates[at]!, blocks: ascending }
  })
  return { last, wallets, contracts, tokens: contracts.slice(0, 2), transactions }
}

const send = (node: Anvil.Node, transaction: Transaction) =>
  node.call("eth_sendTransaction", [{ ...transaction, gas, gasPrice }])

/** Mines a plan, including every empty block. */
export const mineAll = Effect.fnUntraced(function* (node: Anvil.Node, { last, transactions }: PlannedChain) {
  let head = 0
  for (const [block, blockTransactions] of [...transactions].toSorted(([one], [another]) => one - another)) {
    if (block - head > 1) yield* node.call("anvil_mine", [hex(block - head - 1)])
    for (const one of blockTransactions) yield* send(node, one)
    yield* node.call("anvil_mine", ["0x1"])
    head = block
  }
  if (head < last) yield* node.call("anvil_mine", [hex(last - head)])
})

/**
 * Mines a plan without the empty blocks except the first one. The time and base fee of each block follow from the previous blocks of the
 * plan. Calls `mined` after each block with its number in the plan; returns the block.
 */
export const mineBusy = Effect.fnUntraced(function* <E>(
  node: Anvil.Node,
  { transactions }: PlannedChain,
  mined: (number: number) => Effect.Effect<WireBlock, E>,
) {
  let head = yield* mined(0)
  const genesis = Number(head.timestamp)
  let number = 0
  for (const block of [emptyBlock, ...transactions.keys()].toSorted((one, another) => one - another)) {
    // The node sets the base fee of block 0 for its first block.
    let baseFee = number === 0 ? BigInt(head.baseFeePerGas) : BaseFee.next(head)
    for (let empty = number + 1; empty < block; empty++) {
      baseFee = BaseFee.next({ ...head, gasUsed: "0x0", baseFeePerGas: hex(baseFee) })
    }
    yield* batch(node.url, [
      { method: "anvil_setNextBlockBaseFeePerGas", params: [hex(baseFee)] },
      { method: "evm_setNextBlockTimestamp", params: [genesis + secondsPerBlock * block] },
    ])
    for (const one of transactions.get(block) ?? []) yield* send(node, one)
    yield* node.call("anvil_mine", ["0x1"])
    head = yield* mined(block)
    number = block
  }
})
