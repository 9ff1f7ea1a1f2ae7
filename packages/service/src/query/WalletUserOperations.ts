/**
 * User operations of a wallet, from logs: those that it sent, paid for as paymaster, or carried as bundler.
 *
 * Source: ERC-4337; decision 0048.
 */
import * as Effect from "effect/Effect"
import * as UserOperation from "@daybook/schema/UserOperation"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type * as Role from "../ledger/Role.ts"
import * as UserOperations from "../ledger/UserOperations.ts"
import * as TransactionParts from "./TransactionParts.ts"
import * as WalletPage from "./WalletPage.ts"
import * as WalletTransfers from "./WalletTransfers.ts"

/** An operation in which a wallet has a role. */
export interface Operation extends UserOperation.LoggedOperation {
  readonly bundler: string
  readonly logIndex: string
  readonly roles: ReadonlyArray<Role.Role>
}

/** Operations of a transaction in which a wallet has a role. */
export const operationsOf = (
  { from_address: bundler, logs }: WalletTransactionWire,
  wallet: string,
): ReadonlyArray<Operation> =>
  UserOperation.fromLogs(
    logs.map((log) => ({ address: log.address, data: log.data, topics: WalletTransfers.topicsOf(log) })),
  ).flatMap((operation) => {
    const roles = UserOperations.rolesOf({ ...operation, bundler }, wallet)
    // Sound: the position is that of a log of the list.
    return roles.length === 0 ? [] : [{ ...operation, bundler, roles, logIndex: logs[operation.position]!.log_index }]
  })

const page = WalletPage.make(
  TransactionParts.sourceOf<Operation>({
    roles: UserOperations.roleBits,
    internal: false,
    partsOf: ({ transaction }, wallet) => operationsOf(transaction, wallet),
  }),
)

/**
 * Reads a page of operations, filtered by the selection. It starts after another page and thus counts no rows.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index lacks the rows of the wallet.
 */
export const read = (query: Parameters<typeof page>[0]) =>
  page(query).pipe(Effect.catchTag("TooManyTexts", (error) => Effect.die(error)))
