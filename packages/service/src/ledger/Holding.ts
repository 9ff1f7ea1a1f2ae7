/**
 * Kinds of holdings of a wallet, and the calls that read their balances at a block. Pure.
 *
 * Source: ERC-20, ERC-721 and ERC-1155 (balanceOf, ownerOf); decision 0047.
 */
import type { Call } from "@daybook/rpc/Method"
import * as Movement from "./Movement.ts"

/** Standards of assets. Their order is stored, so new ones are added at the end. */
export const standards = ["native", "erc20", "erc721", "erc1155", "nonce"] as const

/** Standard of an asset; `nonce` is the number of transactions sent by the wallet. */
export type Standard = (typeof standards)[number]

/**
 * An asset, or one id of a contract. The tokens of an ERC-721 contract are one counted holding, plus one holding per id.
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
 * The number of transactions sent by the wallet.
 */
export const nonce: Holding = { standard: "nonce", asset: "nonce", tokenId: null }

const tokenKinds: ReadonlySet<string> = new Set(["erc20", "erc721", "erc1155"])

/** The opening balance of an ERC-721 contract is not a movement, because the ids are unknown. */
const standardOf = (kind: Movement.Kind, tokenId: string | null): Standard => {
  if (kind === "genesis") return tokenId === null ? "erc20" : "erc1155"
  // Sound: the kinds of tokens are standards.
  return tokenKinds.has(kind) ? (kind as Standard) : "native"
}

/**
 * The holding changed by a movement.
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
 * The ERC-721 id changed by a movement: 1 for its owner, 0 for all others. `null` for other movements.
 */
export const ownedId = ({
  asset,
  kind,
  tokenId,
}: Pick<Movement.Movement, "asset" | "kind" | "tokenId">): Holding | null =>
  kind === "erc721" && tokenId !== null ? { standard: "erc721", asset, tokenId } : null

/**
 * True if a holding is one id of an ERC-721 contract.
 */
export const isOwnedId = ({ standard, tokenId }: Holding): boolean => standard === "erc721" && tokenId !== null

/**
 * Makes the test whether a holding of a wallet has its own balance on the chain. The number of tokens of a contract that is also ERC-20
 * (ERC-404) has none: `balanceOf` returns the amount. Each of its ids has an owner.
 */
export const comparableAmong = (holdings: Iterable<Holding>): ((holding: Holding) => boolean) => {
  const fungible = new Set(Array.from(holdings, ({ asset, standard }) => (standard === "erc20" ? asset : "")))
  return ({ asset, standard, tokenId }) => standard !== "erc721" || tokenId !== null || !fungible.has(asset)
}

/**
 * Identifies a holding.
 */
export const keyOf = ({ asset, standard, tokenId }: Holding): string => `${standard} ${asset} ${tokenId ?? ""}`

/** Gas limit of a call: a token that needs more has no balance. */
const gas = 5_000_000

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

const balanceOf = "0x70a08231"
const balanceOfId = "0x00fdd58e"
const ownerOf = "0x6352211e"
const erc721BalanceOf = "0xb3f9ea34"

/**
 * The call that reads the balance of a wallet at the end of a block.
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
 * Makes the function that returns the call for a holding, given all holdings of a wallet. The number of ids of a contract that is also
 * ERC-20 is read with `erc721BalanceOf`, which not every such contract has.
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
 * Amount in the result of the call, at most 256 bits; `null` if the contract returns none.
 */
export const amountOf = (result: unknown): bigint | null => {
  if (typeof result === "bigint") return result
  if (typeof result === "number") return BigInt(result)
  return typeof result === "string" && /^0x[0-9a-f]{64}/.test(result) ? BigInt(result.slice(0, 66)) : null
}

/**
 * Balance of a wallet from the result of the call; `null` if the contract returns no balance or no owner.
 */
export const heldIn = (holding: Holding, wallet: string, result: unknown): bigint | null => {
  const amount = amountOf(result)
  if (amount === null || !isOwnedId(holding)) return amount
  return amount === BigInt(wallet) ? 1n : 0n
}
