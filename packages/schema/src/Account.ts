/**
 * Account state with its Merkle proof, the result of `eth_getProof`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

/**
 * Storage slot with the Merkle proof of its value.
 *
 * Source: EIP-1186.
 */
export const StorageProof = open("StorageProof", {
  /** Storage slot, with the digits received. */
  key: Hex.HexText,
  /** Value of the slot. */
  value: Quantity.Quantity,
  /** Proof nodes, from the root. */
  proof: Schema.Array(Hex.Hex),
})

/**
 * Account state with its Merkle proof.
 *
 * Source: EIP-1186.
 */
export const AccountProof = open("AccountProof", {
  /** Account address. */
  address: Address.Address,
  /** Proof nodes, from the root. */
  accountProof: Schema.Array(Hex.Hex),
  /** Balance in wei. */
  balance: Quantity.Quantity,
  /** Hash of the account code. */
  codeHash: Hash.Hash,
  /** Nonce of the account. */
  nonce: Quantity.SafeInteger,
  /** Root of the storage trie. */
  storageHash: Hash.Hash,
  /** Requested storage slots. */
  storageProof: Schema.Array(StorageProof),
})

export interface AccountProof extends Schema.Schema.Type<typeof AccountProof> {}
