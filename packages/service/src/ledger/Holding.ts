/**
 * What a wallet can hold, and the call that reads how much of it a wallet holds at a block. Pure.
 *
 * Source: ERC-20, ERC-721 and ERC-1155 (balanceOf); decision 0047.
 */
import type { Call } from "@daybook/rpc/Method"
import * as Movement from "./Movement.ts"

/** Standards by which an asset is held. Their order is stored: one is added at the end. */
export const standards = ["native", "erc20", "erc721", "erc1155", "nonce"] as const

/** By which standard an asset is held; `nonce` is the number of transactions that the wallet sent. */
export type Standard = (typeof standards)[number]

/**
 * An asset, or one id of an ERC-1155 contract. The tokens of an ERC-721 contract are one holding, counted.
 */
export interface Holding {
  readonly standard: Standard
  /** `native`, or the address of a token. */
  readonly asset: string
  /** Decimal digits; `null` but for ERC-1155. */
  readonly tokenId: string | null
}

/**
 * The native currency.
 */
export const native: Holding = { standard: "native", asset: Movement.native, tokenId: null }

/**
 * The number of transactions that the wallet sent.
 */
export const nonce: Holding = { standard: "nonce", asset: "nonce", tokenId: null }

const tokenKinds: ReadonlySet<string> = new Set(["erc20", "erc721", "erc1155"])

/** The opening balance of an ERC-721 contract is no movement, since the ids are not known. */
const standardOf = (kind: Movement.Kind, tokenId: string | null): Standard => {
  if (kind === "genesis") return tokenId === null ? "erc20" : "erc1155"
  // Sound: the kinds of tokens are standards.
  return tokenKinds.has(kind) ? (kind as Standard) : "native"
}

/**
 * The holding that a movement changes.
 */
export const fromMovement = ({
  asset,
  kind,
  tokenId,
}: Pick<Movement.Movement, "asset" | "kind" | "tokenId">): Holding => {
  if (asset === Movement.native) return native
  const standard = standardOf(kind, tokenId)
  return { standard, asset, tokenId: standard === "erc1155" ? tokenId : null }
}

/**
 * Identifies a holding.
 */
export const keyOf = ({ asset, standard, tokenId }: Holding): string => `${standard} ${asset} ${tokenId ?? ""}`

/** Gas of a call: a token that takes more has no balance. */
const gas = 5_000_000

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

const balanceOf = "0x70a08231"
const balanceOfId = "0x00fdd58e"

/**
 * The call that reads what a wallet holds at the end of a block.
 */
export const callOf = ({ asset, standard, tokenId }: Holding, wallet: string, block: number): Call => {
  if (standard === "native") return { method: "eth_getBalance", params: [wallet, block] }
  if (standard === "nonce") return { method: "eth_getTransactionCount", params: [wallet, block] }
  const account = word(BigInt(wallet))
  const data: `0x${string}` =
    standard === "erc1155" ? `${balanceOfId}${account}${word(BigInt(tokenId ?? 0))}` : `${balanceOf}${account}`
  return { method: "eth_call", params: [{ to: asset, data, gas }, block] }
}

/**
 * The amount in the result of the call, of 256 bits at most; `null` where the contract gives none.
 */
export const amountOf = (result: unknown): bigint | null => {
  if (typeof result === "bigint") return result
  if (typeof result === "number") return BigInt(result)
  return typeof result === "string" && /^0x[0-9a-f]{64}/.test(result) ? BigInt(result.slice(0, 66)) : null
}
