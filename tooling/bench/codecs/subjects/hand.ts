/** A handwritten validating decoder and encoder for only these resources; keeps unknown keys. */
import type { Subject } from "../measure.ts"

type Step = (value: any) => any

const fail = (what: string): never => {
  throw new Error(`expected ${what}`)
}
const matches =
  (pattern: RegExp, what: string): Step =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? value : fail(what)

const hash = matches(/^0x[0-9a-f]{64}$/, "a hash")
const address = matches(/^0x[0-9a-f]{40}$/, "an address")
const bytes = matches(/^0x(?:[0-9a-f]{2})*$/, "bytes")
const digits = matches(/^0x[0-9a-f]+$/, "hex digits")
const decimals = matches(/^[0-9]+$/, "digits")
const text: Step = (value) => (typeof value === "string" ? value : fail("text"))
const same: Step = (value) => value
const quantity: Step = (value) => BigInt(digits(value))
const index: Step = (value) => Number(digits(value))
const decimal: Step = (value) => BigInt(decimals(value))
const count: Step = (value) => Number(decimals(value))
const instant: Step = (value) => {
  const date = new Date(text(value))
  return Number.isNaN(date.getTime()) ? fail("a date") : date
}
const orNull =
  (step: Step): Step =>
  (value) =>
    value === null ? null : step(value)
const orEmpty =
  (step: Step): Step =>
  (value) =>
    value === "" ? null : step(value)
const many =
  (step: Step): Step =>
  (value) =>
    Array.isArray(value) ? value.map(step) : fail("a list")

const toHex: Step = (value) => `0x${value.toString(16)}`
const toText: Step = (value) => value.toString()
const toInstant: Step = (value) => value.toISOString()
const toEmpty: Step = (value) => value ?? ""

const transactionIn: Step = (value) => {
  const out = {
    ...value,
    hash: hash(value.hash),
    blockHash: orNull(hash)(value.blockHash),
    blockNumber: orNull(quantity)(value.blockNumber),
    transactionIndex: orNull(index)(value.transactionIndex),
    from: address(value.from),
    to: orNull(address)(value.to),
    value: quantity(value.value),
    input: bytes(value.input),
    gas: quantity(value.gas),
    nonce: index(value.nonce),
    v: quantity(value.v),
    r: digits(value.r),
    s: digits(value.s),
    type: index(value.type),
  }
  for (const key of ["yParity", "gasPrice", "chainId", "maxFeePerGas", "maxPriorityFeePerGas"]) {
    if (out[key] !== undefined) out[key] = quantity(out[key])
  }
  return out
}
const transactionOut: Step = (value) => {
  const out = {
    ...value,
    blockNumber: orNull(toHex)(value.blockNumber),
    transactionIndex: orNull(toHex)(value.transactionIndex),
    value: toHex(value.value),
    gas: toHex(value.gas),
    nonce: toHex(value.nonce),
    v: toHex(value.v),
    type: toHex(value.type),
  }
  for (const key of ["yParity", "gasPrice", "chainId", "maxFeePerGas", "maxPriorityFeePerGas"]) {
    if (out[key] !== undefined) out[key] = toHex(out[key])
  }
  return out
}
const blockQuantities = ["number", "difficulty", "size", "gasLimit", "gasUsed", "timestamp"]
const blockHashes = ["hash", "parentHash", "sha3Uncles", "transactionsRoot", "stateRoot", "receiptsRoot"]
const blockMaybe = ["baseFeePerGas", "blobGasUsed", "excessBlobGas", "totalDifficulty"]
const blockIn =
  (transactions: Step): Step =>
  (value) => {
    const out = { ...value, transactions: many(transactions)(value.transactions), uncles: many(hash)(value.uncles) }
    for (const key of blockQuantities) out[key] = quantity(out[key])
    for (const key of blockHashes) hash(out[key])
    for (const key of blockMaybe) if (out[key] !== undefined) out[key] = quantity(out[key])
    address(out.miner)
    bytes(out.logsBloom)
    bytes(out.nonce)
    bytes(out.extraData)
    return out
  }
