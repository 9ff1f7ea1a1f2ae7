/**
 * RLP encoding of transactions and receipts as in the tries of a block, for known types: Ethereum's 0 to 4, OP Stack deposits, Scroll L1
 * messages, and those of Arbitrum. `null` if a type, or a field that it needs, is unknown. Pure.
 *
 * Source: EIP-2718, 2930, 1559, 4844, 7702; OP Stack specification, deposits; Scroll, `l1_message_tx.go`; Nitro, `arb_types.go`; decision
 * 0029.
 */
import type { Receipt } from "@daybook/schema/Receipt"
import type { Transaction } from "@daybook/schema/Transaction"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"
import { quantity } from "./HeaderHash.ts"

type Item = Hex.Hex | ReadonlyArray<Item>

/** Fields of any type. */
interface Fields {
  readonly [field: string]: unknown
}

class Unknown extends Error {}

const number = (value: unknown): Hex.Hex => {
  if (typeof value === "bigint" || typeof value === "number") return quantity(value)
  if (value == null) return "0x"
  throw new Unknown()
}

const data = (value: unknown): Hex.Hex => {
  if (value == null) return "0x"
  if (typeof value === "string") return value as Hex.Hex
  throw new Unknown()
}

/** `r` or `s` of a signature: a quantity as written by the node, which may have no digits for 0. */
const half = (value: unknown): Hex.Hex => {
  const digits = data(value)
  return digits === "0x" ? digits : quantity(BigInt(digits))
}

const flag = (value: unknown): Hex.Hex => (value === true ? "0x01" : "0x")

const list = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value : [])

const accessList = (value: unknown): Item =>
  list(value).map(({ address, storageKeys }) => [data(address), list(storageKeys).map((key) => data(key))])

const parity = ({ v, yParity }: Fields): Hex.Hex => number(yParity ?? v)

const authorizations = (value: unknown): Item =>
  list(value).map((entry) => {
    if (entry["r"] == null || entry["s"] == null || entry["chainId"] == null) throw new Unknown()
    const { address, chainId, nonce, r, s } = entry
    return [number(chainId), data(address), number(nonce), parity(entry), half(r), half(s)]
  })

const call = ({ gas, input, to, value }: Fields): ReadonlyArray<Item> => [
  number(gas),
  data(to),
  number(value),
  data(input),
]

const fees = ({ chainId, maxFeePerGas, maxPriorityFeePerGas, nonce }: Fields): ReadonlyArray<Item> => [
  number(chainId),
  number(nonce),
  number(maxPriorityFeePerGas),
  number(maxFeePerGas),
]

const signature = (fields: Fields): ReadonlyArray<Item> => [parity(fields), half(fields["r"]), half(fields["s"])]

/** Deposit on the OP Stack. */
const depositOf = ({ from, gas, input, isSystemTx, mint, sourceHash, to, value }: Fields): ReadonlyArray<Item> => {
  if (sourceHash == null) throw new Unknown()
  return [
    data(sourceHash),
    data(from),
    data(to),
    number(mint),
    number(value),
    number(gas),
    flag(isSystemTx),
    data(input),
  ]
}

/** Deposit on Arbitrum. A sponsored transaction on Ronin has the same type, but no such id. */
const arbitrumDepositOf = ({ chainId, from, requestId, to, value }: Fields): ReadonlyArray<Item> => {
  if (requestId == null) throw new Unknown()
  return [number(chainId), data(requestId), data(from), data(to), number(value)]
}

/** L1 message on Scroll and Morph. */
const l1MessageOf = ({ gas, input, queueIndex, sender, to, value }: Fields): ReadonlyArray<Item> => {
  if (sender == null) throw new Unknown()
  return [number(queueIndex), number(gas), data(to), number(value), data(input), data(sender)]
}

