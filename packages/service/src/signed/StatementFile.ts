/**
 * The file of a signed statement: built and signed from what is known about wallets, and parsed with every check that needs no node. Pure
 * except for the signature.
 *
 * Source: decision 0050.
 */
import { createHash } from "node:crypto"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as SignedStatement from "@daybook/schema/SignedStatement"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type { BlockRef } from "../block/BlockRows.ts"
import * as JsonDepth from "../config/JsonDepth.ts"
import type * as Books from "../ledger/Books.ts"
import type * as Holding from "../ledger/Holding.ts"
import type * as Movement from "../ledger/Movement.ts"
import * as ComparedHoldings from "../proof/ComparedHoldings.ts"
import type * as Proof from "../proof/Proof.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type * as RowsDigest from "./RowsDigest.ts"
import * as SigningKey from "./SigningKey.ts"

/** Subject of a statement. */
export interface Subject {
  readonly source: "index" | "node"
  /** Name and version of the program. */
  readonly madeBy: string
  readonly madeAt: Date
  readonly chainId: number
  readonly fromBlock: number
  readonly opening: BlockRef
  readonly closing: BlockRef
}

/** Amount of a holding. */
export interface Balance {
  readonly holding: Holding.Holding
  readonly amount: bigint
}

/** Movements of a holding of one kind. */
export interface Total extends Readonly<Books.Sum> {
  readonly holding: Holding.Holding
  readonly kind: Movement.Kind
}

/** The part of a statement about one wallet. */
export interface WalletPart {
  readonly address: string
  readonly opening: ReadonlyArray<Balance>
  readonly totals: ReadonlyArray<Total>
  readonly closing: ReadonlyArray<Balance>
  /** Transaction counts; `null` if they are not stated. */
  readonly counts: { readonly opening: number; readonly closing: number } | null
  readonly isProved: boolean
  readonly byStateRoot: ReadonlyArray<"native" | "nonce">
  readonly differences: ReadonlyArray<Proof.Difference>
  /** What is not covered, in sentences. */
  readonly notCovered: ReadonlyArray<string>
  readonly rows: RowsDigest.Rows
}

/** A file is rejected. */
export class StatementRefused extends Data.TaggedError("StatementRefused")<{
  /** The reason, as a sentence. */
  readonly reason: string
}> {
  override get message() {
    return `Statement refused: ${this.reason}`
  }
}

/** Nothing is signed: the wallet has more than one statement may have. */
export class StatementTooLong extends Data.TaggedError("StatementTooLong")<{
  readonly what: "movements" | "assets"
  readonly max: number
}> {
  override get message() {
    return `Too many ${this.what}: a signed statement has ${this.max} of a wallet at most. Use a wallet with fewer.`
  }
}

/** Maximum number of assets and ids of a wallet in a file: as many as are compared with the chain. */
const maxAssets = ComparedHoldings.maxHoldings

/** Fails if a wallet has more assets and ids than a file may have. */
export const checkAssets = (assets: number): Result.Result<void, StatementTooLong> =>
  assets > maxAssets ? Result.fail(new StatementTooLong({ what: "assets", max: maxAssets })) : Result.succeed(undefined)

/** Maximum length of a file, in characters. */
export const maxLength = 64 * 1024 * 1024

type Wire = SignedStatement.SignedStatementWire

const digestOf = (value: unknown): string =>
  `0x${createHash("sha256").update(SignedStatement.canonicalJson(value)).digest("hex")}`

const heldOf = ({ asset, standard, tokenId }: Holding.Holding) => ({
  asset,
  // Sound: the transaction count is not a balance, and is stated separately.
  standard: standard as Exclude<Holding.Standard, "nonce">,
  token_id: tokenId,
})

const balanceOf = ({ amount, holding }: Balance) => ({ ...heldOf(holding), balance: amount.toString() })

const blockOf = ({ hash, number }: BlockRef) => ({ number: number.toString(), hash })

const walletOf = (part: WalletPart): Wire["statements"][number] => {
  const { address, counts, differences, rows } = part
  return {
    address,
    opening: part.opening.map(balanceOf),
    sums: part.totals.map(({ count, holding, in: received, kind, out }) => ({
      ...heldOf(holding),
      kind,
      count: count.toString(),
      in: received.toString(),
      out: out.toString(),
    })),
    closing: part.closing.map(balanceOf),
    sent_transactions:
      counts === null ? null : { opening: counts.opening.toString(), closing: counts.closing.toString() },
    proved: part.isProved,
    by_state_root: [...part.byStateRoot],
    differences: differences.map(({ expected, firstBlock, found, holding }) => ({
      asset: holding.asset,
      token_id: holding.tokenId,
      expected: expected.toString(),
      found: found?.toString() ?? null,
      first_block: firstBlock?.toString() ?? null,
    })),
    not_covered: [...part.notCovered],
    rows: { count: rows.count.toString(), sha256: rows.sha256 },
  }
}

