/** The same resources in zod, with codecs; keeps unknown keys. */
import { z } from "zod"
import type { Subject } from "../measure.ts"

const quantity = z.codec(z.string().regex(/^0x[0-9a-f]+$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => `0x${value.toString(16)}`,
})
const index = z.codec(z.string().regex(/^0x[0-9a-f]+$/), z.number(), {
  decode: (text) => Number(text),
  encode: (value) => `0x${value.toString(16)}`,
})
const decimal = z.codec(z.string().regex(/^[0-9]+$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
})
const count = z.codec(z.string().regex(/^[0-9]+$/), z.number(), {
  decode: (text) => Number(text),
  encode: (value) => value.toString(),
})
const empty = <S extends z.ZodType<string>>(inner: S) =>
  z.codec(z.union([z.literal(""), inner]), z.union([z.null(), z.string()]), {
    decode: (text) => (text === "" ? null : text) as never,
    encode: (value) => (value ?? "") as never,
  })
const instant = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (value) => value.toISOString(),
})
const bytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const digits = z.string().regex(/^0x[0-9a-f]+$/)

const common = {
  hash,
  blockHash: hash.nullable(),
  blockNumber: quantity.nullable(),
  transactionIndex: index.nullable(),
  from: address,
  to: address.nullable(),
  value: quantity,
  input: bytes,
  gas: quantity,
  nonce: index,
  v: quantity,
  r: digits,
  s: digits,
  yParity: quantity.optional(),
}
const entry = z.looseObject({ address, storageKeys: z.array(hash) })
const fees = {
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  gasPrice: quantity.optional(),
  chainId: quantity,
}
const transaction = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("0x0"), ...common, gasPrice: quantity, chainId: quantity.optional() }),
  z.looseObject({
    type: z.literal("0x1"),
    ...common,
    gasPrice: quantity,
    chainId: quantity,
    accessList: z.array(entry),
  }),
  z.looseObject({ type: z.literal("0x2"), ...common, ...fees, accessList: z.array(entry).optional() }),
  z.looseObject({
    type: z.literal("0x4"),
    ...common,
    ...fees,
    accessList: z.array(entry).optional(),
    authorizationList: z.array(z.looseObject({ chainId: quantity, address, nonce: quantity })),
  }),
])
const header = {
  number: quantity,
  hash,
  parentHash: hash,
  nonce: bytes,
  sha3Uncles: hash,
  logsBloom: bytes,
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  miner: address,
  difficulty: quantity,
  extraData: bytes,
  size: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity,
  uncles: z.array(hash),
  baseFeePerGas: quantity.optional(),
}
const item = z.looseObject({
  signature: z.string(),
  label: z.string(),
  type: z.string(),
  params: z.array(z.looseObject({ name: z.string(), value: z.string(), type: z.string() })),
})
const placed = { block_timestamp: instant, block_number: decimal, block_hash: hash }
const log = z.looseObject({
  log_index: count,
  transaction_hash: hash,
  transaction_index: count,
  address,
  data: bytes,
  topic0: empty(hash),
  topic1: empty(hash),
  topic2: empty(hash),
  topic3: empty(hash),
  ...placed,
  decoded_event: item.nullable(),
})
const record = z.looseObject({
  hash,
  nonce: count,
  transaction_index: count,
  from_address: address,
  to_address: address.nullable(),
  from_address_label: z.string().nullable(),
  to_address_label: z.string().nullable(),
  value: decimal,
  gas: decimal,
  gas_price: decimal,
  input: bytes,
  receipt_cumulative_gas_used: decimal,
  receipt_gas_used: decimal,
  receipt_contract_address: empty(address),
  receipt_root: empty(bytes),
  receipt_status: count,
  ...placed,
  logs: z.array(log),
  decoded_call: item.nullable(),
})

const both = (schema: z.ZodType) => ({
  decode: (json: unknown) => z.decode(schema, json as never),
  encode: (value: unknown) => z.encode(schema, value as never),
})

export const subject: Subject = {
  page: both(z.looseObject({ cursor: z.string().nullable(), page: count, page_size: count, result: z.array(record) })),
  block: both(z.looseObject({ ...header, transactions: z.array(transaction) })),
  hashes: both(z.looseObject({ ...header, transactions: z.array(hash) })),
}
