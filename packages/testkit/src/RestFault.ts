/**
 * Everything a hostile REST server does to the wallet operation, one row each: what it serves in place of the right
 * page, and what a sound client may make of it.
 *
 * To add a misbehaviour, add a row. `HostileRest` plays the rows; `RestScript` draws them and judges by them.
 */
import { gzipSync } from "node:zlib"
import type { Row as WalletRow } from "./WalletHistory.ts"
import * as Wire from "./Wire.ts"

/** What a request may lead to: a page that is taken, or an error of this tag. */
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

/** What a fault gets to answer with. */
export interface Ask {
  /** Number of the request: makes a cursor that was never given before. */
  readonly number: number
  /** The whole truth in the order asked for. */
  readonly rows: ReadonlyArray<WalletRow>
  /** Index of the first row asked for. */
  readonly position: number
  readonly pageSize: number
  /** The cursor of the request; null on the first page. */
  readonly cursor: string | null
  readonly waitMillis: number
  readonly acceptsGzip: boolean
}

/** A page before it is written. */
export interface Page {
  /** Indexes into the truth, in the order in which they are served. */
  readonly served: ReadonlyArray<number>
  readonly cursor: string | null
}

/** One misbehaviour. */
export interface Row {
  /** The page to serve; undefined where the fault cannot be played at this place. Default: the right page. */
  readonly page?: (ask: Ask) => Page | undefined
  /** Writes the page. Default: as the interface says. */
  readonly answer?: (ask: Ask, page: Page) => Wire.Answer
  /** What a request may lead to when it is not tried again. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** Whether the page is asked for again: it must be, it must not be, or the client may choose. */
  readonly again: "must" | "may" | "never"
  /** The fault asks to wait. `exact`: to the millisecond; `second`: a date, exact to one second. */
  readonly asksWait?: "exact" | "second"
  /** The page hides that more rows follow. */
  readonly endsEarly?: true
}

/** The cursor of a position. With a number it is one that was never given before. */
export const cursorAt = (position: number, number?: number): string =>
  `at-${position}${number === undefined ? "" : `-${number}`}`

/** The position that a cursor stands for; undefined for one that is not ours. */
export const positionOf = (cursor: string): number | undefined => {
  const found = /^at-(\d+)(?:-\d+)?$/.exec(cursor)
  return found === null ? undefined : Number(found[1])
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)

const nextAt = ({ rows }: Ask, position: number): string | null => (position < rows.length ? cursorAt(position) : null)

/** The page that a good server serves. */
export const rightPage = (ask: Ask): Page => {
  const end = Math.min(ask.position + ask.pageSize, ask.rows.length)
  return { served: range(ask.position, end), cursor: nextAt(ask, end) }
}

const rowsOf = ({ rows }: Ask, { served }: Page): ReadonlyArray<WalletRow> =>
  served.flatMap((index) => rows.slice(index, index + 1))

const body = (ask: Ask, page: Page, result: unknown, more: object = {}): string =>
  JSON.stringify({
    page: String(Math.floor(ask.position / ask.pageSize)),
    page_size: String(ask.pageSize),
    cursor: page.cursor,
    result,
    ...more,
  })

const right = (ask: Ask, page: Page): string => body(ask, page, rowsOf(ask, page))

/** Writes a right page, as a good server does. */
export const rightAnswer = (ask: Ask, page: Page): Wire.Answer => ({ body: right(ask, page) })

const sent =
  (delivery: Wire.Delivery): NonNullable<Row["answer"]> =>
  (ask, page) => ({ body: right(ask, page), delivery })

/** Writes each value of a tree anew, innermost first. */
const rewrite = (value: unknown, change: (value: unknown, key: string) => unknown, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => rewrite(item, change, key))
  if (typeof value !== "object" || value === null) return change(value, key)
  const entries = Object.entries(value).map(([name, inner]) => [name, rewrite(inner, change, name)])
  return change(Object.fromEntries(entries), key)
}

const shaped =
  (change: (value: unknown, key: string) => unknown, more: object = {}): NonNullable<Row["answer"]> =>
  (ask, page) => ({ body: body(ask, page, rewrite(rowsOf(ask, page), change), more) })

const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Wire.Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
})

const says = (status: number, message: unknown) => () => json(status, { message })

const contract = (status: number, code: string, more: object = {}) =>
  json(status, { message: `the server says ${code}`, code, requestId: "request-7", ...more })

const page = (status: number, title: string) => () => ({
  status,
  headers: { "content-type": "text/html" },
  body: Wire.html(title),
})

const seconds = ({ waitMillis }: Ask) => ({ "retry-after": String(Math.ceil(waitMillis / 1000)) })

