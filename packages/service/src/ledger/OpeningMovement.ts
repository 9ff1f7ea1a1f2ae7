/**
 * Holdings of a wallet before the first indexed block, as movements. Pure.
 *
 * Source: decision 0050.
 */
import type * as Holding from "./Holding.ts"
import type * as Movement from "./Movement.ts"

/** An amount of a holding. */
interface Balance {
  readonly holding: Holding.Holding
  readonly amount: bigint
}

/** Whether a balance is a movement. The token ids of an ERC-721 contract are unknown. */
export const isMovement = ({ amount, holding }: Balance): boolean => amount !== 0n && holding.standard !== "erc721"

/** The movement of a balance for which `isMovement` is true. */
export const make = (wallet: string, { amount, holding: { asset, tokenId } }: Balance): Movement.Movement => ({
  wallet,
  asset,
  tokenId,
  amount,
  counterparty: null,
  kind: "genesis",
  logIndex: null,
  isFailed: false,
})

/** Whether a movement is that of a holding before the first indexed block. */
export const isOpening = ({ kind }: Pick<Movement.Movement, "kind">): boolean => kind === "genesis"
