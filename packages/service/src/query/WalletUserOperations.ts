/**
 * The user operations of a wallet, as logs state them: those that it sent, those that it paid for as paymaster, and those that its
 * transactions carried as bundler.
 *
 * Source: ERC-4337; decision 0048.
 */
import type { LogWire } from "@daybook/schema/Log"
import * as UserOperation from "@daybook/schema/UserOperation"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type * as Role from "../ledger/Role.ts"
import * as UserOperations from "../ledger/UserOperations.ts"
import * as TransactionParts from "./TransactionParts.ts"
import * as WalletPage from "./WalletPage.ts"

/** An operation in which a wallet has a role. */
export interface Operation extends UserOperation.LoggedOperation {
  readonly bundler: string
  readonly logIndex: string
  readonly roles: ReadonlyArray<Role.Role>
}

const topicsOf = ({ topic0, topic1, topic2, topic3 }: LogWire): ReadonlyArray<string> =>
  [topic0, topic1, topic2, topic3].filter((topic) => typeof topic === "string" && topic !== "") as ReadonlyArray<string>

/** The operations of a transaction in which a wallet has a role. */
export const operationsOf = (
  { from_address: bundler, logs }: WalletTransactionWire,
  wallet: string,
): ReadonlyArray<Operation> =>
  UserOperation.fromLogs(logs.map((log) => ({ address: log.address, data: log.data, topics: topicsOf(log) }))).flatMap(
    (operation) => {
      const roles = UserOperations.rolesOf({ ...operation, bundler }, wallet)
      // Sound: the position is that of a log of the list.
      return roles.length === 0 ? [] : [{ ...operation, bundler, roles, logIndex: logs[operation.position]!.log_index }]
    },
  )

/**
 * Reads a page; the selection narrows the operations.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as of all pages.
 * - `NoLedgers`: the index has only the transactions of some wallets.
 */
export const read = WalletPage.make(
  TransactionParts.sourceOf<Operation>({
    roles: UserOperations.roleBits,
    internal: false,
    partsOf: ({ transaction }, wallet) => operationsOf(transaction, wallet),
  }),
)
