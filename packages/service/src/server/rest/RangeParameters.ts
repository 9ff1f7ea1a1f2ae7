/**
 * The parameters of a range of blocks, by numbers or dates. Pure.
 *
 * Source: docs/interface.md#4.1; decision 0008.
 */
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import type { Bound, Range } from "../../query/Range.ts"
import * as Cursor from "./Cursor.ts"
import * as Dates from "./Dates.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"

/** The parameters of a range. */
export interface Parameters extends Pick<
  WalletQuery.WalletQuery,
  "from_block" | "to_block" | "from_date" | "to_date"
> {}

/** A block number that the store can hold; no chain is longer. */
const toBlock = (block: bigint): number => Math.min(Number(block), Number.MAX_SAFE_INTEGER)

const parseDate = (
  name: "from_date" | "to_date",
  text: string | undefined,
): Result.Result<number | undefined, InvalidParameter> =>
  text === undefined ? Result.succeed(undefined) : Dates.read(name, text)

const isAbove = ({ from, to }: Range): boolean =>
  from._tag === "Block" && to._tag === "Block"
    ? from.block > to.block
    : from._tag === "Date" && to._tag === "Date" && from.date > to.date

const formatBound = (bound: Bound): string =>
  bound._tag === "Block" ? `block ${bound.block}` : bound._tag === "Date" ? Cursor.formatDate(bound.date) : "none"

/** The range of a query: a block number takes precedence over a date, at each end separately. */
export const read = ({
  from_block,
  from_date,
  to_block,
  to_date,
}: Parameters): Result.Result<Range, InvalidParameter> => {
  const fromDate = parseDate("from_date", from_date)
  if (Result.isFailure(fromDate)) return Result.fail(fromDate.failure)
  const toDate = parseDate("to_date", to_date)
  if (Result.isFailure(toDate)) return Result.fail(toDate.failure)
  const range: Range = WalletQuery.bounds<number, number>({
    from_block: from_block === undefined ? undefined : toBlock(from_block),
    to_block: to_block === undefined ? undefined : toBlock(to_block),
    from_date: fromDate.success,
    to_date: toDate.success,
  })
  if (!isAbove(range)) return Result.succeed(range)
  const { from, to } = range
  const suffix = from._tag === "Date" ? "date" : "block"
  const expected = `at most to_${suffix} (${formatBound(to)})`
  return Result.fail(InvalidParameter.fromIssue({ path: `from_${suffix}`, expected, received: formatBound(from) }))
}
