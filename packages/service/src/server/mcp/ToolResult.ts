/**
 * Form of every answer to a model: what was found, which blocks it covers, what it cannot show, whether it was compared with the chain, and
 * the call that continues. Amounts are exact texts next to a readable form, addresses are complete, and texts written by strangers are only
 * in fields whose names start with `untrusted_`.
 *
 * Source: decision 0074.
 */
import type { IndexCoverage } from "@daybook/rest/Client"
import type { Balance, Incomplete } from "@daybook/schema/Balance"
import type { Movement } from "@daybook/schema/Movement"
import type { Statement, Sum } from "@daybook/schema/Statement"
import type { Token } from "@daybook/schema/Token"
import { visibleStart } from "@daybook/schema/VisibleText"
import * as Wei from "@daybook/schema/Wei"
import * as Schema from "effect/Schema"
import * as CompleteRange from "../../query/CompleteRange.ts"

/** Blocks that an answer covers; a field is `null` if the service does not report it. */
const Coverage = Schema.Struct({
  chain: Schema.String,
  from_block: Schema.NullOr(Schema.String),
  to_block: Schema.NullOr(Schema.String),
  final_to: Schema.NullOr(Schema.String),
  reconciled_to: Schema.NullOr(Schema.String),
  /**
   * Last block up to which the past of a wallet that was added later was searched: up to there, calls of value 0 by others may be missing.
   * If it is below `from_block`, the search is still running.
   */
  searched_to: Schema.NullOr(Schema.String),
  /** Last block that an earlier version of the service stored without the wallet's tokens and internal transactions. */
  direct_only_to: Schema.NullOr(Schema.String),
  /** Last block that was stored without traces, or that has a transaction without them. */
  untraced_to: Schema.NullOr(Schema.String),
  /** Last block up to which native balances change in ways that neither transactions nor headers show. */
  unstated_to: Schema.NullOr(Schema.String),
  missing_transactions: Schema.NullOr(Schema.String),
})

/** Arguments of the tool call that continues. */
const NextCall = Schema.Struct({
  tool: Schema.String,
  arguments: Schema.Record(Schema.String, Schema.Unknown),
})

/** An answer. */
export const ToolResult = Schema.Struct({
  answer: Schema.Unknown,
  coverage: Schema.NullOr(Coverage),
  not_covered: Schema.Array(Schema.String),
  proof: Schema.NullOr(Schema.Unknown),
  next_call: Schema.optionalKey(NextCall),
})

export interface ToolResult extends Schema.Schema.Type<typeof ToolResult> {}

/** Maximum number of bytes of an answer: about 20,000 tokens of a model. */
export const maxBytes = 60_000

/** Maximum number of rows of a list; even the shortest rows would not fit in a larger number. */
const maxRows = 512

/** Size of an answer as JSON. */
export const bytesOf = (answer: ToolResult): number => Buffer.byteLength(JSON.stringify(answer))

/**
 * The result with as many rows of each list as fit; `make` receives the maximum number of rows per list. Everything else in it is bounded.
 */
export const fitting = (make: (count: number) => ToolResult, longest: number): ToolResult => {
  let count = Math.min(longest, maxRows)
  let result = make(count)
  while (bytesOf(result) > maxBytes && count > 0) {
    count = Math.floor(count / 2)
    result = make(count)
  }
  return result
}

/** A sentence if a list has more rows than are shown. */
export const leftOut = (count: number, all: number, what: string, advice = ""): ReadonlyArray<string> =>
  count >= all ? [] : [`${all - count} of ${all} ${what} are left out${advice}.`]

/** Maximum number of contracts listed in a sentence, since those who send tokens to a wallet decide how many there are. */
const maxListed = 20

const listOf = (contracts: ReadonlyArray<string>): string => {
  const further = contracts.length - maxListed
  return `${contracts.slice(0, maxListed).join(", ")}${further > 0 ? ` and ${further} further ones` : ""}`
}

const textOf = (block: bigint | null | undefined): string | null => block?.toString() ?? null

/** What the headers of a response report about the index. */
export const coverageOf = (chain: string, index: Partial<IndexCoverage>): typeof Coverage.Type => ({
  chain,
  from_block: textOf(index.indexedFrom),
  to_block: textOf(index.indexedTo),
  final_to: textOf(index.finalizedTo),
  reconciled_to: textOf(index.reconciledTo),
  searched_to: textOf(index.searchedTo),
  direct_only_to: textOf(index.directOnlyTo),
  untraced_to: textOf(index.untracedTo),
  unstated_to: textOf(index.unstatedTo),
  missing_transactions: textOf(index.missingTransactions),
})

