/**
 * Texts shared by all export formats: dates, and unique, harmless commodity names. Pure.
 */
import { createHash } from "node:crypto"
import * as Chain from "@daybook/schema/Chain"
import * as Wei from "@daybook/schema/Wei"
import type { Asset, Entry } from "./ExportEntry.ts"
import { nativeSymbol } from "../statement/StatementFormat.ts"

/** The day of a time in seconds since 1970, in UTC: `2026-01-31`. */
export const dayOf = (timestamp: number): string => new Date(timestamp * 1000).toISOString().slice(0, 10)

/** The following day. */
export const dayAfter = (timestamp: number): string => dayOf(timestamp + 86_400)

/** An amount in units of its asset, exact. */
export const amountOf = (amount: bigint, { decimals }: Asset): string => Wei.formatUnits(amount, decimals)

const maxSymbol = 10
const hashDigits = 12

/**
 * Commodity name of a native currency: its symbol for the first listed chain that has it, otherwise with the chain id. The currency of a
 * test network differs from that of the chain it tests.
 */
const nativeCommodity = (chainId: number): string => {
  const symbol = nativeSymbol(chainId)
  const isFirst = Chain.all.find((chain) => chain.symbol === symbol)?.id === BigInt(chainId)
  return isFirst ? symbol.toUpperCase() : `${symbol.toUpperCase()}.${chainId}`
}

/**
 * Commodity name of an asset: for a token, the letters and digits of its symbol plus a part of the hash of its identity, so that two tokens
 * with the same symbol have different names.
 */
export const commodityOf = ({ chainId, holding, symbol }: Asset): string => {
  if (holding.standard === "native") return nativeCommodity(chainId)
  const letters = (symbol ?? "").toUpperCase().replaceAll(/[^A-Z0-9]/g, "")
  const start = (/^[A-Z]/.test(letters) ? letters : `T${letters}`).slice(0, maxSymbol)
  const identity = `${chainId} ${holding.standard} ${holding.asset} ${holding.tokenId ?? ""}`
  return `${start}.${createHash("sha256").update(identity).digest("hex").slice(0, hashDigits).toUpperCase()}`
}

/**
 * Identifier shared by the movements of one transaction, across all wallets and in chain order: `18000000-7`; for the block itself, its
 * number.
 */
export const groupOf = ({ blockNumber, transactionIndex }: Pick<Entry, "blockNumber" | "transactionIndex">): string =>
  transactionIndex === null ? String(blockNumber) : `${blockNumber}-${transactionIndex}`

/** A label on one line, without characters that end a text or a comment in books. */
export const labelOf = (label: string): string => label.replaceAll(/[\s\p{C}"\\;,:|]+/gu, " ").trim()

/** The opposite side of a movement in double-entry books. */
export type Counter = "fees" | "rewards" | "withdrawals" | "bridge" | "opening" | "transfers"

/** The opposite side for each kind of movement. */
const counterOf = (kind: string): Counter => {
  switch (kind) {
    case "fee":
      return "fees"
    case "reward":
      return "rewards"
    case "withdrawal":
      return "withdrawals"
    case "mint":
    case "irregular":
      return "bridge"
    case "genesis":
      return "opening"
    default:
      return "transfers"
  }
}

/** Account on the opposite side of a movement: that of the receiving wallet for a transfer between exported wallets. */
export const otherAccountOf = (
  { asset, movement: { counterparty, kind }, own }: Entry,
  accountOf: (chainId: number, wallet: string) => string,
  counters: Readonly<Record<Counter, string>>,
): string =>
  // Sound: the movements of a transfer between wallets have a counterparty.
  own === "sent" ? accountOf(asset.chainId, counterparty!) : counters[counterOf(kind)]