const blockOut =
  (transactions: Step): Step =>
  (value) => {
    const out = { ...value, transactions: value.transactions.map(transactions) }
    for (const key of blockQuantities) out[key] = toHex(out[key])
    for (const key of blockMaybe) if (out[key] !== undefined) out[key] = toHex(out[key])
    return out
  }

const itemIn: Step = (value) => {
  text(value.signature)
  text(value.label)
  text(value.type)
  for (const param of value.params) {
    text(param.name)
    text(param.value)
    text(param.type)
  }
  return value
}
const logIn: Step = (value) => ({
  ...value,
  log_index: count(value.log_index),
  transaction_hash: hash(value.transaction_hash),
  transaction_index: count(value.transaction_index),
  address: address(value.address),
  data: bytes(value.data),
  topic0: orEmpty(hash)(value.topic0),
  topic1: orEmpty(hash)(value.topic1),
  topic2: orEmpty(hash)(value.topic2),
  topic3: orEmpty(hash)(value.topic3),
  block_timestamp: instant(value.block_timestamp),
  block_number: decimal(value.block_number),
  block_hash: hash(value.block_hash),
  decoded_event: orNull(itemIn)(value.decoded_event),
})
const logOut: Step = (value) => ({
  ...value,
  log_index: toText(value.log_index),
  transaction_index: toText(value.transaction_index),
  topic0: toEmpty(value.topic0),
  topic1: toEmpty(value.topic1),
  topic2: toEmpty(value.topic2),
  topic3: toEmpty(value.topic3),
  block_timestamp: toInstant(value.block_timestamp),
  block_number: toText(value.block_number),
})
const recordIn: Step = (value) => ({
  ...value,
  hash: hash(value.hash),
  nonce: count(value.nonce),
  transaction_index: count(value.transaction_index),
  from_address: address(value.from_address),
  to_address: orNull(address)(value.to_address),
  from_address_label: orNull(text)(value.from_address_label),
  to_address_label: orNull(text)(value.to_address_label),
  value: decimal(value.value),
  gas: decimal(value.gas),
  gas_price: decimal(value.gas_price),
  input: bytes(value.input),
  receipt_cumulative_gas_used: decimal(value.receipt_cumulative_gas_used),
  receipt_gas_used: decimal(value.receipt_gas_used),
  receipt_contract_address: orEmpty(address)(value.receipt_contract_address),
  receipt_root: orEmpty(bytes)(value.receipt_root),
  receipt_status: count(value.receipt_status),
  block_timestamp: instant(value.block_timestamp),
  block_number: decimal(value.block_number),
  block_hash: hash(value.block_hash),
  logs: many(logIn)(value.logs),
  decoded_call: orNull(itemIn)(value.decoded_call),
})
const recordOut: Step = (value) => ({
  ...value,
  nonce: toText(value.nonce),
  transaction_index: toText(value.transaction_index),
  value: toText(value.value),
  gas: toText(value.gas),
  gas_price: toText(value.gas_price),
  receipt_cumulative_gas_used: toText(value.receipt_cumulative_gas_used),
  receipt_gas_used: toText(value.receipt_gas_used),
  receipt_contract_address: toEmpty(value.receipt_contract_address),
  receipt_root: toEmpty(value.receipt_root),
  receipt_status: toText(value.receipt_status),
  block_timestamp: toInstant(value.block_timestamp),
  block_number: toText(value.block_number),
  logs: value.logs.map(logOut),
})

export const subject: Subject = {
  page: {
    decode: (value: any) => ({
      ...value,
      cursor: orNull(text)(value.cursor),
      page: count(value.page),
      page_size: count(value.page_size),
      result: many(recordIn)(value.result),
    }),
    encode: (value: any) => ({
      ...value,
      page: toText(value.page),
      page_size: toText(value.page_size),
      result: value.result.map(recordOut),
    }),
  },
  block: { decode: blockIn(transactionIn), encode: blockOut(transactionOut) },
  hashes: { decode: blockIn(hash), encode: blockOut(same) },
}
