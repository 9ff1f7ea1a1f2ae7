/**
 * The rows of a page: which row ids it takes, and how many rows fit their number and their bytes. The texts of a row are read only when
 * the bytes before it leave room. Pure.
 */
import type { PageQuery, PageRow, PageRows, Position } from "../ChainReader.ts"
import * as RowId from "./RowId.ts"

/** The texts of a row, and what else belongs to it. */
export type Texts = Omit<PageRow, keyof Position>

/** A row that may fit a page; `Read` reads its texts, `null` for a row that does not belong to the page. */
export interface Candidate<Read> {
  readonly id: number
  readonly bytes: number
  readonly read: Read
}

/** Position just outside the first row of a page. One outside the bounds counts only if it lies further on. */
export const startOf = ({ after, from, order, to }: Omit<PageQuery, "key">): Position => {
  if (order === "ASC") return after !== null && after.block >= from ? after : { block: from, index: -1 }
  return after !== null && after.block <= to ? after : { block: to + 1, index: -1 }
}

/** Row ids of a page, both ends inclusive. */
export const rangeOf = (query: Omit<PageQuery, "key">): { readonly first: number; readonly last: number } => {
  const { block, index } = startOf(query)
  const [first, end] = RowId.range(query.from, query.to)
  const [start] = RowId.range(block, block)
  return query.order === "ASC"
    ? { first: start + index + 1, last: end - 1 }
    : { first, last: start + Math.max(index, 0) - 1 }
}

/** Rows read beyond the page: they show whether more follow. */
export const lookahead = 1

/** Rows of at most this size are read at once; all of them together fit the limit. */
export const inlineBytes = ({ limit, maxBytes }: PageQuery): number =>
  maxBytes === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(maxBytes / (limit + lookahead))

/** The rows of a page so far, and their bytes. */
export interface Page {
  readonly rows: Array<PageRow>
  bytes: number
}

/** A page without rows. */
export const empty = (): Page => ({ rows: [], bytes: 0 })

/** Whether a row of a number of bytes fits a page. The first one does whatever its bytes are. */
export const hasRoom = ({ bytes, rows }: Page, rowBytes: number, { limit, maxBytes = Infinity }: PageQuery): boolean =>
  rows.length < limit && (rows.length === 0 || bytes + rowBytes <= maxBytes)

/** Adds a row that fits; `null` for one that does not belong to the page. */
export const add = (page: Page, { bytes, id }: Candidate<unknown>, texts: Texts | null): void => {
  if (texts === null) return
  page.bytes += bytes
  page.rows.push({ ...RowId.toPosition(id), ...texts })
}

/** The rows that fit, of candidates whose texts are read at once. */
export const fit = (candidates: Iterable<Candidate<() => Texts | null>>, query: PageQuery): PageRows => {
  const page = empty()
  for (const candidate of candidates) {
    if (!hasRoom(page, candidate.bytes, query)) return { rows: page.rows, hasMore: true }
    add(page, candidate, candidate.read())
  }
  return { rows: page.rows, hasMore: false }
}
