/**
 * A server of the wallet operation that misbehaves on purpose, over real sockets, and remembers what it did.
 *
 * It serves a given history in pages by cursor, except where its script says otherwise. The n-th request gets the n-th
 * step; after the last step all is right. A function in place of a script decides by what it sees. It looks at no key
 * and at no address: whoever asks gets the one history.
 */
import type { Effect, Scope } from "effect"
import * as RestFault from "./RestFault.ts"
import * as WalletHistory from "./WalletHistory.ts"
import * as Wire from "./Wire.ts"

/** One misbehaviour to play. */
export interface Step {
  readonly fault: RestFault.Name
  /** The wait that a fault with `asksWait` asks for, in milliseconds; rounded up to seconds. Default 0. */
  readonly waitMillis?: number
}

/** A request that is about to be answered. */
export interface Request extends Wire.Incoming {
  /** Its cursor; null on the first page. */
  readonly cursor: string | null
  readonly query: URLSearchParams
  /** How many times this cursor has come in a row, this time included. */
  readonly attempt: number
}

/** A request, what was done to it, and who ended it. */
export interface Exchange extends Wire.Exchange {
  readonly cursor: string | null
  /** What was played; `right` also where the fault could not be played. */
  readonly fault: RestFault.Name
  /** Indexes into the truth, as they were served; meaningful where the fault may lead to a page. */
  readonly served: ReadonlyArray<number>
  /** The cursor that was served. */
  readonly next: string | null
  /** The wait asked for, in milliseconds; undefined when none was. */
  readonly waitMillis: number | undefined
}

/** How to start a hostile server. */
export interface Options {
  /** Oldest first. Block bounds and `order` of a query are obeyed. */
  readonly history: ReadonlyArray<WalletHistory.Row>
  /** Rows of a page at most; `limit` may ask for fewer. Default 100. */
  readonly pageSize?: number
  /** Steps by order of arrival, or a decision for each request. Default: always right. */
  readonly script?: ReadonlyArray<Step> | ((request: Request) => Step)
}

/** A running hostile server. Its `url` is the base URL. */
export interface Rest extends Omit<Wire.Server, "exchanges"> {
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** How often each fault was played; faults that were not are missing. */
  readonly histogram: () => Readonly<Partial<Record<RestFault.Name, number>>>
}

type Facts = Pick<Exchange, "cursor" | "fault" | "served" | "next" | "waitMillis">

const inBounds =
  (query: URLSearchParams) =>
  ({ block_number }: WalletHistory.Row): boolean =>
    Number(block_number) >= Number(query.get("from_block") ?? 0) &&
    Number(block_number) <= Number(query.get("to_block") ?? Infinity)

const isPath = (path: string): boolean => /^\/api\/v2\.2\/0x[0-9a-f]{40}\/verbose$/i.test(path)

const issue = (status: number, message: string): Wire.Answer => ({ status, body: JSON.stringify({ message }) })

/** Starts a hostile server; call `stop` when done with it. */
export const start = async (options: Options): Promise<Rest> => {
  const { script = [], pageSize = 100 } = options
  const decide = typeof script === "function" ? script : ({ number }: Request): Step | undefined => script[number - 1]
  const facts = new Map<number, Facts>()
  let latest: { readonly cursor: string | null; readonly attempt: number } = { cursor: null, attempt: 0 }

  const respond = (incoming: Wire.Incoming): Wire.Answer => {
    const { pathname, searchParams: query } = new URL(incoming.path, "http://localhost")
    if (!isPath(pathname)) return issue(404, `there is nothing at ${pathname}`)
    const cursor = query.get("cursor")
    const position = cursor === null ? 0 : RestFault.positionOf(cursor)
    if (position === undefined) return issue(400, "cursor is not valid")
    latest = { cursor, attempt: latest.cursor === cursor ? latest.attempt + 1 : 1 }
    const request: Request = { ...incoming, ...latest, query }
    const step: Step = decide(request) ?? { fault: "right" }

    const waitMillis =
      RestFault.all[step.fault].asksWait === undefined ? undefined : Math.ceil((step.waitMillis ?? 0) / 1000) * 1000
    const ask: RestFault.Ask = {
      number: incoming.number,
      rows: WalletHistory.ordered(options.history, query.get("order")).filter(inBounds(query)),
      position,
      pageSize: Math.min(pageSize, Number(query.get("limit") ?? pageSize)),
      cursor,
      waitMillis: waitMillis ?? 0,
      acceptsGzip: /\bgzip\b/.test(String(incoming.headers["accept-encoding"])),
    }
    const wanted = RestFault.all[step.fault]
    const changed = wanted.page === undefined ? RestFault.rightPage(ask) : wanted.page(ask)
    const fault = changed === undefined ? "right" : step.fault
    const page = changed ?? RestFault.rightPage(ask)
    facts.set(incoming.number, { cursor, fault, served: page.served, next: page.cursor, waitMillis })
    return (RestFault.all[fault].answer ?? RestFault.rightAnswer)(ask, page)
  }

  const server = await Wire.start(respond)
  const foreign: Facts = { cursor: null, fault: "right", served: [], next: null, waitMillis: undefined }
  return {
    ...server,
    exchanges: () =>
      server.exchanges().map((exchange) => Object.assign({}, exchange, facts.get(exchange.number) ?? foreign)),
    histogram: () => {
      const counts: Partial<Record<RestFault.Name, number>> = {}
      for (const { fault } of facts.values()) counts[fault] = (counts[fault] ?? 0) + 1
      return counts
    },
  }
}

/** Runs a hostile server for as long as the scope lives. */
export const make = (options: Options): Effect.Effect<Rest, never, Scope.Scope> => Wire.make(() => start(options))
