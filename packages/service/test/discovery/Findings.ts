/** Compares the discovery of a planned wallet with the plan and with the recording of the wallet. */
import type { Discovered } from "../books/DiscoveryBooks.ts"
import type { PlannedWallet } from "./LongChain.ts"
import * as Recording from "./Recording.ts"

const changeIn = (history: Recording.History, block: number): bigint =>
  BigInt(Recording.valueAt(history, block) ?? 0) - BigInt(Recording.valueAt(history, block - 1) ?? 0)

/** Blocks after the first one with a change of the wallet, and those that its discovery reports differently. */
export const review = (
  { histories }: Recording.Recording,
  tokens: ReadonlyArray<string>,
  { address, blocks: planned }: PlannedWallet,
  { blocks: found, changes }: Discovered,
) => {
  const of = (method: string, subject: unknown): Recording.History =>
    histories.get(Recording.keyOf(method, subject)) ?? []
  const assets = [
    { asset: "native", history: of("eth_getBalance", address) },
    ...tokens.map((asset) => ({ asset, history: of("eth_call", Recording.balanceOf(asset, address)) })),
  ]
  const all = [of("eth_getTransactionCount", address), ...assets.map(({ history }) => history)]
  const changed = new Set(all.flatMap((history) => history.map(([block]) => block).filter((block) => block > 1)))
  const isWrong = (block: number): boolean =>
    assets.some(({ asset, history }) => {
      const assetChanges = changes.filter((one) => one.block === block && one.asset === asset)
      return assetChanges.reduce((sum, { amount }) => sum + amount, 0n) !== changeIn(history, block)
    })
  return {
    changed: changed.size,
    unplanned: [...changed].filter((block) => !planned.includes(block)),
    missing: planned.filter((block) => !found.has(block) || !changed.has(block)),
    surplus: [...found].filter((block) => !changed.has(block)),
    wrong: [...found].filter(isWrong),
  }
}