/** Coverage of a range of blocks only. */
export const rangeOf = (
  chain: string,
  [from, to]: readonly [from: bigint, to: bigint],
  index: Partial<IndexCoverage> = {},
): typeof Coverage.Type => ({ ...coverageOf(chain, index), from_block: textOf(from), to_block: textOf(to) })

/** Sentences about what sums may be missing. */
export const lackOf = ({
  direct_only_to: directOnlyTo,
  first_block,
  merged,
  omitted,
  opening,
  places,
  unstated_to: unstatedTo,
  untraced_to: untracedTo,
}: Incomplete): ReadonlyArray<string> => [
  ...CompleteRange.directOnlySentences(directOnlyTo),
  ...CompleteRange.untracedSentences(untracedTo),
  ...CompleteRange.unstatedSentences(unstatedTo),
  ...(opening ? ["What the wallet held before the first indexed block is unknown and not part of the sums."] : []),
  ...(places > 0
    ? [
        `Movements may be missing in ${places} transactions or blocks${first_block === null ? "" : `, first in block ${first_block}`}.`,
      ]
    : []),
  ...(merged === undefined ? [] : [`The ids of each of these contracts are summed as one: ${listOf(merged)}.`]),
  ...(omitted === undefined
    ? []
    : [`${omitted} movements of further contracts are not part of any sum; name those contracts in "asset".`]),
]

const tokenOf = (token: Token | null) =>
  token === null
    ? null
    : {
        decimals: token.decimals,
        untrusted_symbol: token.symbol === null ? null : visibleStart(token.symbol, 64),
        untrusted_name: token.name === null ? null : visibleStart(token.name, 64),
      }

/** An amount in units of its asset; `null` if the decimals are unknown. */
const displayOf = (asset: string, token: Token | null, amount: bigint): string | null => {
  const decimals = asset === "native" ? 18 : (token?.decimals ?? null)
  return decimals === null ? null : Wei.formatUnits(amount, decimals)
}

interface Held {
  readonly asset: string
  readonly token_id: bigint | null
  readonly token: Token | null
}

const assetOf = ({ asset, token, token_id: id }: Held) => ({ asset, token_id: textOf(id), token: tokenOf(token) })

/** A movement. */
export const movementOf = (row: Movement) => ({
  time: row.block_timestamp.toISOString(),
  block: row.block_number.toString(),
  kind: row.kind,
  ...assetOf(row),
  amount: row.amount.toString(),
  display: displayOf(row.asset, row.token, row.amount),
  counterparty: row.counterparty,
  untrusted_counterparty_label: row.counterparty_label,
  flags: row.flags ?? [],
  transaction: row.transaction_hash,
  failed: row.failed,
  incomplete: row.incomplete,
})

/** A balance. */
export const balanceOf = (row: Balance) => ({
  ...assetOf(row),
  balance: row.balance.toString(),
  display: displayOf(row.asset, row.token, row.balance),
  proved_at_block: textOf(row.proved_at_block),
})

/** The sum of the movements of a kind. */
export const sumOf = (row: Sum) => ({
  ...assetOf(row),
  kind: row.kind,
  count: row.count,
  in: row.in.toString(),
  out: row.out.toString(),
  amount: row.amount.toString(),
  display: displayOf(row.asset, row.token, row.amount),
})

/** Last comparison of a wallet with the state of the chain, with its first differences; `null` for none. */
export const proofOf = ({ proof }: Pick<Statement, "proof">, count: number) =>
  proof === null
    ? null
    : {
        state: proof.proved ? "equal" : "not proved",
        block: proof.block_number.toString(),
        proved_at_block: textOf(proof.proved_at_block),
        differences_total: proof.differences.length,
        differences: proof.differences.slice(0, count).map((one) => ({
          asset: String(one.asset),
          token_id: textOf(one.token_id),
          expected: one.expected.toString(),
          found: textOf(one.found),
          first_block: textOf(one.first_block),
        })),
        not_compared_total: proof.not_compared.length,
        not_compared: proof.not_compared.slice(0, count).map((text) => visibleStart(text, 500)),
      }
