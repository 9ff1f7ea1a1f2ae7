/** Entries of exports for tests. */
import type { Asset, Entry } from "../../src/export/ExportEntry.ts"

export const wallet = `0x${"a1".repeat(20)}`
export const token = `0x${"70".repeat(20)}`

export const ether: Asset = {
  chainId: 1,
  holding: { standard: "native", asset: "native", tokenId: null },
  symbol: "ETH",
  decimals: 18,
}

export const tokenOf = (symbol: string | null, decimals: number): Asset => ({
  chainId: 1,
  holding: { standard: "erc20", asset: token, tokenId: null },
  symbol,
  decimals,
})

/** An entry of an asset in a transaction. */
export const entryOf = (asset: Asset, amount: bigint, kind: Entry["movement"]["kind"] = "erc20"): Entry => ({
  asset,
  blockNumber: 7,
  blockHash: `0x${"b7".repeat(32)}`,
  timestamp: 17e8,
  transactionHash: `0x${"7a".repeat(32)}`,
  transactionIndex: 2,
  movement: {
    wallet,
    amount,
    kind,
    counterparty: `0x${"c0".repeat(20)}`,
    asset: asset.holding.asset,
    tokenId: asset.holding.tokenId,
    logIndex: kind === "erc20" ? 5 : null,
    isFailed: false,
  },
  own: null,
  counterpartyLabel: null,
  flags: [],
})
