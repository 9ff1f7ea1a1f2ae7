/** Generates movements of several wallets on several chains, with hostile symbols, many decimals and amounts of 256 bits. */
import { Effect, Stream } from "effect"
import * as Random from "@daybook/testkit/internal/Random"
import type { Part } from "../../src/export/Export.ts"
import type { Asset, Closing } from "../../src/export/ExportEntry.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import { ether, tokenOf } from "./entries.ts"

const perBlock = 100
const firstTimestamp = 1_600_000_000

/** A listed chain, a chain with the same symbol, an unlisted chain, and a chain whose symbol has lower-case letters. */
const chainIds = [1, 8_453, 31_337, 100]

const wallets = ["a1", "b2", "c3"].map((digits) => `0x${digits.repeat(20)}`)

/** Symbols that could break a format or that a spreadsheet could interpret as formulas. */
const symbols = [
  "GOLD",
  "=1+1",
  "+1+1",
  "-5",
  "@SUM(1,1)",
  '=HYPERLINK("https://x.example","a")',
  "=cmd|' /C calc'!A0",
  "\t=1+1",
  "\r=1+1",
  "＝1+1",
  '"; DROP',
  "ETH",
  "\\",
  "𝔼𝕋ℍ",
  "a b\tc\nd",
  "{}",
  "",
]
const decimals = [18, 0, 77, 6]

const assetsOf = (chainId: number): ReadonlyArray<Asset> => [
  { ...ether, chainId },
  ...symbols.flatMap((symbol, at) =>
    decimals.map((places): Asset => {
      const asset = `0x${(at * 100 + places + 1).toString(16).padStart(40, "0")}`
      const token = tokenOf(symbol, places)
      return { ...token, chainId, holding: { ...token.holding, asset } }
    }),
  ),
]

const largest = 2n ** 256n - 1n

const blockOf = (number: number, assets: ReadonlyArray<Asset>, random: Random.Random) => ({
  number,
  hash: random.hex(32),
  timestamp: firstTimestamp + number * 12,
  hasGaps: false,
  rows: Array.from({ length: perBlock }, (_, index) => {
    const wallet = wallets[random.integer(wallets.length)]!
    const { holding } = assets[random.integer(assets.length)]!
    const amount = random.integer(50) === 0 ? largest : BigInt(1 + random.integer(1_000_000_000))
    const kind = holding.standard === "native" ? ("value" as const) : ("erc20" as const)
    const [counterparty, tokenId, isFailed] = [random.hex(20), null, false]
    const movement = { wallet, counterparty, asset: holding.asset, tokenId, kind, logIndex: index, isFailed }
    return {
      wallet,
      transactionHash: random.hex(32),
      index,
      roles: 1,
      movements: [
        {
          ...movement,
          amount: random.integer(2) === 0 ? amount : -amount,
        },
      ],
    }
  }),
})

const partOf = (chainId: number, blocks: number): Part<never> => {
  const random = Random.make(chainId)
  const assets = assetsOf(chainId)
  const byAsset = new Map(assets.map((asset) => [Holding.keyOf(asset.holding), asset]))
  return {
    source: {
      chainId,
      wallets,
      label: () => null,
      opening: {
        number: 0,
        hash: random.hex(32),
        timestamp: firstTimestamp,
      },
      blocks: Stream.range(1, blocks).pipe(
        Stream.rechunk(1),
        Stream.map((number) => blockOf(number, assets, random)),
      ),
      describe: (holdings) => Effect.succeed(holdings.map((holding) => byAsset.get(Holding.keyOf(holding))!)),
      openings: (_, holdings) => Effect.succeed(holdings.map(() => 1n)),
    },
    closing: { number: blocks, timestamp: firstTimestamp + blocks * 12 },
    closings: (totals) =>
      Effect.succeed([...totals.values()].map((total): Closing => ({ ...total, found: total.amount }))),
  }
}

/** Parts with about this many movements in total, plus one opening balance per holding. */
export const parts = (movements: number): ReadonlyArray<Part<never>> =>
  chainIds.map((chainId) => partOf(chainId, Math.ceil(movements / perBlock / chainIds.length)))
