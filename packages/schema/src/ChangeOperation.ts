/**
 * The operations of wallets and contracts that change what the server keeps, as plain values like those of `RestOperation`.
 */
import type * as Schema from "effect/Schema"
import { changeErrors } from "./internal/changeErrors.ts"
import * as Contract from "./Contract.ts"
import * as LedgerQuery from "./LedgerQuery.ts"
import * as ProofProgress from "./ProofProgress.ts"
import type { RestOperation } from "./RestOperation.ts"
import * as WalletQuery from "./WalletQuery.ts"

/**
 * An operation that changes what the server keeps. Sent again, it changes nothing more.
 *
 * Source: decision 0059.
 */
export interface ChangeOperation extends RestOperation {
  readonly method: "PUT" | "DELETE"
  /** JSON body of the request; `null` where it has none. */
  readonly body: Schema.Codec<unknown, unknown> | null
}

const contractPath = "/api/v2.2/contracts/:contract"

/**
 * Describes an address by a name and an ABI, or stores a pack of items that are tried for every contract. Its response means that every
 * later page is written by it. Only for API keys that name the operation.
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
 * Removes the description of an address, or a pack. Only for API keys that name the operation.
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
 * Compares the sums of one wallet address with the state of the chain. It starts the comparison, and sent again it states how far that is, and
 * its result. Only for API keys that name the operation.
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
 * The operations that change what the server keeps, by their names.
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
 * The operations that change what the server keeps, by name.
 *
 * Source: decision 0059.
 */
export type All = typeof all
