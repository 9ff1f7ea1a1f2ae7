/**
 * What a wallet can hold, and the call that reads how much of it a wallet holds at a block. Pure.
 *
 * Source: ERC-20, ERC-721 and ERC-1155 (balanceOf, ownerOf); decision 0047.
 */
import type { Call } from "@daybook/rpc/Method"
import * as Movement from "./Movement.ts"

/** Standards by which an asset is held. Their order is stored: one is added at the end. */
export const standards = ["native", "erc20", "erc721", "erc1155", "nonce"] as const

/** By which standard an asset is held; `nonce` is the number of transactions that the wallet sent. */
export type Standard = (typeof standards)[number]

/**
 * An asset, or one id of a contract. The tokens of an ERC-721 contract are one holding, counted, and each id of them is one more.
 */
export interface Holding {
  readonly standard: Standard
  /** `native`, or the address of a token. */
  readonly asset: string
  /** Decimal digits; `null` for an asset without ids, and for the number of tokens of an ERC-721 contract. */
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
 * The id of an ERC-721 contract that a movement changes: 1 for its owner, 0 for all others. `null` for other movements.
 */
export const ownedId = ({
  asset,
  kind,
  tokenId,
}: Pick<Movement.Movement, "asset" | "kind" | "tokenId">): Holding | null =>
  kind === "erc721" && tokenId !== null ? { standard: "erc721", asset, tokenId } : null

/**
 * Whether a holding is one id of an ERC-721 contract.
 */
export const isOwnedId = ({ standard, tokenId }: Holding): boolean => standard === "erc721" && tokenId !== null

/**
 * Gives whether one of the holdings of a wallet has a balance of its own on the chain. The number of tokens of a contract that is ERC-20 as well
 * (ERC-404) has none by `balanceOf`, which gives the amount; each of its ids has an owner.
 */
export const comparableAmong = (holdings: Iterable<Holding>): ((holding: Holding) => boolean) => {
  const fungible = new Set(Array.from(holdings, ({ asset, standard }) => (standard === "erc20" ? asset : "")))
  return ({ asset, standard, tokenId }) => standard !== "erc721" || tokenId !== null || !fungible.has(asset)
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
const ownerOf = "0x6352211e"
const erc721BalanceOf = "0xb3f9ea34"

/**
 * The call that reads what a wallet holds at the end of a block.
 */
export const callOf = ({ asset, standard, tokenId }: Holding, wallet: string, block: number): Call => {
  if (standard === "native") return { method: "eth_getBalance", params: [wallet, block] }
  if (standard === "nonce") return { method: "eth_getTransactionCount", params: [wallet, block] }
  const call = (data: `0x${string}`): Call => ({ method: "eth_call", params: [{ to: asset, data, gas }, block] })
  const account = word(BigInt(wallet))
  if (tokenId === null) return call(`${balanceOf}${account}`)
  const id = word(BigInt(tokenId))
  return call(standard === "erc721" ? `${ownerOf}${id}` : `${balanceOfId}${account}${id}`)
}

/**
 * Gives the calls that read holdings of a wallet, by what is among them. The number of ids of a contract that is ERC-20 as well is read by
 * `erc721BalanceOf`, which not every such contract has.
 *
 * Source: ERC-404 (erc721BalanceOf of its reference implementation); decision 0050.
 */
export const callAmong = (holdings: Iterable<Holding>): typeof callOf => {
  const isComparable = comparableAmong(holdings)
  return (holding, wallet, block) =>
    isComparable(holding)
      ? callOf(holding, wallet, block)
      : {
          method: "eth_call",
          params: [{ to: holding.asset, data: `${erc721BalanceOf}${word(BigInt(wallet))}`, gas }, block],
        }
}

/**
 * The amount in the result of the call, of 256 bits at most; `null` where the contract gives none.
 */
export const amountOf = (result: unknown): bigint | null => {
  if (typeof result === "bigint") return result
  if (typeof result === "number") return BigInt(result)
  return typeof result === "string" && /^0x[0-9a-f]{64}/.test(result) ? BigInt(result.slice(0, 66)) : null
}

/**
 * What a wallet holds by the result of the call; `null` where the contract gives no balance, or no owner.
 */
export const heldIn = (holding: Holding, wallet: string, result: unknown): bigint | null => {
  const amount = amountOf(result)
  if (amount === null || !isOwnedId(holding)) return amount
  return amount === BigInt(wallet) ? 1n : 0n
}
