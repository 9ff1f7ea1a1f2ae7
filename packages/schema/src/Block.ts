/**
 * Blocks of JSON-RPC: with transaction hashes (`Block`), with full transactions (`HydratedBlock`), or with full transactions of which
 * some may fail to decode (`PartialBlock`).
 */
import * as Schema from "effect/Schema"
import * as Hash from "./Hash.ts"
import { header, noUncles } from "./internal/blockHeader.ts"
import { type Named, open } from "./internal/open.ts"
import type { PartialBlock } from "./internal/partialBlock.ts"
import * as Transaction from "./Transaction.ts"

export { Withdrawal, type WithdrawalWire } from "./internal/blockHeader.ts"

const blockCodec = open(
  "Block",
  {
    ...header,
    /** Transaction hashes, in block order. */
    transactions: Schema.Array(Hash.Hash),
  },
  noUncles,
)

export interface Block extends Schema.Schema.Type<typeof blockCodec> {}

/** Encoded form of `Block`: the values of its JSON. */
export interface BlockWire extends Schema.Codec.Encoded<typeof blockCodec> {}

/**
 * Block with transaction hashes, returned when the hydrated flag is false.
 *
 * **Details**
 *
 * Known fields of newer forks and of other chains are typed; unknown keys are kept and listed by `extras`.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Block.Block.fields.gasUsed)("0x5208")) // 21000n
 * ```
 *
 * Source: docs/interface.md#2.8; EIP-1559, EIP-4399, EIP-4788, EIP-4844, EIP-4895, EIP-7685, EIP-7843, EIP-7928; Nitro, coreth, go-opera, OpenEthereum;
 * decision 0020.
 */
export const Block: Named<typeof blockCodec, Block, BlockWire> = blockCodec

const uncleCodec = open("Uncle", header, noUncles)

export interface Uncle extends Schema.Schema.Type<typeof uncleCodec> {}

/** Encoded form of `Uncle`: the values of its JSON. */
export interface UncleWire extends Schema.Codec.Encoded<typeof uncleCodec> {}

/**
 * Uncle of a block: a header without its transactions.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Block.Uncle.fields.number)("0x10")) // 16n
 * ```
 *
 * Source: Ethereum JSON-RPC; Ethereum yellow paper 11.
 */
export const Uncle: Named<typeof uncleCodec, Uncle, UncleWire> = uncleCodec

const hydratedBlockCodec = open(
  "HydratedBlock",
  {
    ...header,
    /** Transactions, in block order. */
    transactions: Schema.Array(Transaction.Transaction),
  },
  noUncles,
)

export interface HydratedBlock extends Schema.Schema.Type<typeof hydratedBlockCodec> {}

/** Encoded form of `HydratedBlock`: the values of its JSON. */
export interface HydratedBlockWire extends Schema.Codec.Encoded<typeof hydratedBlockCodec> {}

/**
 * Block with full transactions, returned when the hydrated flag is true. The other fields are those of `Block`.
 *
 * **Example** (Finding what is wrong with a response)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Issue from "@daybook/schema/Issue"
 *
 * const [issue] = Issue.find(Block.HydratedBlock, { number: "latest" })
 * console.log(Issue.format("block", issue!))
 * // Invalid block "number": expected a hex quantity of at most 256 bits such as 0x1f, or null, received "latest".
 * ```
 *
 * Source: docs/interface.md#2.8; decision 0020.
 */
export const HydratedBlock: Named<typeof hydratedBlockCodec, HydratedBlock, HydratedBlockWire> = hydratedBlockCodec

export { isUndecodable, PartialBlock, type PartialBlockWire, type Undecodable } from "./internal/partialBlock.ts"

/**
 * Unknown keys of a block, with the values received.
 *
 * **Example** (Listing the fields of a chain)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 *
 * declare const block: Block.Block
 * export const extras = () => Block.extras(block) // as { l1BlockNumber: "0x10" }
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (block: Block | HydratedBlock | PartialBlock): Readonly<Record<string, unknown>> =>
  Block.extras(block)
