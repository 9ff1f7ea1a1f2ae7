/**
 * Roles of a wallet in a transaction or block, as bits of one number. Pure.
 *
 * Source: decision 0048.
 */

/** Roles, each with its bit. The bits are stored, so new roles are added at the end. */
export const bits = {
  sender: 1 << 0,
  recipient: 1 << 1,
  /** A contract created by the transaction, or by a call in it. */
  created: 1 << 2,
  /** Created a contract by a call inside the transaction. */
  creator: 1 << 3,
  internal_caller: 1 << 4,
  internal_callee: 1 << 5,
  token_sender: 1 << 6,
  token_recipient: 1 << 7,
  approval_owner: 1 << 8,
  approval_spender: 1 << 9,
  approval_operator: 1 << 10,
  /** Signed an authorization of a set-code transaction. Source: EIP-7702. */
  authority: 1 << 11,
  withdrawal_recipient: 1 << 12,
  fee_recipient: 1 << 13,
  /** Paid the fee of another account's transaction. */
  fee_payer: 1 << 14,
  /** Received value that was minted, or moved by a rule of the chain. */
  mint_recipient: 1 << 15,
  /** Account of a user operation. Source: ERC-4337. */
  operation_sender: 1 << 16,
  /** Paid for a user operation of another account. */
  paymaster: 1 << 17,
  /** Sent the transaction that carries a user operation. */
  bundler: 1 << 18,
} as const

export type Role = keyof typeof bits

/**
 * In addition to the roles: movements of the wallet at this position may be missing. It is not a role and has no name on the wire.
 */
export const incompleteBit = 1 << 20

const names = Object.keys(bits) as ReadonlyArray<Role>

/** Roles in a bit set, in order. */
export const fromBits = (roles: number): ReadonlyArray<Role> => names.filter((name) => (roles & bits[name]) !== 0)

/** True if movements may be missing. */
export const isIncomplete = (roles: number): boolean => (roles & incompleteBit) !== 0
