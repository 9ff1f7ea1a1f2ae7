/**
 * Roles of wallets in the user operations of a transaction. An operation itself moves nothing: its cost is part of the calls inside the
 * transaction. Pure.
 *
 * Source: ERC-4337; decision 0048.
 */
import * as UserOperation from "@daybook/schema/UserOperation"
import type { SourceTransaction } from "./LedgerSource.ts"
import * as Role from "./Role.ts"
import type { WalletRows } from "./WalletRows.ts"

/** Roles of a wallet in an operation, as bits. */
export const roleBits: number = Role.bits.operation_sender | Role.bits.paymaster | Role.bits.bundler

/** Parties of an operation carried by a transaction. */
interface Parties extends Pick<UserOperation.LoggedOperation, "sender" | "paymaster"> {
  readonly bundler: string
}

/** Roles of a wallet in an operation, in order. */
export const rolesOf = ({ bundler, paymaster, sender }: Parties, wallet: string): ReadonlyArray<Role.Role> =>
  Role.fromBits(
    (sender === wallet ? Role.bits.operation_sender : 0) |
      (paymaster === wallet ? Role.bits.paymaster : 0) |
      (bundler === wallet ? Role.bits.bundler : 0),
  )

/** Adds the roles of senders, paymasters and the bundler. */
export const add = (rows: WalletRows, { from, logs }: SourceTransaction): void => {
  for (const { paymaster, sender } of UserOperation.fromLogs(logs)) {
    rows.role(sender, "operation_sender")
    if (paymaster !== null) rows.role(paymaster, "paymaster")
    rows.role(from, "bundler")
  }
}
