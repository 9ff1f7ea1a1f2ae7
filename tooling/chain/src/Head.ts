/**
 * Moves the head of a running node: mines blocks, sends transfers, and causes reorgs. For tests of programs that follow a
 * chain.
 */
import { Effect } from "effect"
import { numberToHex } from "viem"
import type { Hex } from "viem"
import type * as Anvil from "./Anvil.ts"
import type { RpcFailure } from "@daybook/harness/Rpc"
import * as Rpc from "@daybook/harness/Rpc"

/** A block by number and hash. */
export interface Block {
  readonly number: number
  readonly hash: Hex
}

/** An ether transfer signed by one of the node's accounts. */
export interface Transfer {
  readonly from: string
  readonly to: string
  readonly valueWei: bigint
}

/** Result of a reorg. */
export interface Reorg {
  /** Newest block that both chains share. */
  readonly ancestor: Block
  /** Removed blocks, oldest first. */
  readonly removed: ReadonlyArray<Block>
  /** Blocks that replaced them, oldest first. */
  readonly added: ReadonlyArray<Block>
}

export interface ReorgOptions {
  /** Number of blocks to replace; less than the number of the head. */
  readonly depth: number
  /**
   * Transfers in the new blocks; `blockIndex` 0 is the oldest. Default: one in each new block, with a value derived from the
   * hash of the replaced block, so that the new chain differs from the old one.
   */
  readonly transfers?: ReadonlyArray<Transfer & { readonly blockIndex: number }>
  /** Number of blocks mined on top of the new ones. Default 0. */
  readonly moreBlocks?: number
}

const transferGas = "0xea60"

const request = ({ from, to, valueWei }: Transfer) => ({
  from,
  to,
  value: numberToHex(valueWei),
  gas: transferGas,
  gasPrice: numberToHex(10_000_000_000n),
})

/** The newest block. */
export const current = (node: Anvil.Node): Effect.Effect<Block, RpcFailure> =>
  node
    .call<{ readonly number: Hex; readonly hash: Hex }>("eth_getBlockByNumber", ["latest", false])
    .pipe(Effect.map(({ number, hash }) => ({ number: Number(number), hash })))

/** Blocks from `first` to `last`, inclusive. */
export const range = (node: Anvil.Node, first: number, last: number): Effect.Effect<ReadonlyArray<Block>, RpcFailure> =>
  Rpc.batch<{ readonly hash: Hex }>(
    node.url,
    Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
      method: "eth_getBlockByNumber",
      params: [numberToHex(first + index), false],
    })),
  ).pipe(Effect.map((blocks) => blocks.map(({ hash }, index) => ({ number: first + index, hash }))))

/** Mines a number of blocks one by one, the first with the transactions of the node's pool; returns the new head. */
export const mine = (node: Anvil.Node, blocks = 1): Effect.Effect<Block, RpcFailure> =>
  Effect.forEach(Array.from({ length: blocks }), () => node.call("evm_mine"), { discard: true }).pipe(
    Effect.andThen(current(node)),
  )

/** Submits a transfer to the node's pool and returns its hash; the next block includes it. */
export const transfer = (node: Anvil.Node, options: Transfer): Effect.Effect<Hex, RpcFailure> =>
  node.call<Hex>("eth_sendTransaction", [request(options)])

/** One transfer per replaced block, with a value derived from its hash: never the transfer it held. */
const differingTransfers = (
  node: Anvil.Node,
  replaced: ReadonlyArray<Block>,
): NonNullable<ReorgOptions["transfers"]> => {
  const [from = "", to = ""] = node.accounts
  return replaced.map(({ hash }, blockIndex) => ({ from, to, blockIndex, valueWei: 1n + (BigInt(hash) % 10n ** 12n) }))
}

/**
 * Causes a reorg: replaces the newest blocks.
 *
 * **Gotchas**
 * - Transactions of the removed blocks do not return to the pool.
 * - The node discards the old chain: its blocks and transactions are no longer found.
 */
export const reorganise = Effect.fn("Head.reorganise")(function* (
  node: Anvil.Node,
  options: ReorgOptions,
): Effect.fn.Return<Reorg, RpcFailure> {
  const { depth, moreBlocks = 0 } = options
  const before = yield* current(node)
  const shared = before.number - depth
  const removed = yield* range(node, shared + 1, before.number)
  const transfers = options.transfers ?? differingTransfers(node, removed)
  yield* node.call("anvil_reorg", [depth, transfers.map((item) => [request(item), item.blockIndex])])
  const after = yield* mine(node, moreBlocks)
  const [ancestor, ...added] = yield* range(node, shared, after.number)
  return { ancestor: ancestor as Block, removed, added }
})
