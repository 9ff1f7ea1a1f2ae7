/**
 * Rows of a page: which row ids it takes, and how many rows fit its limits on rows and bytes. The texts of a row are only read if the
 * preceding bytes leave room. Pure.
 */
import type { PageRow, PageRows, Position, TransactionsQuery } from "../ChainReader.ts"
import type { StoredHeader } from "./BlockRow.ts"
import * as RowId from "./RowId.ts"

/** Texts of a row and what else belongs to it. */
export type Texts = Omit<PageRow, keyof Position>

/** A row that may fit a page; `Read` reads its texts, or returns `null` for a row that does not belong to the page. */
export interface Candidate<Read> {
  readonly id: number
  readonly bytes: number
  readonly read: Read
}

/** Position just before the first row of a page. A position outside the range counts only if it is further along. */
const startOf = ({ after, from, order, to }: TransactionsQuery): Position => {
  if (order === "ASC") return after !== null && after.block >= from ? after : { block: from, index: -1 }
  return after !== null && after.block <= to ? after : { block: to + 1, index: -1 }
}

/** Row ids of a page, both ends inclusive. */
export const rangeOf = (query: TransactionsQuery): { readonly first: number; readonly last: number } => {
  const { block, index } = startOf(query)
  const [first, end] = RowId.range(query.from, query.to)
  const [start] = RowId.range(block, block)
  return query.order === "ASC"
    ? { first: start + index + 1, last: end - 1 }
    : { first, last: start + Math.max(index, 0) - 1 }
}

/** Number of rows read beyond the page, to show whether more follow. */
export const lookahead = 1

/** Size up to which rows are read at once; all of them together fit the limit. */
export const inlineBytes = ({ limit, maxBytes }: TransactionsQuery): number =>
  maxBytes === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(maxBytes / (limit + lookahead))

/**
 * Maximum number of rows of other wallets with the same key that are read for a page. Anyone can search for an address whose key is that of
 * some busy wallet, and request its page.
 */
export const maxOthers = 256

/** Rows of the page so far, and their total bytes; the same of rows that do not belong to it. */
export interface Page {
  readonly rows: Array<PageRow>
  bytes: number
  others: number
  otherBytes: number
}

/** A page without rows. */
export const empty = (): Page => ({ rows: [], bytes: 0, others: 0, otherBytes: 0 })

/** Whether a row with a number of bytes fits a page. The first row always fits. */
export const hasRoom = (
  { bytes, rows }: Page,
  rowBytes: number,
  { limit, maxBytes = Infinity }: TransactionsQuery,
): boolean => rows.length < limit && (rows.length === 0 || bytes + rowBytes <= maxBytes)

/** Adds a row that fits; `null` if the row does not belong to the page. Returns the page if too many rows do not. */
export const add = (
  page: Page,
  { bytes, id }: Candidate<unknown>,
  texts: Texts | null,
  { maxBytes = Infinity }: TransactionsQuery,
): PageRows | undefined => {
  if (texts !== null) {
    page.bytes += bytes
    page.rows.push({ ...RowId.toPosition(id), ...texts })
    return undefined
  }
  page.others += 1
  page.otherBytes += bytes
  if (page.others < maxOthers && page.otherBytes <= maxBytes) return undefined
  return { rows: page.rows, hasMore: true, searched: RowId.toPosition(id) }
}

/** The candidates that fit, with texts that are read at once. */
export const fit = (candidates: Iterable<Candidate<() => Texts | null>>, query: TransactionsQuery): PageRows => {
  const page = empty()
  for (const candidate of candidates) {
    if (!hasRoom(page, candidate.bytes, query)) return { rows: page.rows, hasMore: true }
    const ended = add(page, candidate, candidate.read(), query)
    if (ended !== undefined) return ended
  }
  return { rows: page.rows, hasMore: false }
}

/** Blocks of a range up to the last row id read, both ends inclusive; all of them if there are no more. */
export const blocksOf = (query: TransactionsQuery, ids: ReadonlyArray<number>): readonly [from: number, to: number] => {
  const { first, last } = rangeOf(query)
  const end = ids.length > query.limit ? ids.at(-1) : undefined
  const [from, to] = query.order === "ASC" ? [first, end ?? last] : [end ?? first, last]
  return [RowId.toPosition(from).block, RowId.toPosition(to).block]
}

/** The first block with fewer row ids than transactions were stored with it; undefined if there is none. */
export const lackingBlock = (
  blocks: ReadonlyArray<Pick<StoredHeader, "count" | "isDamaged" | "number">>,
  ids: ReadonlyArray<number>,
): number | undefined => {
  const found = new Map<number, number>()
  for (const id of ids) {
    const { block } = RowId.toPosition(id)
    found.set(block, (found.get(block) ?? 0) + 1)
  }
  return blocks.find(({ count, isDamaged, number }) => isDamaged || (found.get(number) ?? 0) < count)?.number
}
