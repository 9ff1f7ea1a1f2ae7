/**
 * The state of an account with the proof of it, as `eth_getProof` gives it.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

/**
 * A slot of a contract's storage and the proof of its value.
 *
 * Source: EIP-1186.
 */
export const StorageProof = open("StorageProof", {
  /** The slot, as the node writes it. Source: EIP-1186. */
  key: Hex.HexText,
  /** The word in it. Source: EIP-1186. */
  value: Quantity.Quantity,
  /** Nodes of the tree, from the root. Source: EIP-1186. */
  proof: Schema.Array(Hex.Hex),
})

/**
 * An account and the proof of its state.
 *
 * Source: EIP-1186.
 */
export const AccountProof = open("AccountProof", {
  /** The account. Source: EIP-1186. */
  address: Address.Address,
  /** Nodes of the tree, from the root. Source: EIP-1186. */
  accountProof: Schema.Array(Hex.Hex),
  /** Balance in wei. Source: EIP-1186. */
  balance: Quantity.Quantity,
  /** Hash of the code. Source: EIP-1186. */
  codeHash: Hash.Hash,
  /** Nonce. Source: EIP-1186. */
  nonce: Quantity.SafeInteger,
  /** Root of the storage. Source: EIP-1186. */
  storageHash: Hash.Hash,
  /** The slots asked for. Source: EIP-1186. */
  storageProof: Schema.Array(StorageProof),
})

/**
 * An account and the proof of its state.
 */
export interface AccountProof extends Schema.Schema.Type<typeof AccountProof> {}
