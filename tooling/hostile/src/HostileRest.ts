/**
 * REST server of the wallet operation that misbehaves by script over real sockets and records what it served.
 *
 * It serves a given history page by page, except where the script has a fault. The n-th request receives the n-th step;
 * requests after the last step are answered correctly. A function in place of a script chooses the fault of each request.
 * The API key and the wallet's address are not checked.
 */
import type { Effect, Scope } from "effect"
import * as FaultyServer from "@daybook/harness/FaultyServer"
import * as LocalServer from "@daybook/harness/LocalServer"
import * as Payload from "@daybook/harness/Payload"
import * as RestFault from "./RestFault.ts"
import * as WalletHistory from "./WalletHistory.ts"

/** A fault to apply to one request. */
export interface Step {
  readonly fault: RestFault.Name
  /** Wait requested by a fault with `retryAfter`, in milliseconds; rounded up to seconds. Default 0. */
  readonly waitMillis?: number
}

/** A request before its response. */
export interface Request extends FaultyServer.Request {
  /** Null on the first page. */
  readonly cursor: string | null
  readonly query: URLSearchParams
  /** Number of consecutive requests with this cursor, including this one. */
  readonly attempt: number
}

/** A request, the fault applied to it, and how it ended. */
export interface Exchange extends FaultyServer.Exchange {
  readonly cursor: string | null
  /** `none` also if the scripted fault did not apply. */
  readonly fault: RestFault.Name
  /** Indexes of the rows served, in order; meaningful if the fault may lead to a page. */
  readonly served: ReadonlyArray<number>
  /** Cursor of the response. */
  readonly next: string | null
  /** Requested wait, in milliseconds; undefined when the response requested none. */
  readonly waitMillis: number | undefined
}

/** How to start a hostile server. */
export interface Options {
  /** Oldest first. The block range and `order` of a query are applied. */
  readonly history: ReadonlyArray<WalletHistory.Row>
  /** Maximum number of rows per page; `limit` may request fewer. Default 100. */
  readonly pageSize?: number
  /** Steps in order of arrival, or a function that chooses a step for each request. Default: no faults. */
  readonly script?: ReadonlyArray<Step> | ((request: Request) => Step)
}

/** A running hostile server. Its `url` is the base URL. */
export interface Server extends Omit<FaultyServer.Server, "exchanges"> {
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** Number of requests that received each fault; faults that were not applied are absent. */
  readonly histogram: () => Readonly<Partial<Record<RestFault.Name, number>>>
}

type Facts = Pick<Exchange, "cursor" | "fault" | "served" | "next" | "waitMillis">

const inRange =
  (query: URLSearchParams) =>
  ({ block_number }: WalletHistory.Row): boolean =>
    Number(block_number) >= Number(query.get("from_block") ?? 0) &&
    Number(block_number) <= Number(query.get("to_block") ?? Infinity)

const isPath = (path: string): boolean => /^\/api\/v2\.2\/0x[0-9a-f]{40}\/verbose$/i.test(path)

/** Starts a hostile server; call `stop` to end it. */
export const start = async (options: Options): Promise<Server> => {
  const { script = [], pageSize = 100 } = options
  const choose = typeof script === "function" ? script : ({ number }: Request): Step | undefined => script[number - 1]
  const facts = new Map<number, Facts>()
  let latest: { readonly cursor: string | null; readonly attempt: number } = { cursor: null, attempt: 0 }

  const respond = (received: FaultyServer.Request): FaultyServer.Response => {
    const { pathname, searchParams: query } = new URL(received.url, "http://localhost")
    if (!isPath(pathname)) return Payload.json({ message: `not found: ${pathname}` }, 404)
    const cursor = query.get("cursor")
    const position = cursor === null ? 0 : RestFault.positionOf(cursor)
    if (position === undefined) return Payload.json({ message: "cursor is not valid" }, 400)
    latest = { cursor, attempt: latest.cursor === cursor ? latest.attempt + 1 : 1 }
    const step: Step = choose({ ...received, ...latest, query }) ?? { fault: "none" }

    const scripted = RestFault.all[step.fault]
    const waitMillis = scripted.retryAfter === undefined ? undefined : Math.ceil((step.waitMillis ?? 0) / 1000) * 1000
    const context: RestFault.Context = {
      number: received.number,
      rows: WalletHistory.ordered(options.history, query.get("order")).filter(inRange(query)),
      position,
      pageSize: Math.min(pageSize, Number(query.get("limit") ?? pageSize)),
      cursor,
      waitMillis: waitMillis ?? 0,
      acceptsGzip: /\bgzip\b/.test(String(received.headers["accept-encoding"])),
    }
    const changed = (scripted.page ?? RestFault.correctPage)(context)
    const fault = changed === undefined ? "none" : step.fault
    const page = changed ?? RestFault.correctPage(context)
    facts.set(received.number, { cursor, fault, served: page.served, next: page.cursor, waitMillis })
    return (RestFault.all[fault].respond ?? RestFault.correctResponse)(context, page)
  }

  const server = await FaultyServer.start(respond)
  const rejected: Facts = { cursor: null, fault: "none", served: [], next: null, waitMillis: undefined }
  return {
    ...server,
    exchanges: () =>
      server.exchanges().map((exchange) => Object.assign({}, exchange, facts.get(exchange.number) ?? rejected)),
    histogram: () => {
      const counts: Partial<Record<RestFault.Name, number>> = {}
      for (const { fault } of facts.values()) counts[fault] = (counts[fault] ?? 0) + 1
      return counts
    },
  }
}

/** Runs a hostile server until the scope closes. */
export const make = (options: Options): Effect.Effect<Server, never, Scope.Scope> =>
  LocalServer.scoped(() => start(options))
