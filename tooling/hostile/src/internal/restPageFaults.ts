/**
 * Faults in the pages of the wallet operation: spelling of values, cursors, repeated rows, order, and unreadable bodies.
 */
import * as Payload from "@daybook/harness/Payload"
import {
  bodyOf,
  correctBody,
  correctPage,
  cursorAt,
  delivered,
  mapValues,
  range,
  rowsOf,
  singleRow,
  withValues,
} from "./restFault.ts"
import type { Context, Fault, Page } from "./restFault.ts"

const harmless = { outcomes: ["page"], retry: "forbidden" } as const
const repeated = { outcomes: ["page", "InvalidResponse"], retry: "forbidden" } as const
const invalid = { outcomes: ["InvalidResponse"], retry: "allowed" } as const

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

/** The first index of a page whose row has a different timestamp than the previous row. */
const timestampChange = ({ rows }: Context, { served }: Page): number =>
  served.findIndex(
    (index, at) => at > 0 && rows[index]?.block_timestamp !== rows[served[at - 1] ?? -1]?.block_timestamp,
  )

const swapped = (context: Context): Page | undefined => {
  const correct = correctPage(context)
  const at = timestampChange(context, correct)
  if (at < 1) return undefined
  const [before = 0, after = 0] = [correct.served[at - 1], correct.served[at]]
  return { ...correct, served: correct.served.with(at - 1, after).with(at, before) }
}

export const pageFaults = {
  none: { ...harmless },
  nulls: { ...harmless, respond: withValues((value) => (value === "" ? null : value)) },
  emptyStrings: {
    ...harmless,
    respond: withValues((value, key) => (value === null && key.endsWith("_label") ? "" : value)),
  },
  numbers: {
    ...harmless,
    respond: withValues((value, key) => (numeric.has(key) ? Number(value) : value), { page: 0, page_size: 100 }),
  },
  unknownKeys: {
    ...harmless,
    respond: withValues(
      (value) =>
        typeof value === "object" && value !== null ? { ...value, from_address_entity: "Bank", x_new: [1] } : value,
      { total: null },
    ),
  },
  objectForList: {
    ...harmless,
    page: singleRow,
    respond: (context, page) => ({
      body: bodyOf(
        context,
        page,
        mapValues(rowsOf(context, page)[0], (value, key) =>
          lists.has(key) && Array.isArray(value) && value.length === 1 ? value[0] : value,
        ),
      ),
    }),
  },
  gzip: {
    ...harmless,
    respond: (context, page) => Payload.compressed(correctBody(context, page), context.acceptsGzip),
  },
  drip: { ...harmless, respond: delivered({ kind: "drip", everyMillis: 10 }) },
  emptyPage: { ...harmless, page: ({ number, position }) => ({ served: [], cursor: cursorAt(position, number) }) },
  overlap: {
    ...harmless,
    page: (context) => {
      const correct = correctPage(context)
      const back = Math.min(context.position, Math.ceil(context.pageSize / 2))
      const before = range(context.position - back, context.position)
      return back === 0 ? undefined : { ...correct, served: [...before, ...correct.served] }
    },
  },
  duplicateRow: {
    ...harmless,
    page: (context) => {
      const { cursor, served } = correctPage(context)
      return served.length === 0 ? undefined : { cursor, served: [...served, ...served.slice(-1)] }
    },
  },
  repeatedPage: {
    ...repeated,
    page: ({ number, pageSize, position }) =>
      position === 0
        ? undefined
        : { served: range(Math.max(0, position - pageSize), position), cursor: cursorAt(position, number) },
  },
  missingCursor: { ...harmless, endsEarly: true, page: (context) => ({ ...correctPage(context), cursor: null }) },
  absentCursor: {
    ...harmless,
    endsEarly: true,
    page: (context) => ({ ...correctPage(context), cursor: null }),
    respond: (context, page) => ({ body: bodyOf(context, page, rowsOf(context, page), { cursor: undefined }) }),
  },

  cycle: {
    ...repeated,
    page: (context) => (context.cursor === null ? undefined : { ...correctPage(context), cursor: context.cursor }),
  },
  wrongOrder: { outcomes: ["OutOfOrder"], retry: "forbidden", page: swapped },
  undecodableRow: {
    ...invalid,
    page: singleRow,
    respond: (context, page) => ({
      body: bodyOf(
        context,
        page,
        rowsOf(context, page).map((row) => ({ ...row, block_number: "twelve" })),
      ),
    }),
  },
  notPage: { ...invalid, respond: () => Payload.json({ hello: "world" }) },
  html: { ...invalid, respond: () => Payload.html("Welcome") },
  emptyBody: { ...invalid, respond: () => ({ body: "" }) },
  truncatedJson: { ...invalid, respond: (context, page) => ({ body: correctBody(context, page).slice(0, -5) }) },
  oversize: { ...invalid, respond: (context, page) => ({ body: Payload.oversize(correctBody(context, page)) }) },
  gzipBomb: {
    ...invalid,
    respond: (context, page) => Payload.declaredGzip(Payload.gzipBomb(correctBody(context, page))),
  },
  wrongEncoding: {
    ...invalid,
    outcomes: ["InvalidResponse", "TransportError"],
    respond: (context, page) => Payload.declaredGzip(correctBody(context, page)),
  },
} as const satisfies Readonly<Record<string, Fault>>
