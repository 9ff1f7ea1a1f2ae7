/**
 * Operations on wallets and contracts that change server state, as plain values like those of `RestOperation`.
 */
import type * as Schema from "effect/Schema"
import { changeErrors } from "./internal/changeErrors.ts"
import * as Contract from "./Contract.ts"
import * as LedgerQuery from "./LedgerQuery.ts"
import * as ProofProgress from "./ProofProgress.ts"
import type { RestOperation } from "./RestOperation.ts"
import * as WalletQuery from "./WalletQuery.ts"

/**
 * An operation that changes server state. It is idempotent.
 *
 * Source: decision 0059.
 */
export interface ChangeOperation extends RestOperation {
  readonly method: "PUT" | "DELETE"
  /** JSON body of the request; `null` if it has none. */
  readonly body: Schema.Codec<unknown, unknown> | null
}

const contractPath = "/api/v2.2/contracts/:contract"

/**
 * Describes an address by a name and an ABI, or stores a pack of items that are tried for every contract. Once it has responded, all later
 * pages use the description. Only for API keys that allow the operation.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as ChangeOperation from "@daybook/schema/ChangeOperation"
 *
 * console.log(ChangeOperation.putContract.method, ChangeOperation.putContract.path) // PUT /api/v2.2/contracts/:contract
 * ```
 *
 * Source: decision 0059; errors: decision 0012.
 */
export const putContract = {
  name: "putContract",
  method: "PUT",
  path: contractPath,
  params: Contract.Path,
  query: Contract.Query,
  body: Contract.Description,
  response: Contract.DescribedContract,
  errors: changeErrors,
} as const satisfies ChangeOperation

/**
 * Removes the description of an address, or a pack. Only for API keys that allow the operation.
 *
 * **Example** (Reading the method)
 *
 * ```ts
 * import * as ChangeOperation from "@daybook/schema/ChangeOperation"
 *
 * console.log(ChangeOperation.removeContract.method) // DELETE
 * ```
 *
 * Source: decision 0059; errors: decision 0012.
 */
export const removeContract = {
  name: "removeContract",
  method: "DELETE",
  path: contractPath,
  params: Contract.Path,
  query: Contract.Query,
  body: null,
  response: Contract.RemovedContract,
  errors: changeErrors,
} as const satisfies ChangeOperation

/**
 * Compares the sums of one wallet address with the state of the chain. The first request starts the comparison; later ones report its
 * progress, then its result. Only for API keys that allow the operation.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as ChangeOperation from "@daybook/schema/ChangeOperation"
 *
 * console.log(ChangeOperation.proveWallet.method, ChangeOperation.proveWallet.path) // PUT /api/v2.2/:address/proof
 * ```
 *
 * Source: decision 0050; errors: decision 0012.
 */
export const proveWallet = {
  name: "proveWallet",
  method: "PUT",
  path: "/api/v2.2/:address/proof",
  params: WalletQuery.Path,
  query: LedgerQuery.ProofQuery,
  body: null,
  response: ProofProgress.ProofProgress,
  errors: changeErrors,
} as const satisfies ChangeOperation

/**
 * The operations that change server state, by name.
 *
 * **Example** (Listing the operations)
 *
 * ```ts
 * import * as ChangeOperation from "@daybook/schema/ChangeOperation"
 *
 * console.log(Object.keys(ChangeOperation.all)) // [ 'putContract', 'removeContract', 'proveWallet' ]
 * ```
 *
 * Source: decision 0059.
 */
export const all = { putContract, removeContract, proveWallet } as const satisfies Readonly<
  Record<string, ChangeOperation>
>

/**
 * The operations that change server state, by name.
 *
 * Source: decision 0059.
 */
export type All = typeof all
