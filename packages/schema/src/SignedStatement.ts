/**
 * Wallet statements that anyone can verify: a file with the chain, its blocks, balances, proofs and a digest of the rows, signed by a key
 * of the operator.
 */
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { literals, orEmpty } from "./internal/leaf.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import * as Movement from "./Movement.ts"
import * as Statement from "./Statement.ts"
import * as Timestamp from "./Timestamp.ts"

/**
 * Name and version of the file format.
 *
 * Source: decision 0050.
 */
export type Format = "daybook-statement-1"

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
  /** Asset held: `native`, or a token address. */
  asset: Movement.Asset,
  /** Standard of the asset, which determines how its balance is read from the chain. */
  standard: literals("native", "erc20", "erc721", "erc1155"),
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
 * Balance of a wallet in one asset, in a signed statement.
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
 * Movements of an asset of one kind, in a signed statement.
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
  /** SHA-256 of the movements in order, each as a line of JSON. */
  sha256: Hash.Hash,
})

export interface SignedRows extends Schema.Schema.Type<typeof rowsCodec> {}

/** Encoded form of `SignedRows`: the values of its JSON. */
export interface SignedRowsWire extends Schema.Codec.Encoded<typeof rowsCodec> {}

/**
 * Number and digest of the movements that a signed statement sums up.
 *
 * Source: decision 0050.
 */
export const SignedRows: Named<typeof rowsCodec, SignedRows, SignedRowsWire> = rowsCodec

const walletCodec = open("SignedWallet", {
  /** The wallet. */
  address: Address.Address,
  /** Balances after the opening block. */
  opening: Schema.Array(SignedBalance),
  /** Movements in the range, one sum for each asset, id and kind. */
  sums: Schema.Array(SignedSum),
  /** Balances after the closing block: opening balances plus sums. */
  closing: Schema.Array(SignedBalance),
  /** Its transaction counts; `null` for a contract, whose nonce counts its creations. */
  sent_transactions: objectOrNull(SentTransactions),
  /** True if the issuer compared everything with the state of the closing block, without differences. */
  proved: Schema.Boolean,
  /** What the issuer verified against the state root of the closing block: `native`, `nonce`. For the rest it trusted its node. */
  by_state_root: Schema.Array(literals("native", "nonce")),
  /** Assets whose balance on the chain differs from the movements. */
  differences: Schema.Array(Statement.Difference),
  /** What the statement does not cover, as sentences. */
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
  /** Name and version of this format. */
  format: literals<Format>("daybook-statement-1"),
  /** Name and version of the program that created it. */
  made_by: Schema.String,
  /** Time at which it was created. */
  made_at: Timestamp.Timestamp,
  /** Revision of the rules that derive movements from blocks. */
  ledger_revision: Decimal.SafeInteger,
  /** `index`: from the index of a service. `node`: from a node only, by a search. */
  source: literals("index", "node"),
  /** Id of the chain (EIP-155). */
  chain_id: Decimal.Decimal,
  /** First block of the range. */
  from_block: Decimal.Decimal,
  /** Block of the opening balances: the block before the range, or block 0. */
  opening_block: SignedBlock,
  /** Last block of the range, at which the balances are compared. */
  closing_block: SignedBlock,
  /** The wallets, each with the digest of its part. */
  wallets: Schema.Array(WalletDigest),
})

export interface StatementHeader extends Schema.Schema.Type<typeof headerCodec> {}

/** Encoded form of `StatementHeader`: the values of its JSON. */
export interface StatementHeaderWire extends Schema.Codec.Encoded<typeof headerCodec> {}

/**
 * The signed part of a statement: its subject, and digests of everything else.
 *
 * Source: decision 0050.
 */
export const StatementHeader: Named<typeof headerCodec, StatementHeader, StatementHeaderWire> = headerCodec

const signatureCodec = open("StatementSignature", {
  /** Algorithm of the signature: Ed25519 over the canonical JSON of the header, as UTF-8. */
  algorithm: literals("ed25519"),
  /** Public key, 32 bytes. */
  public_key: Hash.Hash,
  /** The signature, 64 bytes. */
  value: Hex.bytes("64 bytes of hex", 64),
})

export interface StatementSignature extends Schema.Schema.Type<typeof signatureCodec> {}

/** Encoded form of `StatementSignature`: the values of its JSON. */
export interface StatementSignatureWire extends Schema.Codec.Encoded<typeof signatureCodec> {}

/**
 * Signature of a statement by a key of its issuer.
 *
 * Source: RFC 8032, RFC 8785; decision 0050.
 */
export const StatementSignature: Named<typeof signatureCodec, StatementSignature, StatementSignatureWire> =
  signatureCodec

const signedStatementCodec = open("SignedStatement", {
  /** The signed header: the subject of the statement. */
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
 * A wallet statement that anyone can verify with the public key of its issuer and an archive node.
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
 * Unknown keys of a signed statement, with the values received.
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
 * Formats a value of strings, booleans, `null`, arrays and objects as canonical JSON: sorted keys, no white space (RFC 8785).
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
 * Formats a signed statement as the file that `daybook verify-statement` reads: its canonical JSON and a line feed.
 *
 * **Example** (Storing a signed statement)
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