/** Signs a statement of wallets. */
export const sign = (subject: Subject, parts: ReadonlyArray<WalletPart>, key: SigningKey.SigningKey): Wire => {
  const statements = parts.map(walletOf)
  const header: Wire["header"] = {
    format: "daybook-statement-1",
    made_by: subject.madeBy,
    made_at: subject.madeAt.toISOString(),
    ledger_revision: WalletLedger.revision.toString(),
    source: subject.source,
    chain_id: subject.chainId.toString(),
    from_block: subject.fromBlock.toString(),
    opening_block: blockOf(subject.opening),
    closing_block: blockOf(subject.closing),
    wallets: statements.map((one) => ({ address: one.address, sha256: digestOf(one) })),
  }
  const value = key.sign(SignedStatement.canonicalJson(header))
  return { header, statements, signature: { algorithm: "ed25519", public_key: key.publicKey, value } }
}

/** Text of a file. */
export const toText = (statement: Wire): string => `${SignedStatement.canonicalJson(statement)}\n`

const decode = SchemaParser.decodeUnknownResult(SignedStatement.SignedStatement)

const refuse = (reason: string) => Result.fail(new StatementRefused({ reason }))

/** Maximum nesting depth of arrays and objects in a file: more than its form has. */
const maxDepth = 16

/** Why the blocks do not form one range; `null` if they do. */
const issueOfBlocks = ({
  closing_block,
  from_block,
  opening_block,
}: SignedStatement.StatementHeader): string | null => {
  const [closing, opening] = [closing_block.number, opening_block.number]
  if (closing < opening) return `its closing block ${closing} is before its opening block ${opening}`
  const isFirst = from_block === 0n && opening === 0n
  return isFirst || from_block === opening + 1n
    ? null
    : `its opening block ${opening} is not the block before its first block ${from_block}`
}

/** Why the parts differ from those named in the header; `null` if they do not. */
const issueOfParts = ({ header, statements }: Wire): string | null => {
  const parts = new Map(statements.map((one) => [one.address, one]))
  if (parts.size < statements.length) return "a wallet has two parts"
  for (const { address, sha256 } of header.wallets) {
    const part = parts.get(address)
    if (part === undefined) return `wallet missing: the header names ${address}, but the file has no part for it`
    const digest = digestOf(part)
    if (digest !== sha256) {
      return `the part of ${address} was changed: its SHA-256 is ${digest}, the signed header has ${sha256}`
    }
    if (part.proved && part.differences.length > 0) return `${address} is stated as proved, but has differences`
    parts.delete(address)
  }
  const [left] = parts.keys()
  return left === undefined ? null : `the file has a part for ${left}, which the signed header does not name`
}

/** What a reader expects of a file. */
export interface Expected {
  /** Addresses of wallets that the file must contain, in lower case. */
  readonly wallets?: ReadonlyArray<string>
  /** Public key of the operator, in lower case. Default: any key. */
  readonly publicKey?: string | undefined
}

/**
 * Parses a file and checks its form, digests and signature.
 *
 * **Errors**
 * - `StatementRefused`: a byte differs from what was signed, or a wallet is missing.
 */
export const read = (
  text: string,
  { publicKey, wallets = [] }: Expected = {},
): Result.Result<SignedStatement.SignedStatement, StatementRefused> => {
  if (text.length > maxLength) return refuse(`it has ${text.length} characters, and at most ${maxLength} are accepted.`)
  const json = JsonDepth.isDeeper(text, maxDepth) ? undefined : Json.parse(text)
  if (json === undefined) return refuse("it is not JSON.")
  const decoded = decode(json)
  if (Result.isFailure(decoded)) {
    // Sound: an error has at least one issue.
    return refuse(Issue.format("statement", Issue.fromError(decoded.failure, json)[0]!))
  }
  const { success: statement } = decoded
  const [unsigned] = [
    ...Object.keys(SignedStatement.extras(statement)),
    ...Object.keys(SignedStatement.StatementSignature.extras(statement.signature)),
  ]
  if (unsigned !== undefined) return refuse(`it has a key that is not signed: ${Issue.quote(unsigned)}.`)
  if (SignedStatement.toText(statement) !== text) {
    return refuse("its text is not canonical JSON (RFC 8785) and a line feed: a byte of it was changed.")
  }
  // Sound: it was decoded, and encodes to the same text.
  const wire = json as Wire
  const { header, signature } = wire
  const issue = issueOfBlocks(statement.header) ?? issueOfParts(wire)
  if (issue !== null) return refuse(`${issue}.`)
  if (!SigningKey.isSignature(signature.public_key, SignedStatement.canonicalJson(header), signature.value)) {
    return refuse(
      `the signature does not match the header and the key ${signature.public_key}: a byte was changed, or another key signed it.`,
    )
  }
  if (publicKey !== undefined && signature.public_key !== publicKey) {
    return refuse(`it is signed by another key: expected ${publicKey}, received ${signature.public_key}.`)
  }
  const named = new Set(header.wallets.map(({ address }) => address))
  const missing = wallets.find((wallet) => !named.has(wallet))
  return missing === undefined ? Result.succeed(statement) : refuse(`wallet missing: ${missing} is not in the file.`)
}
