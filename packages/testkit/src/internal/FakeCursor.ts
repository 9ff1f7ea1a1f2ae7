/**
 * Cursors of a fake: the list of a page, where the next page starts, and the blocks on which both depend. A cursor is compared with the
 * request that sends it, as in the service.
 */
import type * as Issue from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import type { FakeBlock, FakeChain } from "../FakeChain.ts"

/** An end of a range: a block, an instant in milliseconds since 1970, or open. */
export type Bound =
  | { readonly _tag: "Block"; readonly block: number }
  | { readonly _tag: "Date"; readonly date: number }
  | { readonly _tag: "Open" }

/** A position in a list: block, index and part, compared in this order. */
export type Place = readonly [block: number, index: number, part: number]

/** The list that a request selects. */
export interface List {
  readonly list: "scope direct" | "scope all" | "movements" | "user operations"
  readonly chainId: number
  readonly wallet: string
  readonly order: "ASC" | "DESC"
  readonly from: Bound
  readonly to: Bound
  /** Filters besides the range. */
  readonly filter: Readonly<Record<string, string>>
}

/** A list, and where its next page starts. */
export interface Cursor extends List {
  readonly page: number
  /** The last row of the previous page. */
  readonly after: Place
  readonly afterHash: string
  /** The last block of the list. */
  readonly top: Pick<FakeBlock, "hash" | "number">
}

const prefix = "daybook-fake-"

/** Encodes a cursor. */
export const encode = (cursor: Cursor): string => btoa(`${prefix}${JSON.stringify(cursor)}`).replaceAll("=", "")

const parse = (text: string): Cursor | undefined => {
  try {
    const json = atob(text)
    // Sound: only `encode` writes the prefix.
    return json.startsWith(prefix) ? (JSON.parse(json.slice(prefix.length)) as Cursor) : undefined
  } catch {
    return undefined
  }
}

const invalid = (expected: string, received: string) => Result.fail({ path: "cursor", expected, received })

/** Decodes a cursor. */
export const decode = (text: string): Result.Result<Cursor, Issue.Issue> => {
  const previous = "the cursor of the previous page, unchanged"
  const cursor = parse(text)
  return cursor === undefined ? invalid(previous, "other text") : Result.succeed(cursor)
}

/** Formats an instant for messages. */
const formatDate = (millis: number): string => new Date(millis).toISOString()

/** Formats a bound for messages. */
export const formatBound = (bound: Bound): string =>
  bound._tag === "Open" ? "none" : bound._tag === "Block" ? `block ${bound.block}` : formatDate(bound.date)

/** The list parameters of a request; omitted ones are those of its cursor. */
export type Requested = Omit<List, "order"> & { readonly order: List["order"] | undefined }

/** Compares a cursor with the request that sends it. */
export const match = (cursor: Cursor, requested: Requested): Result.Result<Cursor, Issue.Issue> => {
  const other = (what: string, wanted: string | number, own: string | number) =>
    invalid(`a cursor of ${what} ${wanted}`, `one of ${what} ${own}`)
  if (requested.list !== cursor.list) return invalid(`a cursor of ${requested.list}`, `one of ${cursor.list}`)
  if (requested.wallet !== cursor.wallet) return other("wallet", requested.wallet, cursor.wallet)
  if (requested.order !== undefined && requested.order !== cursor.order)
    return other("order", requested.order, cursor.order)
  for (const [name, key] of [
    ["lower bound", "from"],
    ["upper bound", "to"],
  ] as const) {
    const [wanted, own] = [formatBound(requested[key]), formatBound(cursor[key])]
    if (requested[key]._tag !== "Open" && wanted !== own) return other(name, wanted, own)
  }
  for (const [name, wanted] of Object.entries(requested.filter)) {
    const own = cursor.filter[name]
    if (own !== wanted) return other(name, wanted, own ?? "none")
  }
  return Result.succeed(cursor)
}

/** Lowest block replaced since a cursor was made, among those on which its list depends. */
export const replacedSince = (chain: FakeChain, { afterHash, top }: Cursor): number | undefined => {
  const replaced = [afterHash, top.hash].flatMap((hash) => chain.replacedFrom(hash) ?? [])
  return replaced.length === 0 ? undefined : Math.min(...replaced)
}
