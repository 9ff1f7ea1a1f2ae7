/**
 * Self-descriptions of token contracts: one row per token that was read, and the first block whose tokens were not examined.
 *
 * Source: decision 0054.
 */
import * as Effect from "effect/Effect"
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import type { UnreadQuery, UnreadTokens } from "../Proofs.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as LedgerHoldings from "../rows/LedgerHoldings.ts"
import * as TokenRow from "../rows/TokenRow.ts"
import type { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Values from "./Values.ts"

const { column } = Values

/** The tokens of rows. */
const tokensOf = (rows: ReadonlyArray<TokenRow.Columns>): ReadonlyMap<string, TokenMetadata> =>
  new Map(rows.map(TokenRow.read).filter((token) => token !== null))

/** Tokens by address, as far as they were read. */
export const read = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  addresses: Iterable<string>,
): Effect.fn.Return<ReadonlyMap<string, TokenMetadata>, StoreError> {
  const wanted = Array.from(addresses, fromHex)
  if (wanted.length === 0) return new Map()
  return tokensOf(yield* session.rows<TokenRow.Columns>(sql.tokens, [Values.manyBytes(wanted)]))
})

/** Tokens whose symbol begins with a text, and those whose name does. */
export const find = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  text: string,
  limit: number,
): Effect.fn.Return<ReadonlyMap<string, TokenMetadata>, StoreError> {
  const [from, below] = TokenRow.range(text)
  const parameters = [Values.text(from), Values.text(below), Values.int(limit)]
  const bySymbol = yield* session.rows<TokenRow.Columns>(sql.tokensBySymbol, parameters)
  const byName = yield* session.rows<TokenRow.Columns>(sql.tokensByName, parameters)
  return tokensOf([...bySymbol, ...byName])
})

/** Inserts tokens; one that was read before keeps its earlier values. */
export const insert = (
  { chain: { sql }, session }: At,
  tokens: ReadonlyMap<string, TokenMetadata>,
): Effect.Effect<void, StoreError> => {
  const rows = TokenRow.make(tokens)
  if (rows.length === 0) return Effect.void
  return Effect.asVoid(
    session.rows(sql.insertTokens, [
      Values.manyBytes(column(rows, 0)),
      Values.bigs(column(rows, 1)),
      Values.texts(column(rows, 2)),
      Values.texts(column(rows, 3)),
      Values.ints(column(rows, 4)),
      Values.ints(column(rows, 5)),
    ]),
  )
}

/** Those of the given tokens that were not read yet. */
const missing = Effect.fnUntraced(function* ({ chain: { sql }, session }: At, tokens: ReadonlySet<string>) {
  if (tokens.size === 0) return []
  const rows = yield* session.rows<readonly [address: Uint8Array]>(sql.knownTokens, [
    Values.manyBytes(Array.from(tokens, fromHex)),
  ])
  const known = new Set(rows.map(([address]) => toHex(address)))
  return [...tokens].filter((token) => !known.has(token))
})

/** The next tokens to read, for an index with this first block. */
export const unread = Effect.fnUntraced(function* (
  at: At,
  first: number,
  { limit, to, wallets }: UnreadQuery,
): Effect.fn.Return<UnreadTokens, StoreError> {
  const [row] = yield* at.session.rows<readonly [next: number]>(at.chain.sql.tokenProgress, [Values.big(first)])
  const from = row?.[0] ?? first
  const found = new Set<string>()
  let next = from
  for (let rows = 0; next <= to && rows < LedgerHoldings.maxRows && found.size < limit; next++) {
    const tokens = new Set<string>()
    for (const [key, , body] of yield* Ledgers.ofBlock(at, next)) {
      rows += 1
      const wallet = toHex(key)
      if (wallets?.has(wallet) === false) continue
      for (const token of LedgerHoldings.tokensOf(wallet, body)) if (!found.has(token)) tokens.add(token)
    }
    for (const token of yield* missing(at, tokens)) found.add(token)
  }
  return { tokens: [...found], from, next }
})

/** Remembers the first block that was not examined. */
export const advance = ({ chain: { sql }, session }: At, first: number, next: number) =>
  Effect.asVoid(session.rows(sql.advanceTokens, [Values.big(first), Values.big(next)]))

/** Marks the blocks from `lowest` on to be examined again; if the index is emptied, everything is removed. */
export const unwind = ({ chain: { sql }, session }: At, lowest: number, isEmpty: boolean) =>
  isEmpty
    ? Effect.andThen(session.rows(sql.clearTokens, []), Effect.asVoid(session.rows(sql.clearTokenProgress, [])))
    : Effect.asVoid(session.rows(sql.unwindTokens, [Values.big(lowest)]))
