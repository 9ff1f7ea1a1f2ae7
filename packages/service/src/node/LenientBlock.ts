/**
 * Reads a block that does not decode as a whole. Its links must decode. Any other header field is omitted, as is any transaction field that
 * no record shows; a transaction with an invalid field that a record would show is omitted entirely. Omissions are listed.
 *
 * Source: decision 0035.
 */
import * as Block from "@daybook/schema/Block"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as Hash from "@daybook/schema/Hash"
import * as Issue from "@daybook/schema/Issue"
import * as Quantity from "@daybook/schema/Quantity"
import * as Transaction from "@daybook/schema/Transaction"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Undecoded from "../verification/Undecoded.ts"
import * as LenientObject from "./LenientObject.ts"

/**
 * A block, as far as it decodes.
 */
export interface LenientBlock {
  /** Without the fields and transactions that do not decode. */
  readonly block: HydratedBlock
  readonly undecoded: Undecoded.Undecoded
}

const { transactions: _, ...headerFields } = Block.HydratedBlock.fields

const links = new Set(["number", "hash", "parentHash", "timestamp"])

const { type: unknownType, ...transactionFields } = Transaction.Unknown.fields

const fieldsOfUnknown = { ...transactionFields, type: Schema.optionalKey(Quantity.SafeIntegerOrNull) }
const fieldsOfKnown = { ...fieldsOfUnknown, nonce: Schema.optionalKey(Quantity.SafeIntegerOrNull) }

/** Fields that each transaction must have, because a record shows them. */
const common = new Set(["hash", "from"])
/** Required fields of transactions of known types, and the fees of Ethereum's types. */
const known = new Set([...common, "to", "value", "input", "gas", "nonce"])
const priced = new Set([...known, "gasPrice"])
const feeMarket = new Set([...known, "maxFeePerGas", "maxPriorityFeePerGas"])
/** Fields that records show if a transaction has them. */
const shown = new Set([...priced, ...feeMarket])

const memberOf = (raw: unknown, key: string): unknown => (LenientObject.isObject(raw) ? raw[key] : undefined)

const decode = Schema.decodeUnknownOption(Transaction.Transaction)
const decodePrice = Schema.decodeUnknownOption(Quantity.Quantity)
const decodeType = Schema.decodeUnknownOption(Quantity.SafeInteger)

const requiredOf = (raw: unknown): ReadonlySet<string> => {
  const type = memberOf(raw, "type")
  if (Result.isSuccess(LenientObject.readField("type", unknownType, type))) return common
  const number = type === undefined ? 0 : Option.getOrElse(decodeType(type), () => -1)
  if (number === 0 || number === 1) return priced
  if (number < 2 || number > 4) return known
  // The price that was paid suffices for a record.
  return Option.isSome(decodePrice(memberOf(raw, "gasPrice"))) ? known : feeMarket
}

const decodeHash = Schema.decodeUnknownOption(Hash.Hash)

/** A transaction as far as it decodes, and the issues. */
interface Entry {
  readonly transaction: Transaction.Transaction | null
  readonly undecoded: Undecoded.UndecodedPart | null
}

const readTransaction = (raw: unknown, position: number): Entry => {
  const decoded = decode(raw)
  if (Option.isSome(decoded)) return { transaction: decoded.value, undecoded: null }
  const what = `transaction ${position}`
  const required = requiredOf(raw)
  const read = LenientObject.read(required === common ? fieldsOfUnknown : fieldsOfKnown, raw, { required, shown })
  const hash = Option.getOrNull(decodeHash(memberOf(raw, "hash")))
  if (Result.isFailure(read)) {
    const reason = Issue.format(what, read.failure)
    return { transaction: null, undecoded: { hash, reason, isLeftOut: true } }
  }
  // What does not decode may be a field specific to the type.
  const [issue = { path: "", expected: "its fields", received: "others" }] = [
    ...read.success.issues,
    ...Issue.find(Transaction.Transaction, raw),
  ]
  // Sound: the fields that are used without a check have decoded; others may be absent, as for an unknown type.
  const transaction = read.success.value as unknown as Transaction.Transaction
  return { transaction, undecoded: { hash, reason: Issue.format(what, issue), isLeftOut: false } }
}

/** Position of a transaction that does not state its index, since earlier transactions may be omitted. */
const placed = (transaction: Transaction.Transaction, position: number): Transaction.Transaction =>
  transaction.transactionIndex == null ? Object.assign({}, transaction, { transactionIndex: position }) : transaction

/**
 * Reads a block. Fails with an issue if its number, hash, parent or time does not decode, or its transactions are not a list.
 */
export const read = (raw: unknown): Result.Result<LenientBlock, Issue.Issue> =>
  Result.flatMap(LenientObject.read(headerFields, raw, { required: links, shown: links }), ({ issues, value }) => {
    // Old nodes of Cosmos chains send `null` for an empty list; verification detects gas without transactions.
    const list = value["transactions"] === null ? [] : value["transactions"]
    if (!Array.isArray(list)) {
      return Result.fail({ path: "transactions", expected: "a list", received: Issue.describe(list) })
    }
    const entries = list.map(readTransaction)
    const isWhole = entries.every(({ transaction }) => transaction !== null)
    const transactions = entries.flatMap(({ transaction }, position) => {
      if (transaction === null) return []
      return [isWhole ? transaction : placed(transaction, position)]
    })
    const undecoded: Undecoded.Undecoded = {
      header: new Map(issues.map((issue) => [issue.path.split(/[.[]/)[0] ?? "", Issue.format("block", issue)])),
      transactions: entries.flatMap((entry) => (entry.undecoded === null ? [] : [entry.undecoded])),
      receipts: [],
    }
    // Sound: the links have decoded, and what else is used of a header is checked where it is used.
    return Result.succeed({ block: { ...value, transactions } as unknown as HydratedBlock, undecoded })
  })

/**
 * Number, hash, parent and time of a block whose other fields may not decode; `null` for a pending or missing block.
 */
export const readLinks = (raw: unknown): Result.Result<HydratedBlock | null, Issue.Issue> =>
  raw === null
    ? Result.succeed(null)
    : Result.map(
        LenientObject.read(headerFields, raw, { required: links, shown: links }),
        // Sound: the links have decoded, and nothing else is used.
        ({ value }) => value as unknown as HydratedBlock,
      )