const date = ({ waitMillis }: Ask) => {
  const now = Math.floor(Date.now() / 1000) * 1000
  return { date: new Date(now).toUTCString(), "retry-after": new Date(now + waitMillis).toUTCString() }
}

/** The first place of a page where two neighbours have different times. */
const step = ({ rows }: Ask, { served }: Page): number =>
  served.findIndex(
    (index, at) => at > 0 && rows[index]?.block_timestamp !== rows[served[at - 1] ?? -1]?.block_timestamp,
  )

const swapped = (ask: Ask): Page | undefined => {
  const good = rightPage(ask)
  const at = step(ask, good)
  if (at < 1) return undefined
  const [before = 0, after = 0] = [good.served[at - 1], good.served[at]]
  return { ...good, served: good.served.with(at - 1, after).with(at, before) }
}

const single = (ask: Ask): Page | undefined =>
  ask.position < ask.rows.length ? { served: [ask.position], cursor: nextAt(ask, ask.position + 1) } : undefined

const harmless = { outcomes: ["page"], again: "never" } as const
const repeated = { outcomes: ["page", "InvalidResponse"], again: "never" } as const
const broken = { outcomes: ["InvalidResponse"], again: "may" } as const
const limited = { outcomes: ["RateLimited"], again: "must" } as const
const lost = { outcomes: ["TransportError"], again: "must" } as const
const late = { outcomes: ["TimeoutError"], again: "may" } as const

const numeric = new Set([
  "nonce",
  "transaction_index",
  "gas",
  "gas_price",
  "block_number",
  "receipt_status",
  "log_index",
])
const lists = new Set(["logs", "params"])

