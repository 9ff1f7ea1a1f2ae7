/**
 * Types, pages and response builders of the tables of REST faults.
 */
import type * as FaultyServer from "@daybook/harness/FaultyServer"
import * as Payload from "@daybook/harness/Payload"
import type { Row } from "../WalletHistory.ts"

/** What a request may lead to: a page that the client accepts, or an error with this tag. */
export type Outcome =
  | "page"
  | "BadRequest"
  | "Forbidden"
  | "InvalidResponse"
  | "NotFound"
  | "OutOfOrder"
  | "QuotaExceeded"
  | "RateLimited"
  | "StaleCursor"
  | "TimeoutError"
  | "TransportError"
  | "Unauthorized"
  | "Unavailable"

/** The request that a fault responds to. */
export interface Context {
  /** Number of the request; makes a cursor unique. */
  readonly number: number
  /** All rows in the order of the query. */
  readonly rows: ReadonlyArray<Row>
  /** Index of the first row of the page. */
  readonly position: number
  readonly pageSize: number
  /** Cursor of the request; null on the first page. */
  readonly cursor: string | null
  /** Wait that the fault requests, in milliseconds. */
  readonly waitMillis: number
  readonly acceptsGzip: boolean
}

/** A page before it is written. */
export interface Page {
  /** Indexes into the rows, in the order in which they are served. */
  readonly served: ReadonlyArray<number>
  readonly cursor: string | null
}

/** One kind of misbehaviour. */
export interface Fault {
  /** The page to serve; undefined if the fault does not apply. Default: the correct page. */
  readonly page?: (context: Context) => Page | undefined
  /** Builds the response. Default: according to the interface. */
  readonly respond?: (context: Context, page: Page) => FaultyServer.Response
  /** What the request may lead to when it is not retried. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** Whether a client must, may or must not request the page again. */
  readonly retry: "required" | "allowed" | "forbidden"
  /** How the response requests a wait: `exact` in seconds, `second` as a date with a resolution of one second. */
  readonly retryAfter?: "exact" | "second"
  /** The page hides the rows that follow it. */
  readonly endsEarly?: true
}

/** The cursor of a position; with a number, one that was not issued before. */
export const cursorAt = (position: number, number?: number): string =>
  `at-${position}${number === undefined ? "" : `-${number}`}`

/** The position of a cursor; undefined for a cursor of another server. */
export const positionOf = (cursor: string): number | undefined => {
  const match = /^at-(\d+)(?:-\d+)?$/.exec(cursor)
  return match === null ? undefined : Number(match[1])
}

/** Whole numbers from `from` up to but not including `to`. */
export const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)

const nextAt = ({ rows }: Context, position: number): string | null =>
  position < rows.length ? cursorAt(position) : null

/** The page that a correct server serves. */
export const correctPage = (context: Context): Page => {
  const end = Math.min(context.position + context.pageSize, context.rows.length)
  return { served: range(context.position, end), cursor: nextAt(context, end) }
}

/** A page with only the first row; undefined after the last row. */
export const singleRow = (context: Context): Page | undefined =>
  context.position < context.rows.length
    ? { served: [context.position], cursor: nextAt(context, context.position + 1) }
    : undefined

/** The rows of a page. */
export const rowsOf = ({ rows }: Context, { served }: Page): ReadonlyArray<Row> =>
  served.flatMap((index) => rows.slice(index, index + 1))

/** The text of a page with these rows. */
export const bodyOf = (context: Context, page: Page, result: unknown, more: object = {}): string =>
  JSON.stringify({
    page: String(Math.floor(context.position / context.pageSize)),
    page_size: String(context.pageSize),
    cursor: page.cursor,
    result,
    ...more,
  })

/** Text of a page according to the interface. */
export const correctBody = (context: Context, page: Page): string => bodyOf(context, page, rowsOf(context, page))

/** The response of a correct server. */
export const correctResponse = (context: Context, page: Page): FaultyServer.Response => ({
  body: correctBody(context, page),
})

/** The correct text, delivered in a broken way. */
export const delivered =
  (delivery: FaultyServer.Delivery): NonNullable<Fault["respond"]> =>
  (context, page) => ({ body: correctBody(context, page), delivery })

/** Maps every value of a JSON tree, innermost first. */
export const mapValues = (value: unknown, change: (value: unknown, key: string) => unknown, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => mapValues(item, change, key))
  if (typeof value !== "object" || value === null) return change(value, key)
  const entries = Object.entries(value).map(([name, inner]) => [name, mapValues(inner, change, name)])
  return change(Object.fromEntries(entries), key)
}

/** A page whose values are changed. */
export const withValues =
  (change: (value: unknown, key: string) => unknown, more: object = {}): NonNullable<Fault["respond"]> =>
  (context, page) => ({ body: bodyOf(context, page, mapValues(rowsOf(context, page), change), more) })

/** An error body as hosted providers send it: `{ "message": ... }`. */
export const providerError = (status: number, message: unknown) => () => Payload.json({ message }, status)

/** An error body of this interface. */
export const contractError = (
  status: number,
  code: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
) => Payload.json({ message: `error ${code}`, code, requestId: "request-7", ...more }, status, headers)
