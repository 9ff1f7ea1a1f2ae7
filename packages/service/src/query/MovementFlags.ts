/**
 * Hints of a movement that may be meant to deceive. A flag never leaves out a row, changes its place or its amount. Pure.
 *
 * Source: decision 0049.
 */
import type { Flag } from "@daybook/schema/Movement"
import * as Role from "../ledger/Role.ts"
import * as TokenFlags from "../token/TokenFlags.ts"

/** What flags depend on. */
export interface Facts {
  readonly chainId: number
  /** The token as it describes itself; undefined for the native currency, and where it was not read yet. */
  readonly token: TokenFlags.Described | undefined
  /** Roles of the wallet in the transaction, as bits. */
  readonly roles: number
  /** The wallet receives. */
  readonly isIncoming: boolean
  /** Nothing moved. */
  readonly isZero: boolean
  /** The other side looks like one whom the wallet paid before. */
  readonly isLookalike: boolean
}

/** Whether the wallet sent the transaction itself, which no other account can do. */
export const isOwn = (roles: number): boolean => (roles & Role.bits.sender) !== 0

/** The flags, in the order of the interface. */
export const of = ({ chainId, isIncoming, isLookalike, isZero, roles, token }: Facts): ReadonlyArray<Flag> => {
  const flags: Array<Flag> = []
  if (isLookalike || (isZero && !isOwn(roles))) flags.push("poisoning")
  if (token !== undefined && TokenFlags.isFake(chainId, token)) flags.push("fake_symbol")
  if (token !== undefined && isIncoming && !isOwn(roles) && TokenFlags.isAdvertising(chainId, token)) flags.push("link")
  return flags
}