/** Encoded fields of each type, in order. */
const payloads: Readonly<Record<number, (fields: Fields) => ReadonlyArray<Item>>> = {
  0: (tx) => [number(tx["nonce"]), number(tx["gasPrice"]), ...call(tx), number(tx["v"]), half(tx["r"]), half(tx["s"])],
  1: (tx) => [
    number(tx["chainId"]),
    number(tx["nonce"]),
    number(tx["gasPrice"]),
    ...call(tx),
    accessList(tx["accessList"]),
    ...signature(tx),
  ],
  2: (tx) => [...fees(tx), ...call(tx), accessList(tx["accessList"]), ...signature(tx)],
  3: (tx) => [
    ...fees(tx),
    ...call(tx),
    accessList(tx["accessList"]),
    number(tx["maxFeePerBlobGas"]),
    list(tx["blobVersionedHashes"]).map((hash) => data(hash)),
    ...signature(tx),
  ],
  4: (tx) => [
    ...fees(tx),
    ...call(tx),
    accessList(tx["accessList"]),
    authorizations(tx["authorizationList"]),
    ...signature(tx),
  ],
  0x64: arbitrumDepositOf,
  0x65: (tx) => [
    number(tx["chainId"]),
    data(tx["from"]),
    number(tx["nonce"]),
    number(tx["maxFeePerGas"] ?? tx["gasPrice"]),
    ...call(tx),
  ],
  0x66: (tx) => [
    number(tx["chainId"]),
    data(tx["requestId"]),
    data(tx["from"]),
    number(tx["maxFeePerGas"] ?? tx["gasPrice"]),
    ...call(tx),
  ],
  0x68: (tx) => [
    number(tx["chainId"]),
    number(tx["nonce"]),
    data(tx["from"]),
    number(tx["maxFeePerGas"] ?? tx["gasPrice"]),
    ...call(tx),
    data(tx["ticketId"]),
    data(tx["refundTo"]),
    number(tx["maxRefund"]),
    number(tx["submissionFeeRefund"]),
  ],
  0x69: (tx) => [
    number(tx["chainId"]),
    data(tx["requestId"]),
    data(tx["from"]),
    number(tx["l1BaseFee"]),
    number(tx["depositValue"]),
    number(tx["maxFeePerGas"] ?? tx["gasPrice"]),
    number(tx["gas"]),
    data(tx["retryTo"]),
    number(tx["retryValue"]),
    data(tx["beneficiary"]),
    number(tx["maxSubmissionFee"]),
    data(tx["refundTo"]),
    data(tx["retryData"]),
  ],
  0x6a: (tx) => [number(tx["chainId"]), data(tx["input"])],
  0x7e: (tx) => (tx["queueIndex"] == null ? depositOf(tx) : l1MessageOf(tx)),
}

const typed = (type: number, item: ReadonlyArray<Item>): Hex.Hex => {
  const encoded = Rlp.fromHex(item)
  return type === 0 ? encoded : `0x${type.toString(16).padStart(2, "0")}${encoded.slice(2)}`
}

const orNull = (encode: () => Hex.Hex): Hex.Hex | null => {
  try {
    return encode()
  } catch (cause) {
    if (cause instanceof Unknown) return null
    throw cause
  }
}

/**
 * Encodes a transaction; the Keccak-256 of the bytes is its hash. `null` if the type is unknown.
 */
export const transaction = (value: Transaction): Hex.Hex | null => {
  const type = value.type ?? 0
  const payload = payloads[type]
  // Sound: each field is checked when it is encoded.
  return payload === undefined ? null : orNull(() => typed(type, payload(value)))
}

const depositType = 0x7e
const stateSyncType = 0x7f

const hashLength = 66

/**
 * Encodes a receipt of a transaction of `type`; `null` if the type is unknown. With `hasStateRoot` the receipt has a state root instead of
 * its status (EIP-658); the result is `null` if the node omits that root.
 */
export const receipt = (value: Receipt, type: number, hasStateRoot = false): Hex.Hex | null => {
  if (payloads[type] === undefined && type !== stateSyncType) return null
  const { cumulativeGasUsed, depositNonce, depositReceiptVersion, logs, logsBloom, root, status } = value
  if (hasStateRoot && root?.length !== hashLength) return null
  const outcome = hasStateRoot || status == null ? data(root) : number(status)
  const written = logs.map((log) => [log.address, log.topics, log.data] as ReadonlyArray<Item>)
  const deposit =
    type === depositType && depositReceiptVersion != null ? [number(depositNonce), number(depositReceiptVersion)] : []
  return typed(type, [outcome, number(cumulativeGasUsed), logsBloom, written, ...deposit])
}
