/**
 * Hints that a movement may be deceptive. A flag never removes a row or changes its position or amount. Pure.
 *
 * Source: decision 0049.
 */
import type { Flag } from "@daybook/schema/Movement"
import * as Role from "../ledger/Role.ts"
import * as TokenFlags from "../token/TokenFlags.ts"

/** Input of flags. */
export interface Facts {
  readonly chainId: number
  /** Self-description of the token; undefined for the native currency, or if it has not been read yet. */
  readonly token: TokenFlags.Described | undefined
  /** Roles of the wallet in the transaction, as bits. */
  readonly roles: number
  /** Whether the wallet receives. */
  readonly isIncoming: boolean
  /** Whether nothing moved. */
  readonly isZero: boolean
  /** Whether the counterparty resembles one that the wallet paid before. */
  readonly isLookalike: boolean
}

/** True if the wallet itself sent the transaction, which no other account can do. */
export const isOwn = (roles: number): boolean => (roles & Role.bits.sender) !== 0

/** The flags, in the order of the interface. */
export const of = ({ chainId, isIncoming, isLookalike, isZero, roles, token }: Facts): ReadonlyArray<Flag> => {
  const flags: Array<Flag> = []
  if (isLookalike || (isZero && !isOwn(roles))) flags.push("poisoning")
  if (token !== undefined && TokenFlags.isFake(chainId, token)) flags.push("fake_symbol")
  if (token !== undefined && isIncoming && !isOwn(roles) && TokenFlags.isAdvertising(chainId, token)) flags.push("link")
  return flags
}
