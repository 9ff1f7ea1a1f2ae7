/** Pages and streams of rows for programs that use promises. */
import type { WalletPage } from "@daybook/schema/WalletPage"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import type * as Client from "../Client.ts"
import type { Page } from "../Operation.ts"
import type { OperationCalls, WithTag } from "./OperationCalls.ts"
import { signalOf } from "./PromiseCall.ts"
import * as RowIterable from "./RowIterable.ts"

/**
 * Options of one call.
 */
export interface CallOptions extends Client.CallOptions {
  /** Aborting ends the call and closes its socket; the promise rejects with the reason of the signal. The timeout still applies. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Options of a stream.
 */
export interface StreamOptions extends Client.StreamOptions, CallOptions {}

/**
 * Options of a stream that emits `RowsReverted` markers.
 */
export interface RestartOptions extends Client.RestartOptions, CallOptions {}

/**
 * A page that can request the next one.
 */
export type Paged<P> = P & {
  /** Returns the next page of the same query, with the same options; `null` after the last page. Omitted from JSON. */
  readonly next: () => Promise<Paged<P> | null>
}

/**
 * A promise of a page.
 */
export interface PagePromise<P = WalletPage> extends Promise<Paged<P>> {
  /** The page of the same request with index coverage, headers, request id and attempts. */
  readonly withResponse: () => Promise<Client.PageResponse<Paged<P>>>
}

/**
 * Options of a conditional call: the program may already have the page.
 */
export interface ConditionalOptions extends Client.ConditionalOptions, CallOptions {}

/**
 * Requests a page and its response.
 */
export interface PageCall<P, Q> {
  /** Returns the page with index coverage, headers, request id and attempts, or `notModified` if its tag is unchanged. */
  (query: Q, options: ConditionalOptions): Promise<Client.PageResponse<Paged<P>> | Client.NotModified>
  /** Returns the page with index coverage, headers, request id and attempts. */
  (query: Q, options?: CallOptions): Promise<Client.PageResponse<Paged<P>>>
}

/**
 * All rows of the range. Each iteration starts a new query.
 */
export interface Rows<A> extends AsyncIterable<A> {
  /**
   * Position of the latest iteration after the last value it yielded: text without a key, for `resume`. Undefined before the first page.
   * Store it once the value is processed, and a crash neither loses nor repeats a row.
   */
  readonly position: () => string | undefined
}

/**
 * Iterates all rows of the range, each once and in order. The second page is requested when its first row is needed, later pages one ahead.
 * Leaving the loop early makes no further requests and closes the socket of the request in flight.
 */
export interface RowStream<A, Q> {
  /** Iterates all rows of the range, each once and in order. After a reorg it yields a marker, then the replacement rows. */
  (query: Q, options: RestartOptions): Rows<A | Client.RowsReverted>
  /** Iterates all rows of the range, each once and in order. Amounts are bigints, times are dates. */
  (query: Q, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Rows<A>
  /** Iterates all rows of the range. For options that are not known at compile time. */
  (query: Q, options?: StreamOptions): Rows<A | Client.RowsReverted>
}

/**
 * Iterates the rows of a range one page at a time, each page with its response, the progress so far and a position for `resume`.
 */
export interface PageStream<P, Q> {
  /** Iterates the pages of a range. After a reorg it yields a marker, then the pages of the replacement rows. */
  (query: Q, options: RestartOptions): AsyncIterable<Client.StreamPage<P> | Client.RowsReverted>
  /** Iterates the pages of a range, each with its response, the progress so far and a position for `resume`. */
  (
    query: Q,
    options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined },
  ): AsyncIterable<Client.StreamPage<P>>
  /** Iterates the pages of a range. For options that are not known at compile time. */
  (query: Q, options?: StreamOptions): AsyncIterable<Client.StreamPage<P> | Client.RowsReverted>
}

/** Page of a response. */
const toPage = <P>(response: Promise<Client.PageResponse<Paged<P>>>): PagePromise<P> => {
  const page = response.then((whole) => whole.page)
  return Object.assign(page, {
    withResponse: () => {
      // The response reports the rejection; the page's own would be unhandled.
      page.catch(() => undefined)
      return response
    },
  })
}

/** The calls of an operation with pages. */
export const paged = <Q, Row, P extends Page<Row>>(calls: OperationCalls<Q, Row, P>) => {
  const withNext = (response: Client.PageResponse<P>, query: Q, call: CallOptions | undefined) => {
    const { cursor } = response.page
    const next = async () => (cursor === null ? null : (await plain({ ...query, cursor }, call)).page)
    // Not enumerable, so that a page is stored, copied and compared without it.
    Object.defineProperty(response.page, "next", { value: next, enumerable: false })
    // Sound: the property was just defined.
    return response as Client.PageResponse<Paged<P>>
  }
  const plain = async (query: Q, call?: CallOptions) =>
    withNext(await PromiseRunner.run(calls.response(query, call), { signal: signalOf(call) }), query, call)
  const withResponse = async (query: Q, call?: CallOptions & WithTag) => {
    const response = await PromiseRunner.run(calls.withResponse(query, call), { signal: signalOf(call) })
    if (response.notModified === true) return response
    // The tag belongs to this page only.
    const { ifNoneMatch: _tag, ...rest } = call ?? {}
    return withNext(response, query, rest)
  }
  return {
    page: (query: Q, call?: CallOptions): PagePromise<P> => toPage<P>(plain(query, call)),
    // Sound: a call without a tag returns a page.
    withResponse: withResponse as PageCall<P, Q>,
    // Sound, here and below: a stream that does not restart emits no marker.
    rows: ((query: Q, call?: StreamOptions) =>
      RowIterable.rows(calls.source, query, call, signalOf(call))) as RowStream<Row, Q>,
    pages: ((query: Q, call?: StreamOptions) =>
      RowIterable.pages(calls.source, query, call, signalOf(call))) as PageStream<P, Q>,
  }
}
