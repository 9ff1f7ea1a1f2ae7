/**
 * Account state with its Merkle proof, the result of `eth_getProof`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { type Named, open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

const storageProofCodec = open("StorageProof", {
  /** Storage slot, with the digits received. */
  key: Hex.HexText,
  /** Value of the slot. */
  value: Quantity.Quantity,
  /** Proof nodes, from the root. */
  proof: Schema.Array(Hex.Hex),
})

export interface StorageProof extends Schema.Schema.Type<typeof storageProofCodec> {}

/** Encoded form of `StorageProof`: the values of its JSON. */
export interface StorageProofWire extends Schema.Codec.Encoded<typeof storageProofCodec> {}

/**
 * Storage slot with the Merkle proof of its value.
 *
 * **Example** (Decoding a slot with its proof)
 *
 * ```ts
 * import * as Account from "@daybook/schema/Account"
 * import * as Schema from "effect/Schema"
 *
 * const slot = Schema.decodeUnknownSync(Account.StorageProof)({ key: "0x0", value: "0x2a", proof: [] })
 * console.log(slot.value) // 42n
 * ```
 *
 * Source: EIP-1186.
 */
export const StorageProof: Named<typeof storageProofCodec, StorageProof, StorageProofWire> = storageProofCodec

const accountProofCodec = open("AccountProof", {
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

export interface AccountProof extends Schema.Schema.Type<typeof accountProofCodec> {}

/** Encoded form of `AccountProof`: the values of its JSON. */
export interface AccountProofWire extends Schema.Codec.Encoded<typeof accountProofCodec> {}

/**
 * Account state with its Merkle proof.
 *
 * **Example** (Finding what a node omitted)
 *
 * ```ts
 * import * as Account from "@daybook/schema/Account"
 * import * as Issue from "@daybook/schema/Issue"
 *
 * const [issue] = Issue.find(Account.AccountProof, { address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", balance: "0x1" })
 * console.log(Issue.format("proof", issue!)) // Invalid proof "accountProof": expected an array, received nothing.
 * ```
 *
 * Source: EIP-1186.
 */
export const AccountProof: Named<typeof accountProofCodec, AccountProof, AccountProofWire> = accountProofCodec
