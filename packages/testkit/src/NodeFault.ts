/**
 * Everything a hostile node does, one row each: what goes over the wire, and what a sound client may make of it.
 *
 * To add a misbehaviour, add a row. `HostileNode` plays the rows; `NodeScript` draws them and judges by them.
 */
import { gzipSync } from "node:zlib"
import * as VirtualChain from "./VirtualChain.ts"
import * as Wire from "./Wire.ts"

/** A call as it came in a request. */
export interface Call extends VirtualChain.Call {
  readonly id: unknown
}

/** What a call may end with: its right answer, `null`, or an error of this tag. */
export type Outcome =
  | "truth"
  | "null"
  | "RpcError"
  | "RateLimited"
  | "Unauthorized"
  | "InvalidResponse"
  | "TransportError"
  | "TimeoutError"

/** What a fault gets to answer with. */
export interface Ask {
  readonly calls: ReadonlyArray<Call>
  /** The right replies, in the order of the calls. */
  readonly replies: ReadonlyArray<VirtualChain.Reply>
  readonly isBatch: boolean
  /** Index of the call that a fault of one call hits. */
  readonly victim: number
  /** The wait that a fault asks for, in milliseconds. */
  readonly waitMillis: number
  readonly acceptsGzip: boolean
}

/** One misbehaviour. */
export interface Row {
  /** Goes over the wire. */
  readonly answer: (ask: Ask) => Wire.Answer
  /** The calls that are touched: one, all of the request, or none. Default `all`. */
  readonly hits?: "victim" | "all" | "none"
  /** Played only where the request is a batch of two or more; elsewhere the answer is right. */
  readonly batchOnly?: true
  /** What a touched call may end with when it is not tried again. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** Whether a touched call is sent again: it must be, it must not be, or the client may choose. */
  readonly again: "must" | "may" | "never"
  /** The fault asks every call to wait. `exact`: to the millisecond; `second`: a date, exact to one second. */
  readonly asksWait?: "exact" | "second"
  /** The batch is refused for its size: it is split, and that is no attempt. */
  readonly splits?: true
}

/** Characters of an item that is too large, in a body that is not: 640 KiB. */
export const oversizeItemBytes = 640 * 1024

type Item = Readonly<Record<string, unknown>>

const strangeId = 987_654_321

const item = (call: Call, reply: VirtualChain.Reply): Item => ({ jsonrpc: "2.0", id: call.id, ...reply })

/** A right answer to a call that nobody made. */
const foreign = VirtualChain.answer({ method: "eth_getCode", params: ["0xforeign"] })

const itemsOf = ({ calls, replies }: Ask): ReadonlyArray<Item> =>
  calls.map((call, at) => item(call, replies[at] ?? foreign))

/** The text of a body: an array for a batch; for a single call its item, unless there is not exactly one. */
const text = (ask: Ask, items: ReadonlyArray<unknown>): string =>
  JSON.stringify(ask.isBatch || items.length !== 1 ? items : items[0])

const right = (ask: Ask): string => text(ask, itemsOf(ask))

const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Wire.Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
})

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Wire.Answer => ({
  status,
  headers: { "content-type": "text/plain", ...headers },
  body,
})

const page = (status: number, title: string): Wire.Answer => ({
  status,
  headers: { "content-type": "text/html" },
  body: Wire.html(title),
})

/** The right answer, sent badly. */
const sent = (delivery: Wire.Delivery) => (ask: Ask) => ({ body: right(ask), delivery })

/** The right items but for the victim's, which becomes these. */
const victim = (change: (good: Item, call: Call) => ReadonlyArray<unknown>) => (ask: Ask) => ({
  body: text(
    ask,
    itemsOf(ask).flatMap((good, at) => (at === ask.victim ? change(good, ask.calls[at] as Call) : [good])),
  ),
})

const victimError = (code: number, message: string, data?: unknown): Row["answer"] =>
  victim((_, call) => [item(call, { error: { code, message, ...(data === undefined ? {} : { data }) } })])

const limitCodes = [-32005, -32007, -32011, -32029, 429] as const

/** The code by which a call is told that there are too many: each provider has its own. */
const limitCode = (call: Call): number => limitCodes[VirtualChain.keyOf(call).length % limitCodes.length] ?? -32005

/** The same error for each call, in an envelope of its own. */
const errorForEach = (ask: Ask, code: number, message: string) =>
  JSON.parse(
    text(
      ask,
      ask.calls.map((call) => item(call, { error: { code, message } })),
    ),
  ) as unknown

const refusal = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, error: { code, message } })

const seconds = ({ waitMillis }: Ask): Readonly<Record<string, string>> => ({
  "retry-after": String(Math.ceil(waitMillis / 1000)),
})

const date = ({ waitMillis }: Ask): Readonly<Record<string, string>> => {
  const now = Math.floor(Date.now() / 1000) * 1000
  return { date: new Date(now).toUTCString(), "retry-after": new Date(now + waitMillis).toUTCString() }
}

