/**
 * An operation of the REST interface as the client uses it: its contract, the encoding of its query, and the position of its rows in the
 * chain. Pagination, streams, positions and resume are implemented once for all operations.
 */
import type { Issue } from "@daybook/schema/Issue"
import type { RestOperation } from "@daybook/schema/RestOperation"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * A page of rows, in the order of the chain.
 */
export interface Page<Row> {
  /** Cursor of the next page; `null` on the last one. */
  readonly cursor: string | null
  readonly result: ReadonlyArray<Row>
}

/**
 * A query as text: path parameters and query parameters in the spelling of the interface.
 */
export interface EncodedQuery {
  readonly params: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  /** JSON text of the body, for an operation that changes something. */
  readonly body?: string | undefined
}

/**
 * Position of a row in the chain.
 */
export interface RowPosition {
  /** Unique key of the row: a hash, followed by what distinguishes rows with the same hash. */
  readonly key: string
  readonly block: bigint
  readonly blockHash: string
  /** Timestamp of the block, in milliseconds since 1970. */
  readonly timeMillis: number
}

/**
 * An operation of the client that responds with one value. Requests that change something can be sent again safely.
 */
export interface SingleOperation<Query, A> {
  /** Path, parameters, response and errors of the interface. */
  readonly contract: RestOperation & { readonly response: Schema.Codec<A, unknown> }
  /** Encodes a query, or returns its first issue. */
  readonly encode: (query: Query) => Result.Result<EncodedQuery, Issue>
}

/**
 * An operation of the client that responds with pages. Its query parameters may include `cursor`, `limit`, `order` and the bounds `from_block`, `to_block`,
 * `from_date` and `to_date`, which the pagination sets.
 */
export interface Operation<Query, Row, P extends Page<Row> = Page<Row>> extends SingleOperation<Query, P> {
  /** One row of a page. */
  readonly row: Schema.Codec<Row, unknown>
  readonly locate: (row: Row) => RowPosition
  /** Key of a row that may be invalid; undefined if it has none. */
  readonly keyOf: (row: unknown) => string | undefined
  /** Query for the events that report changes of its rows; undefined if there are none. */
  readonly events?: ((query: EncodedQuery) => EncodedQuery | undefined) | undefined
}
