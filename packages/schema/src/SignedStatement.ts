/**
 * Statements of wallets that a stranger can check: a file with the chain, its blocks, balances, proofs and a digest of the rows, signed
 * by a key of the operator.
 */
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { leaf, oneOf, orEmpty } from "./internal/leaf.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import { unread } from "./internal/coder.ts"
import * as Movement from "./Movement.ts"
import * as Statement from "./Statement.ts"
import * as Timestamp from "./Timestamp.ts"

/**
 * Name and version of the form of the file.
 *
 * Source: decision 0050.
 */
export type Format = "daybook-statement-1"

const literal = <const A extends string>(...values: ReadonlyArray<A>): Schema.Codec<A> =>
  leaf<A, A>({
    expected: values.join(" or "),
    wire: Schema.Literals(values),
    // Sound: the list has values of the type alone.
    read: (input) => ((values as ReadonlyArray<unknown>).includes(input) ? (input as A) : unread),
    write: (value) => value,
    type: oneOf(values),
  })

const signedBlockCodec = open("SignedBlock", {
  /** Block number. */
  number: Decimal.Decimal,
  /** Block hash. */
  hash: Hash.Hash,
})

export interface SignedBlock extends Schema.Schema.Type<typeof signedBlockCodec> {}

/** Encoded form of `SignedBlock`: the values of its JSON. */
export interface SignedBlockWire extends Schema.Codec.Encoded<typeof signedBlockCodec> {}

/**
 * A block that a signed statement depends on.
 *
 * Source: decision 0050.
 */
export const SignedBlock: Named<typeof signedBlockCodec, SignedBlock, SignedBlockWire> = signedBlockCodec

const held = {
  /** What is held: `native`, or the address of a token. */
  asset: Movement.Asset,
  /** Standard of the asset, by which its balance is read of the chain. */
  standard: literal("native", "erc20", "erc721", "erc1155"),
  /** Id of the token; `null` for a fungible asset, and for the number of tokens of an ERC-721 contract. */
  token_id: orEmpty(Decimal.Decimal, null),
}

const signedBalanceCodec = open("SignedBalance", {
  ...held,
  /** Amount in the smallest unit of the asset. */
  balance: Decimal.Signed,
})

export interface SignedBalance extends Schema.Schema.Type<typeof signedBalanceCodec> {}

/** Encoded form of `SignedBalance`: the values of its JSON. */
export interface SignedBalanceWire extends Schema.Codec.Encoded<typeof signedBalanceCodec> {}

/**
 * What a wallet of a signed statement holds of one asset.
 *
 * Source: decision 0050.
 */
export const SignedBalance: Named<typeof signedBalanceCodec, SignedBalance, SignedBalanceWire> = signedBalanceCodec

const signedSumCodec = open("SignedSum", {
  ...held,
  /** Kind of the movements. */
  kind: Movement.Movement.fields.kind,
  /** Number of movements. */
  count: Decimal.SafeInteger,
  /** Sum of what the wallet received, in the smallest unit of the asset. */
  in: Decimal.Signed,
  /** Sum of what it paid, in the smallest unit of the asset: negative or 0. */
  out: Decimal.Signed,
})

export interface SignedSum extends Schema.Schema.Type<typeof signedSumCodec> {}

/** Encoded form of `SignedSum`: the values of its JSON. */
export interface SignedSumWire extends Schema.Codec.Encoded<typeof signedSumCodec> {}

/**
 * Movements of one kind of an asset in a signed statement.
 *
 * Source: decision 0050.
 */
export const SignedSum: Named<typeof signedSumCodec, SignedSum, SignedSumWire> = signedSumCodec

const sentCodec = open("SentTransactions", {
  /** Transaction count of the wallet after the opening block. */
  opening: Decimal.Decimal,
  /** Transaction count of the wallet after the closing block. */
  closing: Decimal.Decimal,
})

export interface SentTransactions extends Schema.Schema.Type<typeof sentCodec> {}