const limited = { outcomes: ["RateLimited"], again: "must" } as const
const harmless = { hits: "none", outcomes: ["truth"], again: "never" } as const
const broken = { outcomes: ["InvalidResponse"], again: "may" } as const
const brokenOne = { hits: "victim", outcomes: ["InvalidResponse"], again: "may" } as const
const tolerable = { hits: "victim", outcomes: ["truth", "InvalidResponse"], again: "may" } as const
const refused = { batchOnly: true, outcomes: ["RpcError", "InvalidResponse"], again: "must", splits: true } as const

/** `Error("paused")` as a contract reverts with it. */
const revertData = `0x08c379a0${"20".padStart(64, "0")}${"6".padStart(64, "0")}${Buffer.from("paused").toString("hex").padEnd(64, "0")}`

const rows = {
  right: { ...harmless, answer: (ask) => ({ body: right(ask) }) },
  reordered: { ...harmless, batchOnly: true, answer: (ask) => ({ body: text(ask, itemsOf(ask).toReversed()) }) },
  extraItem: {
    ...harmless,
    batchOnly: true,
    answer: (ask) => ({ body: text(ask, [{ jsonrpc: "2.0", id: strangeId, ...foreign }, ...itemsOf(ask)]) }),
  },
  gzip: {
    ...harmless,
    answer: (ask) =>
      ask.acceptsGzip
        ? {
            headers: { "content-type": "application/json", "content-encoding": "gzip" },
            body: gzipSync(right(ask)),
          }
        : { body: right(ask) },
  },
  drip: { ...harmless, answer: sent({ kind: "drip", everyMillis: 10 }) },

  doubled: { ...tolerable, answer: victim((good) => [good, good]) },
  textId: { ...tolerable, answer: victim((good, { id }) => [{ ...good, id: String(id) }]) },
  absentVersion: { ...tolerable, answer: victim((good) => [{ ...good, jsonrpc: undefined }]) },
  wrongType: {
    ...tolerable,
    hits: "all",
    answer: (ask) => ({ headers: { "content-type": "text/html; charset=utf-8" }, body: right(ask) }),
  },

  missing: { ...brokenOne, again: "must", batchOnly: true, answer: victim(() => []) },
  contradicted: { ...brokenOne, answer: victim((good, call) => [item(call, foreign), good]) },
  nullId: { ...brokenOne, answer: victim((good) => [{ ...good, id: null }]) },
  absentId: { ...brokenOne, answer: victim((good) => [{ ...good, id: undefined }]) },
  wrongId: { ...brokenOne, answer: victim((good) => [{ ...good, id: strangeId }]) },
  wrongVersion: { ...brokenOne, answer: victim((good) => [{ ...good, jsonrpc: "1.0" }]) },
  noResult: { ...brokenOne, answer: victim(({ id, jsonrpc }) => [{ jsonrpc, id }]) },
  undecodable: { ...brokenOne, answer: victim((_, call) => [item(call, { result: { nonsense: [1] } })]) },
  oversizeItem: {
    ...brokenOne,
    answer: victim((_, call) => [item(call, { result: `0x${"00".repeat(oversizeItemBytes / 2)}` })]),
  },
  nullResult: {
    ...brokenOne,
    outcomes: ["null", "InvalidResponse"],
    answer: victim((_, call) => [item(call, { result: null })]),
  },
  errorText: {
    ...brokenOne,
    outcomes: ["InvalidResponse", "RpcError"],
    answer: victim((_, { id }) => [{ jsonrpc: "2.0", id, error: "something went wrong" }]),
  },

  invalidParams: {
    hits: "victim",
    outcomes: ["RpcError"],
    again: "never",
    answer: victimError(-32602, "invalid argument 0: rate limit of hex digits exceeded"),
  },
  reverted: {
    hits: "victim",
    outcomes: ["RpcError"],
    again: "never",
    answer: victimError(3, "execution reverted: paused", revertData),
  },
  unsupported: {
    hits: "victim",
    outcomes: ["RpcError"],
    again: "never",
    answer: victimError(-32601, "the method does not exist/is not available"),
  },
  internal: { hits: "victim", outcomes: ["RpcError"], again: "must", answer: victimError(-32603, "Internal error") },
  limitedItem: {
    ...limited,
    hits: "victim",
    answer: victim((_, call) => [item(call, { error: { code: limitCode(call), message: "limit exceeded" } })]),
  },
  limitedText: {
    ...limited,
    hits: "victim",
    answer: victimError(-32000, "Too many requests, please slow down"),
  },

  oneError: { outcomes: ["RpcError"], again: "may", answer: () => json(refusal(-32010, "the whole request failed")) },
  oneLimit: { ...limited, answer: () => json(refusal(-32005, "rate limit exceeded")) },
  oneForBatch: {
    ...broken,
    batchOnly: true,
    answer: (ask) => json(itemsOf(ask)[0]),
  },
  explorer: {
    ...broken,
    outcomes: ["InvalidResponse", "RateLimited"],
    answer: () => json({ status: "0", message: "NOTOK", result: "Max rate limit reached" }),
  },
  html: { ...broken, answer: () => page(200, "Welcome") },
  words: { ...broken, answer: () => plain(200, "it works") },
  emptyBody: { ...broken, answer: () => plain(200, "") },
  cutJson: { ...broken, answer: (ask) => ({ body: right(ask).slice(0, -2) }) },
  oversize: { ...broken, answer: (ask) => ({ body: Wire.oversize(right(ask)) }) },
  gzipBomb: {
    ...broken,
    answer: (ask) => ({
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: Wire.bomb(right(ask)),
    }),
  },
  wrongEncoding: {
    ...broken,
    outcomes: ["InvalidResponse", "TransportError"],
    answer: (ask) => ({
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: right(ask),
    }),
  },
  redirect: { ...broken, answer: () => ({ status: 307, headers: { location: "/elsewhere" }, body: "" }) },

  closedBefore: { outcomes: ["TransportError"], again: "must", answer: sent({ kind: "closedBefore" }) },
  closedAfter: { outcomes: ["TransportError"], again: "must", answer: sent({ kind: "closedAfter" }) },
  cutBody: { outcomes: ["TransportError"], again: "must", answer: sent({ kind: "cut" }) },
  stalledHeaders: { outcomes: ["TimeoutError"], again: "may", answer: sent({ kind: "stalledHeaders" }) },
  stalledBody: { outcomes: ["TimeoutError"], again: "may", answer: sent({ kind: "stalledBody" }) },
  endless: { outcomes: ["TimeoutError"], again: "may", answer: sent({ kind: "endless", everyMillis: 40 }) },

  limitedBare: { ...limited, answer: () => plain(429, "") },
  limited1015: { ...limited, answer: () => plain(429, "error code: 1015") },
  limitedPage: { ...limited, answer: () => page(429, "Too Many Requests") },
  limitedSeconds: { ...limited, asksWait: "exact", answer: (ask) => plain(429, "Too Many Requests", seconds(ask)) },
  limitedDate: { ...limited, asksWait: "second", answer: (ask) => plain(429, "Too Many Requests", date(ask)) },
  limitedMillis: {
    ...limited,
    asksWait: "exact",
    answer: (ask) => plain(429, "Too Many Requests", { "retry-after-ms": String(ask.waitMillis) }),
  },
  limitedRpc: {
    ...limited,
    asksWait: "exact",
    answer: (ask) => json(refusal(-32005, "daily request count exceeded, request rate limited"), 429, seconds(ask)),
  },
  limitedRpcEach: { ...limited, answer: (ask) => json(errorForEach(ask, -32029, "Too Many Requests"), 429) },
  unavailable: {
    outcomes: ["InvalidResponse", "RateLimited"],
    again: "must",
    asksWait: "exact",
    answer: (ask) => plain(503, "Service Unavailable", seconds(ask)),
  },
  serverError: { ...broken, again: "must", answer: () => plain(500, "Internal Server Error") },
  serverErrorRpc: {
    outcomes: ["RpcError"],
    again: "must",
    answer: (ask) => json(errorForEach(ask, -32603, "Internal error"), 500),
  },
  badGateway: { ...broken, again: "must", answer: () => page(502, "502 Bad Gateway") },
  unauthorized: {
    outcomes: ["Unauthorized"],
    again: "never",
    answer: () => json({ message: "Must be authenticated!" }, 401),
  },

  refused413: { ...refused, answer: () => plain(413, "Request Entity Too Large") },
  refusedSize: { ...refused, answer: () => json(refusal(-32003, "batch too large")) },
  refusedBatch: { ...refused, answer: () => json(refusal(-32202, "batch requests are disabled")) },
} as const satisfies Readonly<Record<string, Row>>

/** The name of a misbehaviour. */
export type Name = keyof typeof rows

/** Every misbehaviour by name; `right` is the first. */
export const all: Readonly<Record<Name, Row>> = rows

/** The names, in the order of the rows. */
export const names = Object.keys(rows) as ReadonlyArray<Name>

/** Tells how a fault is played in a request of so many calls: `right` where it needs a batch and there is none. */
export const inRequest = (name: Name, request: { readonly isBatch: boolean; readonly calls: number }): Name =>
  all[name].batchOnly === true && !(request.isBatch && request.calls > 1) ? "right" : name

/** What a fault does to the call at an index: its own name, or `right` for a call that it does not touch. */
export const fateOf = (name: Name, index: number, victimIndex: number): Name => {
  const { hits = "all" } = all[name]
  if (hits === "none") return "right"
  return hits === "all" || index === victimIndex ? name : "right"
}
