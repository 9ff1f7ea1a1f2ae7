/**
 * Blocks in which some transactions may fail to decode. They are a separate module so that clients do not bundle them. Exported under
 * `Block`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Issue from "../Issue.ts"
import * as Transaction from "../Transaction.ts"
import { header, noUncles } from "./blockHeader.ts"
import { coderOf, type Step, unread, withCoder } from "./coder.ts"
import { same } from "./leaf.ts"
import { type Named, open } from "./open.ts"

/**
 * Transaction of a `PartialBlock` that failed to decode.
 *
 * Source: decision 0020.
 */
export interface Undecodable {
  readonly _tag: "Undecodable"
  /** Transaction as received; encoded unchanged. */
  readonly raw: unknown
  /** First issue: `Invalid transaction "from": expected an address of 20 bytes in hex, received "0x12".` */
  readonly reason: string
}

/**
 * Returns true for an entry of a `PartialBlock` that failed to decode.
 *
 * **Example** (Skipping entries that failed to decode)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 *
 * const entry: Block.Undecodable = { _tag: "Undecodable", raw: {}, reason: "no type" }
 * console.log(Block.isUndecodable(entry)) // true
 * ```
 *
 * Source: decision 0020.
 */
export const isUndecodable = (entry: Transaction.Transaction | Undecodable): entry is Undecodable =>
  "_tag" in entry && entry._tag === "Undecodable"

const transactionCoder = coderOf(Transaction.Transaction)!

const readEntry: Step = (input) => {
  const transaction = transactionCoder.read(input)
  if (transaction !== unread) return transaction
  const [issue] = Issue.find(Transaction.Transaction, input)
  return { _tag: "Undecodable", raw: input, reason: issue === undefined ? "" : Issue.format("transaction", issue) }
}

const writeEntry: Step = (entry) =>
  typeof entry === "object" && entry !== null && "_tag" in entry && entry._tag === "Undecodable" && "raw" in entry
    ? entry.raw
    : transactionCoder.write(entry)

const Entry = withCoder(
  Schema.declareConstructor<Transaction.Transaction | Undecodable, unknown>()(
    [Transaction.Transaction],
    ([codec]) => {
      const isReading = codec.ast === Transaction.Transaction.ast
      const parse = SchemaParser.decodeUnknownEffect(codec)
      return (input, _ast, options) => {
        const output = isReading ? readEntry(input) : writeEntry(input)
        // Only encoding fails here; the parser then builds the error.
        return output === unread
          ? parse(input, options)
          : Effect.succeed(output as Transaction.Transaction | Undecodable)
      }
    },
    {
      expected: "a transaction",
      toCodecJson: ([codec]) => same(codec),
      toCodecArbitrary: ({ typeParameters: [codec] }) => same(codec),
    },
  ),
  { read: readEntry, write: writeEntry },
)

const partialBlockCodec = open(
  "PartialBlock",
  {
    ...header,
    /** Transactions, in block order; `isUndecodable` finds those that failed to decode. */
    transactions: Schema.Array(Entry),
  },
  noUncles,
)

export interface PartialBlock extends Schema.Schema.Type<typeof partialBlockCodec> {}

/** Encoded form of `PartialBlock`: the values of its JSON. */
export interface PartialBlockWire extends Schema.Codec.Encoded<typeof partialBlockCodec> {}

/**
 * Block with full transactions, where a transaction that fails to decode becomes an `Undecodable` entry instead of failing the block. Every
 * other field of the block is still required to decode.
 *
 * **Gotchas**
 *
 * Check entries with `isUndecodable`: a program that skips them loses transactions without an error.
 *
 * **Example** (Finding issues outside the transactions)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Issue from "@daybook/schema/Issue"
 *
 * const [issue] = Issue.find(Block.PartialBlock, { number: "0x1", transactions: [{}] })
 * console.log(issue?.path) // hash
 * ```
 *
 * Source: docs/interface.md#2.8; decision 0020.
 */
export const PartialBlock: Named<typeof partialBlockCodec, PartialBlock, PartialBlockWire> = partialBlockCodec
