/**
 * The row of the last comparison of a wallet's ledger with the state of the chain. Pure.
 *
 * Source: decision 0050.
 */
import * as Schema from "effect/Schema"
import * as Holding from "../../ledger/Holding.ts"
import type { WalletProof } from "../Proofs.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** The columns of a row. */
export type Columns = readonly [
  ...[wallet: Uint8Array, first: number, block: number, hash: Uint8Array, body: string],
  checksum: number,
]

const Block = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Body = Schema.Struct({
  provedBlock: Schema.NullOr(Block),
  holdings: Schema.Array(
    Schema.Struct({
      holding: Schema.Struct({
        standard: Schema.Literals(Holding.standards),
        asset: Schema.String,
        tokenId: Schema.NullOr(Schema.String),
      }),
      block: Block,
      expected: Schema.BigIntFromString,
      found: Schema.NullOr(Schema.BigIntFromString),
      firstBlock: Schema.NullOr(Block),
      isByStateRoot: Schema.optionalKey(Schema.Boolean),
    }),
  ),
  unchecked: Schema.Array(Schema.String),
})

const encode = Schema.encodeSync(Schema.fromJsonString(Body))

/** Decodes a body whose checksum was verified: it may have thousands of holdings, for which decoding by the schema would take long. */
const decode = (text: string): typeof Body.Type => {
  // Sound: a row that matches its checksum was written by `make`.
  const body = JSON.parse(text) as typeof Body.Encoded
  return {
    ...body,
    holdings: body.holdings.map(({ expected, found, ...rest }) => ({
      ...rest,
      expected: BigInt(expected),
      found: found === null ? null : BigInt(found),
    })),
  }
}

/** Makes a row. */
export const make = ({ block, first, wallet, ...body }: WalletProof): Columns => {
  const values = [fromHex(wallet), first, block.number, fromHex(block.hash), encode(body)] as const
  return [...values, Checksum.fromValues(values)]
}

/** Reads a row; `null` for a damaged one, which counts as missing: the wallet is compared again. */
export const read = (row: Columns): WalletProof | null => {
  const [wallet, first, number, hash, text, checksum] = row
  if (!Checksum.isOf(row.slice(0, -1), checksum)) return null
  return { wallet: toHex(wallet), first, block: { number, hash: toHex(hash) }, ...decode(text) }
}