/** Encoded form of `SentTransactions`: the values of its JSON. */
export interface SentTransactionsWire extends Schema.Codec.Encoded<typeof sentCodec> {}

/**
 * Transaction counts of a wallet at both ends of a signed statement.
 *
 * Source: decision 0050.
 */
export const SentTransactions: Named<typeof sentCodec, SentTransactions, SentTransactionsWire> = sentCodec

const rowsCodec = open("SignedRows", {
  /** Number of movements in the range. */
  count: Decimal.SafeInteger,
  /** SHA-256 of the movements in their order, each a line of JSON. */
  sha256: Hash.Hash,
})

export interface SignedRows extends Schema.Schema.Type<typeof rowsCodec> {}

/** Encoded form of `SignedRows`: the values of its JSON. */
export interface SignedRowsWire extends Schema.Codec.Encoded<typeof rowsCodec> {}

/**
 * The movements that a signed statement sums up, by their number and their digest.
 *
 * Source: decision 0050.
 */
export const SignedRows: Named<typeof rowsCodec, SignedRows, SignedRowsWire> = rowsCodec

const walletCodec = open("SignedWallet", {
  /** The wallet. */
  address: Address.Address,
  /** What it held after the opening block. */
  opening: Schema.Array(SignedBalance),
  /** What moved in the range, one sum for each asset, id and kind. */
  sums: Schema.Array(SignedSum),
  /** What it holds after the closing block: opening balances and sums added up. */
  closing: Schema.Array(SignedBalance),
  /** Its transaction counts; `null` for a contract, whose count is that of its creations. */
  sent_transactions: objectOrNull(SentTransactions),
  /** True where the maker has compared everything with the state of the closing block, and nothing differed. */
  proved: Schema.Boolean,
  /** What the maker has verified against the state root of the closing block: `native`, `nonce`; for the rest it trusted its node. */
  by_state_root: Schema.Array(literal("native", "nonce")),
  /** Assets of which the chain states another amount than the movements. */
  differences: Schema.Array(Statement.Difference),
  /** What the statement does not cover, in sentences. */
  not_covered: Schema.Array(Schema.String),
  /** The movements. */
  rows: SignedRows,
})

export interface SignedWallet extends Schema.Schema.Type<typeof walletCodec> {}

/** Encoded form of `SignedWallet`: the values of its JSON. */
export interface SignedWalletWire extends Schema.Codec.Encoded<typeof walletCodec> {}

/**
 * One wallet of a signed statement.
 *
 * Source: decision 0050.
 */
export const SignedWallet: Named<typeof walletCodec, SignedWallet, SignedWalletWire> = walletCodec

const digestCodec = open("WalletDigest", {
  /** The wallet. */
  address: Address.Address,
  /** SHA-256 of the canonical JSON of its part of the statement. */
  sha256: Hash.Hash,
})

export interface WalletDigest extends Schema.Schema.Type<typeof digestCodec> {}

/** Encoded form of `WalletDigest`: the values of its JSON. */
export interface WalletDigestWire extends Schema.Codec.Encoded<typeof digestCodec> {}

/**
 * Digest of one wallet's part of a signed statement.
 *
 * Source: decision 0050.
 */
export const WalletDigest: Named<typeof digestCodec, WalletDigest, WalletDigestWire> = digestCodec

const headerCodec = open("StatementHeader", {
  /** Name and version of this form. */
  format: literal<Format>("daybook-statement-1"),
  /** Name and version of the program that made it. */
  made_by: Schema.String,
  /** Time at which it was made. */
  made_at: Timestamp.Timestamp,
  /** Revision of the rules by which movements are made of blocks. */
  ledger_revision: Decimal.SafeInteger,
  /** `index`: from the index of a service. `node`: from a node alone, by a search. */
  source: literal("index", "node"),
  /** Id of the chain (EIP-155). */
  chain_id: Decimal.Decimal,
  /** First block of the range. */
  from_block: Decimal.Decimal,
  /** Block of the opening balances: the one before the range, or block 0. */
  opening_block: SignedBlock,
  /** Last block of the range, at which the balances are compared. */
  closing_block: SignedBlock,
  /** The wallets, with a digest of the part of each. */
  wallets: Schema.Array(WalletDigest),
})

