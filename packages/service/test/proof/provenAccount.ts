/** A block whose state contains one account, with the proof of the account. */
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import * as Block from "@daybook/schema/Block"
import { Schema } from "effect"
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), "hex"))
const hexOf = (bytes: Uint8Array): Hex.Hex => `0x${Buffer.from(bytes).toString("hex")}`

/** Zero bytes as hex. */
export const zeros = (bytes: number): Hex.Hex => `0x${"00".repeat(bytes)}`

export const account = { nonce: 3n, balance: 7n }

/** Block 5 with a state root, or with `0x` for none. */
export const headerOf = (stateRoot: string) => {
  const common = { parentHash: zeros(32), sha3Uncles: zeros(32), miner: zeros(20), transactionsRoot: zeros(32) }
  const sizes = { difficulty: "0x0", gasLimit: "0x1", gasUsed: "0x0", timestamp: "0x1", size: "0x1", extraData: "0x" }
  const seals = { mixHash: zeros(32), nonce: zeros(8), receiptsRoot: zeros(32), logsBloom: zeros(256) }
  const given = { number: "0x5", hash: zeros(32), uncles: [], transactions: [], ...common, ...sizes, ...seals }
  return Schema.decodeUnknownSync(Block.Block)({ ...given, stateRoot })
}

/** Creates the state, the header and hash of the block, and the proof of the account at an address. */
export const provenAccount = async (address: string) => {
  const trie = await createMPT()
  const path = bytesOf(Hash.keccak256(bytesOf(address), { as: "Hex" }))
  await trie.put(path, bytesOf(Rlp.fromHex(["0x03", "0x07", zeros(32), zeros(32)])))
  const accountProof = (await createMerkleProof(trie, path)).map(hexOf)
  const header = headerOf(hexOf(trie.root()))
  return { header, accountProof, hash: HeaderHash.fromBlock(header) }
}
