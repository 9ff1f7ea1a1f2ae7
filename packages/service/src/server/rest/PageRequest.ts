/**
 * Converts a page request to a query: range, order and position, from its parameters or from the cursor with which they are compared. Pure.
 *
 * Source: docs/interface.md#4.1; decisions 0008 and 0011.
 */
import type * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { Range } from "../../query/Range.ts"
import * as WalletPage from "../../query/WalletPage.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as Cursor from "./Cursor.ts"
import * as RangeParameters from "./RangeParameters.ts"

/** Query parameters common to all paged operations. */
export interface Parameters extends Pick<
  WalletQuery.WalletQuery,
  "chain" | "from_block" | "to_block" | "from_date" | "to_date" | "cursor" | "limit" | "order"
> {}

/**
 * A query whose parameters are all handled here. An operation takes out its own parameters first, so that one that was added to the
 * contract but not handled does not compile.
 */
export type Handled<Q> = [Exclude<keyof Q, keyof Parameters>] extends [never]
  ? Q
  : `Query parameter not handled: ${Exclude<keyof Q, keyof Parameters> & string}`

/** What is known about a request besides its parameters. */
export interface Options {
  readonly chain: IndexedChain
  /** The decoded cursor; undefined for a first page. */
  readonly cursor: Cursor.Cursor | undefined
  /** Lower case. */
  readonly wallet: string
  /** The requested list, as its cursors name it. */
  readonly list: Cursor.List
  /** Filters, in the form of a cursor. */
  readonly filter?: Cursor.Filter
  readonly maxLimit: number
}

/** The query of a request, and what its next cursor repeats. */
export interface PageRequest {
  readonly query: Pick<WalletPage.Query<unknown>, "chain" | "wallet" | "range" | "order" | "position" | "limit">
  readonly list: Cursor.List
  readonly filter: Cursor.Filter
  /** Number of the page, from 0. */
  readonly page: number
}

const checkLimit = (limit: number, maxLimit: number): Result.Result<number, InvalidParameter> => {
  if (limit <= maxLimit) return Result.succeed(limit)
  const expected = `a whole number from 1 to ${maxLimit}`
  return Result.fail(InvalidParameter.fromIssue({ path: "limit", expected, received: `"${limit}"` }))
}

const firstPage = (
  { chain, filter = {}, list, wallet }: Options,
  range: Range,
  order: WalletQuery.Order | undefined,
  limit: number,
): PageRequest => ({
  query: { chain, wallet, range, order: order ?? "DESC", position: WalletPage.first, limit },
  list,
  filter,
  page: 0,
})

/**
 * Resolves the parameters of a request.
 *
 * **Errors**
 * - `InvalidParameter`: a parameter is invalid, or the cursor belongs to another request.
 */
export const resolve = <Q extends Parameters>(
  parameters: Q & Handled<Q>,
  options: Options,
): Result.Result<PageRequest, InvalidParameter> => {
  const { chain, cursor, filter, list, maxLimit, wallet } = options
  const { limit = maxLimit, order } = parameters
  const range = RangeParameters.read(parameters)
  if (Result.isFailure(range)) return Result.fail(range.failure)
  const checked = checkLimit(limit, maxLimit)
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  if (cursor === undefined) return Result.succeed(firstPage(options, range.success, order, limit))
  const request = { list, chainId: chain.id, wallet, order, range: range.success, filter }
  return Result.map(Cursor.match(cursor, request), ({ continuation, page, ...own }) => ({
    query: {
      chain,
      wallet,
      range: own.range,
      order: own.order,
      position: { _tag: "After", continuation },
      limit,
    },
    list,
    filter: own.filter,
    page,
  }))
}

/** Cursor of the next page; `null` after the last page. */
export const nextCursor = (
  { filter, list, page, query: { chain, order, range, wallet } }: PageRequest,
  { next: continuation }: Pick<WalletPage.Page<unknown>, "next">,
): string | null =>
  continuation === null
    ? null
    : Cursor.toText({ list, chainId: chain.id, wallet, order, range, filter, page: page + 1, continuation })
