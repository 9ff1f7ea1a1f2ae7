/**
 * Hash of a block, computed from the fields of its header as Ethereum does. Pure. Chains with another hash are marked in their hash
 * rules.
 *
 * Source: Ethereum yellow paper 4.4; EIP-1559, 4895, 4844, 4788, 7685, 7928, 7843.
 */
import * as Block from "@daybook/schema/Block"
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"

/** A block with the fields of its header. */
export type WithHeader = Block.Block | Block.HydratedBlock

/** Encodes a quantity for RLP: no leading zeros, no bytes for 0. */
export const quantity = (value: bigint | number | null | undefined): Hex.Hex => {
  if (value == null || value === 0 || value === 0n) return "0x"
  const digits = value.toString(16)
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}

const bytes = (text: string | null | undefined): Hex.Hex => (text ?? "0x") as Hex.Hex

const emptyNonce = `0x${"0".repeat(16)}`
const emptyHash = `0x${"0".repeat(64)}`

/**
 * Gnosis before the merge: a step and a signature instead of the proof of work. OpenEthereum names them `step` and `signature`, Erigon
 * `auraStep` and `auraSeal`. Source: OpenEthereum, AuRa.
 */
const auraSeal = (block: WithHeader): ReadonlyArray<Hex.Hex> | null => {
  const { auraSeal: seal, auraStep, signature = seal, step = auraStep } = Block.extras(block)
  if (typeof signature !== "string" || !/^(0x)?([0-9a-f]{2})+$/i.test(signature)) return null
  if (!/^(0x[0-9a-f]+|[0-9]+)$/i.test(String(step))) return null
  return [quantity(BigInt(String(step))), `0x${signature.replace(/^0x/, "")}`]
}

/** Fields added by later forks, oldest first; a header has them up to the last one of its fork. */
const laterFields = (block: WithHeader): ReadonlyArray<Hex.Hex> => {
  const fields: ReadonlyArray<readonly [value: unknown, encoded: Hex.Hex]> = [
    [block.baseFeePerGas, quantity(block.baseFeePerGas)],
    [block.withdrawalsRoot, bytes(block.withdrawalsRoot)],
    [block.blobGasUsed, quantity(block.blobGasUsed)],
    [block.excessBlobGas, quantity(block.excessBlobGas)],
    [block.parentBeaconBlockRoot, bytes(block.parentBeaconBlockRoot)],
    [block.requestsHash, bytes(block.requestsHash)],
    [block.blockAccessListHash, bytes(block.blockAccessListHash)],
    [block.slotNumber, quantity(block.slotNumber)],
  ]
  const count = fields.findIndex(([value]) => value == null)
  return fields.slice(0, count === -1 ? fields.length : count).map(([, encoded]) => encoded)
}

/**
 * Hash of a block's header.
 */
export const fromBlock = (block: WithHeader): string =>
  Hash.keccak256(
    Rlp.fromHex([
      bytes(block.parentHash),
      bytes(block.sha3Uncles),
      bytes(block.miner ?? block.author),
      bytes(block.stateRoot),
      bytes(block.transactionsRoot),
      bytes(block.receiptsRoot),
      bytes(block.logsBloom),
      quantity(block.difficulty),
      quantity(block.number),
      quantity(block.gasLimit),
      quantity(block.gasUsed),
      quantity(block.timestamp),
      bytes(block.extraData),
      ...(auraSeal(block) ?? [bytes(block.mixHash ?? emptyHash), bytes(block.nonce ?? emptyNonce)]),
      ...laterFields(block),
    ]),
  )

const hashed: ReadonlySet<string> = new Set([
  "parentHash",
  "sha3Uncles",
  "miner",
  "author",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "logsBloom",
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "extraData",
  "mixHash",
  "nonce",
  "baseFeePerGas",
  "withdrawalsRoot",
  "blobGasUsed",
  "excessBlobGas",
  "parentBeaconBlockRoot",
  "requestsHash",
  "blockAccessListHash",
  "slotNumber",
])

/**
 * True for a field that the hash covers: without it, a hash that differs from that of `of` proves nothing.
 */
export const isHashed = (field: string): boolean => hashed.has(field)

/** Unknown block keys that are known to be outside the hashed header, or are hashed as its seal. */
const unhashed: ReadonlySet<string> = new Set(["auraSeal", "auraStep", "calls", "sealFields", "signature", "step"])

/**
 * Block fields that a fork may have added to the header: with them, a hash that differs from that of `of` proves nothing.
 */
export const unknownFields = (block: WithHeader): ReadonlyArray<string> =>
  Object.entries(Block.extras(block)).flatMap(([key, value]) => (value == null || unhashed.has(key) ? [] : [key]))
