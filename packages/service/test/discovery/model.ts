/** A chain as a table of the effects of each block on each wallet, and a node that responds to the calls of a discovery from it. */
import * as Result from "effect/Result"
import type { DiscoveryState } from "../../src/discovery/DiscoveryState.ts"
import * as DiscoveryStep from "../../src/discovery/DiscoveryStep.ts"

/** Effects of a block on a wallet. */
export interface Activity {
  readonly sent: number
  readonly change: bigint
  readonly hasLog: boolean
  /** True if the wallet delegates to code (EIP-7702). */
  readonly isAuthority?: boolean
  /** Sum of the derived movements, if it differs from the balance change. */
  readonly derived?: bigint
}

export interface WalletModel {
  readonly address: string
  readonly code: "none" | "contract" | "delegation"
  /** True if the account has its code at a block. Default: at all blocks. */
  readonly hasCodeAt?: (block: number) => boolean
  readonly byBlock: ReadonlyMap<number, Activity>
}

export interface ChainModel {
  readonly head: number
  readonly wallets: ReadonlyArray<WalletModel>
  /** Maximum number of blocks per search for logs. */
  readonly logLimit: number
}

const sumUpTo = ({ byBlock }: WalletModel, block: number, valueOf: (activity: Activity) => bigint): bigint => {
  let sum = 0n
  for (const [number, activity] of byBlock) if (number <= block) sum += valueOf(activity)
  return sum
}

export const balanceAt = (wallet: WalletModel, block: number): bigint => sumUpTo(wallet, block, ({ change }) => change)

const nonceAt = (wallet: WalletModel, block: number): bigint => sumUpTo(wallet, block, ({ sent }) => BigInt(sent))

/** Responds to calls; `fetched` receives the requested blocks. */
export const answer = (
  { logLimit, wallets }: ChainModel,
  calls: DiscoveryStep.Calls,
  fetched: Set<number>,
): DiscoveryStep.Results => ({
  accounts: calls.accounts.map(({ block, wallet }) => ({
    nonce: Number(nonceAt(wallets[wallet]!, block)),
    balance: balanceAt(wallets[wallet]!, block),
    code: wallets[wallet]!.hasCodeAt?.(block) === false ? "none" : wallets[wallet]!.code,
  })),
  nonces: calls.nonces.map(({ block, wallet }) => nonceAt(wallets[wallet]!, block)),
  balances: calls.balances.map(({ block, wallet }) => balanceAt(wallets[wallet]!, block)),
  logs: calls.logs.map(({ from, to }) => {
    if (to - from + 1 > logLimit) return "too_large"
    const blocks = wallets.flatMap(({ byBlock }) =>
      [...byBlock].filter(([block, { hasLog }]) => hasLog && block >= from && block <= to).map(([block]) => block),
    )
    return blocks
  }),
  blocks: calls.blocks.map((block) => {
    if (fetched.has(block)) throw new Error(`block ${block} was fetched twice`)
    fetched.add(block)
    return wallets.map(({ byBlock }) => {
      const activity = byBlock.get(block)
      return { change: activity?.derived ?? activity?.change ?? 0n, isAuthority: activity?.isAuthority === true }
    })
  }),
})

/** Runs a discovery to completion. `between` replaces the state between two steps. */
export const run = (
  model: ChainModel,
  options: {
    readonly samples?: number | undefined
    readonly opening?: number
    readonly between?: (state: DiscoveryState) => DiscoveryState
  } = {},
) => {
  const fetched = new Set<number>()
  let reads = 0
  let state = DiscoveryStep.initial({
    chainId: 1,
    addresses: model.wallets.map(({ address }) => address),
    opening: options.opening ?? 0,
    closing: { number: model.head, hash: "0x01" },
    samples: options.samples,
  })
  for (let turn = 0; turn < 10_000; turn++) {
    const calls = DiscoveryStep.next(state)
    if (calls === null) return { state, fetched, reads }
    reads += calls.nonces.length + calls.balances.length
    const stepped = DiscoveryStep.step(state, calls, answer(model, calls, fetched))
    if (Result.isFailure(stepped)) throw stepped.failure
    state = stepped.success
    if (options.between !== undefined) state = options.between(state)
  }
  throw new Error("the discovery did not end")
}
