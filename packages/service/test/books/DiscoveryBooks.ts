/** Movements of wallets that are discovered without an index, and the blocks that the discovery misses. */
import { Effect, Stream } from "effect"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Discovery from "../../src/discovery/Discovery.ts"
import * as Statement from "../../src/statement/Statement.ts"
import type { Balances, Change, Difference } from "./balanceOracle.ts"
import type { ScannedBlock, Transfer } from "./chainOracle.ts"

/** Number of blocks with activity of a wallet, and the effect of those that its discovery misses. */
export interface Missed {
  readonly wallet: string
  readonly found: number
  /** Number of missed blocks in which the wallet is called and no value moves. */
  readonly valueless: number
  /** Number of missed blocks in which ether enters and leaves. */
  readonly cancelled: number
  /** All other missed blocks. */
  readonly others: ReadonlyArray<number>
}

/** Movements of a wallet, and the blocks that contain them. */
export interface Discovered {
  readonly wallet: string
  readonly blocks: ReadonlySet<number>
  readonly changes: ReadonlyArray<Change>
}

/** Connects to a chain whose headers do not include the withdrawals of its blocks. */
const connect = (url: string) =>
  Effect.map(NodeConnection.connect({ node: { url } }), ({ assembling, ...connection }) => ({
    ...connection,
    assembling: { ...assembling, checks: "links" as const },
  }))

/** Discovers wallets sequentially. */
export const discover = Effect.fnUntraced(function* (url: string, last: number, wallets: ReadonlyArray<string>) {
  const connection = yield* connect(url)
  const discovered = yield* Effect.forEach(
    wallets,
    Effect.fnUntraced(function* (wallet) {
      const began = yield* Statement.begin(connection, { addresses: [wallet], at: last })
      const blocks = yield* Stream.runCollect(Discovery.make(connection, began).blocks)
      const changes = blocks.flatMap(({ number: block, rows }) =>
        rows.flatMap(({ movements }) =>
          movements.map(({ amount, asset, tokenId }): Change => ({ block, wallet, asset, tokenId, amount })),
        ),
      )
      return { wallet, blocks: new Set(blocks.map(({ number }) => number)), changes } satisfies Discovered
    }),
  )
  return { discovered, calls: connection.usage().calls }
})

/** Differences that the statements of wallets report, in the form of the oracle. */
export const namedBy = Effect.fnUntraced(function* (url: string, last: number, wallets: ReadonlyArray<string>) {
  const connection = yield* connect(url)
  const results = yield* Effect.forEach(wallets, (wallet) =>
    Statement.run(connection, { addresses: [wallet], at: last }),
  )
  return results.flatMap(({ statements }) =>
    statements.flatMap(({ address: wallet, differences }) =>
      differences.map(({ expected: sum, firstBlock, found: balance, holding: { asset, tokenId } }): Difference => ({
        block: firstBlock ?? -1,
        wallet,
        asset,
        tokenId,
        sum,
        balance: balance ?? 0n,
      })),
    ),
  )
})

const isOf = ({ from, to }: Transfer, wallet: string): boolean => from === wallet || to === wallet

/** Effects of the missed blocks on their wallets. */
export const missedOf = (
  blocks: ReadonlyArray<ScannedBlock>,
  { blocks: balances, wallets }: Balances,
  discovered: ReadonlyArray<Discovered>,
): ReadonlyArray<Missed> =>
  discovered.map(({ blocks: foundBlocks, wallet }) => {
    const at = wallets.indexOf(wallet)
    const kindOf = (block: number): "valueless" | "cancelled" | "others" => {
      const { holders, senders, transfers } = blocks[block]!
      const isChanged = balances[block]![at] !== balances[block - 1]![at]
      if (isChanged || holders.has(wallet) || senders.has(wallet)) return "others"
      return transfers.some((one) => isOf(one, wallet)) ? "cancelled" : "valueless"
    }
    const missed = blocks.flatMap(({ holders, parties }, block) =>
      block > 0 && !foundBlocks.has(block) && (parties.has(wallet) || holders.has(wallet)) ? [block] : [],
    )
    const of = (kind: ReturnType<typeof kindOf>) => missed.filter((block) => kindOf(block) === kind)
    return {
      wallet,
      found: foundBlocks.size,
      valueless: of("valueless").length,
      cancelled: of("cancelled").length,
      others: of("others"),
    }
  })