const rows = {
  right: { ...harmless },
  nulls: { ...harmless, answer: shaped((value) => (value === "" ? null : value)) },
  empties: {
    ...harmless,
    answer: shaped((value, key) => (value === null && key.endsWith("_label") ? "" : value)),
  },
  numbers: {
    ...harmless,
    answer: shaped((value, key) => (numeric.has(key) ? Number(value) : value), { page: 0, page_size: 100 }),
  },
  extras: {
    ...harmless,
    answer: shaped(
      (value) =>
        typeof value === "object" && value !== null ? { ...value, from_address_entity: "Bank", x_new: [1] } : value,
      { total: null },
    ),
  },
  objectForList: {
    ...harmless,
    page: single,
    answer: (ask, page) => ({
      body: body(
        ask,
        page,
        rewrite(rowsOf(ask, page)[0], (value, key) =>
          lists.has(key) && Array.isArray(value) && value.length === 1 ? value[0] : value,
        ),
      ),
    }),
  },
  gzip: {
    ...harmless,
    answer: (ask, page) =>
      ask.acceptsGzip
        ? {
            headers: { "content-type": "application/json", "content-encoding": "gzip" },
            body: gzipSync(right(ask, page)),
          }
        : { body: right(ask, page) },
  },
  drip: { ...harmless, answer: sent({ kind: "drip", everyMillis: 10 }) },
  emptyPage: { ...harmless, page: (ask) => ({ served: [], cursor: cursorAt(ask.position, ask.number) }) },
  overlap: {
    ...harmless,
    page: (ask) => {
      const good = rightPage(ask)
      const back = Math.min(ask.position, Math.ceil(ask.pageSize / 2))
      return back === 0 ? undefined : { ...good, served: [...range(ask.position - back, ask.position), ...good.served] }
    },
  },
  doubledRow: {
    ...harmless,
    page: (ask) => {
      const good = rightPage(ask)
      return good.served.length === 0 ? undefined : { ...good, served: [...good.served, ...good.served.slice(-1)] }
    },
  },
  repeatedPage: {
    ...repeated,
    page: (ask) =>
      ask.position === 0
        ? undefined
        : {
            served: range(Math.max(0, ask.position - ask.pageSize), ask.position),
            cursor: cursorAt(ask.position, ask.number),
          },
  },
  missingCursor: { ...harmless, endsEarly: true, page: (ask) => ({ ...rightPage(ask), cursor: null }) },
  absentCursor: {
    ...harmless,
    endsEarly: true,
    page: (ask) => ({ ...rightPage(ask), cursor: null }),
    answer: (ask, page) => ({ body: body(ask, page, rowsOf(ask, page), { cursor: undefined }) }),
  },

  cycle: {
    ...repeated,
    page: (ask) => (ask.cursor === null ? undefined : { ...rightPage(ask), cursor: ask.cursor }),
  },
  wrongOrder: { outcomes: ["OutOfOrder"], again: "never", page: swapped },
  undecodableRow: {
    ...broken,
    page: single,
    answer: (ask, page) => ({
      body: body(
        ask,
        page,
        rowsOf(ask, page).map((row) => ({ ...row, block_number: "twelve" })),
      ),
    }),
  },
  notPage: { ...broken, answer: () => json(200, { hello: "world" }) },
  html: { ...broken, answer: page(200, "Welcome") },
  emptyBody: { ...broken, answer: () => ({ body: "" }) },
  cutJson: { ...broken, answer: (ask, page) => ({ body: right(ask, page).slice(0, -5) }) },
  oversize: { ...broken, answer: (ask, page) => ({ body: Wire.oversize(right(ask, page)) }) },
  gzipBomb: {
    ...broken,
    answer: (ask, page) => ({
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: Wire.bomb(right(ask, page)),
    }),
  },
  wrongEncoding: {
    outcomes: ["InvalidResponse", "TransportError"],
    again: "may",
    answer: (ask, page) => ({
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: right(ask, page),
    }),
  },
  redirect: { ...broken, answer: () => ({ status: 302, headers: { location: "/elsewhere" }, body: "" }) },

  closedBefore: { ...lost, answer: sent({ kind: "closedBefore" }) },
  closedAfter: { ...lost, answer: sent({ kind: "closedAfter" }) },
  cutBody: { ...lost, answer: sent({ kind: "cut" }) },
  stalledHeaders: { ...late, answer: sent({ kind: "stalledHeaders" }) },
  stalledBody: { ...late, answer: sent({ kind: "stalledBody" }) },
  endless: { ...late, answer: sent({ kind: "endless", everyMillis: 40 }) },

  limitedBare: { ...limited, answer: says(429, "Too Many Requests") },
  limitedPage: { ...limited, answer: page(429, "Too Many Requests") },
  limitedSeconds: {
    ...limited,
    asksWait: "exact",
    answer: (ask) => json(429, { message: "Too Many Requests" }, seconds(ask)),
  },
  limitedDate: {
    ...limited,
    asksWait: "second",
    answer: (ask) => json(429, { message: "Too Many Requests" }, date(ask)),
  },
  limitedContract: {
    ...limited,
    asksWait: "exact",
    answer: (ask) => {
      const headers = { ...seconds(ask), "ratelimit-limit": "25", "ratelimit-remaining": "0" }
      const answer = contract(429, "rate_limited")
      return { ...answer, headers: { ...answer.headers, ...headers } }
    },
  },
  unavailable: {
    outcomes: ["Unavailable"],
    again: "must",
    asksWait: "exact",
    answer: (ask) => {
      const answer = contract(503, "unavailable")
      return { ...answer, headers: { ...answer.headers, ...seconds(ask) } }
    },
  },
  unavailablePage: {
    outcomes: ["Unavailable", "InvalidResponse"],
    again: "must",
    answer: page(503, "Service Unavailable"),
  },
  serverError: { ...broken, again: "must", answer: says(500, "Internal server error") },
  serverErrorContract: { ...broken, again: "must", answer: () => contract(500, "internal") },
  badGateway: { ...broken, again: "must", answer: page(502, "502 Bad Gateway") },

  unauthorized: { outcomes: ["Unauthorized"], again: "never", answer: says(401, "Token is invalid format") },
  quotaUsedUp: {
    outcomes: ["QuotaExceeded"],
    again: "never",
    answer: says(
      401,
      "Validation service blocked: Your plan: free-plan-daily total included usage has been consumed, please upgrade your plan",
    ),
  },
  badRequest: { outcomes: ["BadRequest"], again: "never", answer: () => contract(400, "bad_request") },
  messageText: { outcomes: ["BadRequest"], again: "never", answer: says(400, "cursor is not valid") },
  messageList: {
    outcomes: ["BadRequest"],
    again: "never",
    answer: says(400, ["limit must not be greater than 100", "limit must be a number"]),
  },
  forbidden: { outcomes: ["Forbidden"], again: "never", answer: () => contract(403, "forbidden") },
  notFound: { outcomes: ["NotFound"], again: "never", answer: says(404, "Cannot GET /api/v2.2") },
  staleCursor: {
    outcomes: ["StaleCursor"],
    again: "never",
    answer: ({ rows, position }) => {
      const resumeFromBlock = Number(rows[Math.min(position, rows.length - 1)]?.block_number ?? 0)
      return contract(409, "stale_cursor", { resumeFromBlock })
    },
  },
} as const satisfies Readonly<Record<string, Row>>

/** The name of a misbehaviour. */
export type Name = keyof typeof rows

/** Every misbehaviour by name; `right` is the first. */
export const all: Readonly<Record<Name, Row>> = rows

/** The names, in the order of the rows. */
export const names = Object.keys(rows) as ReadonlyArray<Name>