export interface StatementHeader extends Schema.Schema.Type<typeof headerCodec> {}

/** Encoded form of `StatementHeader`: the values of its JSON. */
export interface StatementHeaderWire extends Schema.Codec.Encoded<typeof headerCodec> {}

/**
 * The signed part of a statement: what it is about, and digests of everything else.
 *
 * Source: decision 0050.
 */
export const StatementHeader: Named<typeof headerCodec, StatementHeader, StatementHeaderWire> = headerCodec

const signatureCodec = open("StatementSignature", {
  /** Algorithm of the signature: Ed25519 over the canonical JSON of the header, as UTF-8. */
  algorithm: literal("ed25519"),
  /** Public key, 32 bytes. */
  public_key: Hash.Hash,
  /** The signature, 64 bytes. */
  value: Hex.bytes("64 bytes of hex", 64),
})

export interface StatementSignature extends Schema.Schema.Type<typeof signatureCodec> {}

/** Encoded form of `StatementSignature`: the values of its JSON. */
export interface StatementSignatureWire extends Schema.Codec.Encoded<typeof signatureCodec> {}

/**
 * Signature of a statement by a key of its maker.
 *
 * Source: RFC 8032, RFC 8785; decision 0050.
 */
export const StatementSignature: Named<typeof signatureCodec, StatementSignature, StatementSignatureWire> =
  signatureCodec

const signedStatementCodec = open("SignedStatement", {
  /** What the statement is about, which is signed. */
  header: StatementHeader,
  /** The wallets, in the order of the header. */
  statements: Schema.Array(SignedWallet),
  /** The signature. */
  signature: StatementSignature,
})

export interface SignedStatement extends Schema.Schema.Type<typeof signedStatementCodec> {}

/** Encoded form of `SignedStatement`: the values of its JSON. */
export interface SignedStatementWire extends Schema.Codec.Encoded<typeof signedStatementCodec> {}

/**
 * A statement of wallets that anyone can check by the public key of its maker and an archive node.
 *
 * **Example** (Finding what is missing)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 * import * as SignedStatement from "@daybook/schema/SignedStatement"
 *
 * const [issue] = Issue.find(SignedStatement.SignedStatement, {})
 * console.log(issue?.path, issue?.received) // header nothing
 * ```
 *
 * Source: decision 0050.
 */
export const SignedStatement: Named<typeof signedStatementCodec, SignedStatement, SignedStatementWire> =
  signedStatementCodec

/**
 * Keys of a signed statement that the schema does not know, with the values received.
 *
 * Source: decision 0020.
 */
export const extras = (value: SignedStatement): Readonly<Record<string, unknown>> => SignedStatement.extras(value)

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

/**
 * Canonical JSON of a value of text, truth values, `null`, arrays and objects: keys sorted, and no white space (RFC 8785).
 *
 * **Example** (Sorting keys)
 *
 * ```ts
 * import * as SignedStatement from "@daybook/schema/SignedStatement"
 *
 * console.log(SignedStatement.canonicalJson({ b: "1", a: [true, null] })) // {"a":[true,null],"b":"1"}
 * ```
 *
 * Source: RFC 8785; decision 0050.
 */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

/**
 * The file of a signed statement, as `daybook verify-statement` reads it: its canonical JSON and a line feed.
 *
 * **Example** (Keeping what a service has signed)
 *
 * ```ts
 * import * as SignedStatement from "@daybook/schema/SignedStatement"
 *
 * declare const statement: SignedStatement.SignedStatement
 * export const file = () => SignedStatement.toText(statement)
 * ```
 *
 * Source: decision 0050.
 */
export const toText = (statement: SignedStatement): string =>
  `${canonicalJson(SchemaParser.encodeSync(SignedStatement)(statement))}\n`
