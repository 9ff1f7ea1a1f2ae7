/**
 * The range of blocks that a query requests, by numbers or dates, and the blocks of an index that it has.
 *
 * Source: docs/interface.md#4.1; decision 0008.
 */
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Checkpoint } from "../../block/BlockRows.ts"
import type { Snapshot } from "../../store/ChainReader.ts"
import * as Cursor from "./Cursor.ts"
import * as Dates from "./Dates.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"

/** The parameters of a range. */
export interface Parameters extends Pick<
  WalletQuery.WalletQuery,
  "from_block" | "to_block" | "from_date" | "to_date"
> {}

/** A block number that the store can hold; no chain is longer. */
const toBlock = (block: bigint): number =>
  Number(block > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : block)

/** Both ends of a range, as they are requested. */
export interface Bounds {
  readonly from: Cursor.RequestedBound
  readonly to: Cursor.RequestedBound
}

const parseDate = (
  name: "from_date" | "to_date",
  text: string | undefined,
): Result.Result<number | undefined, InvalidParameter> =>
  text === undefined ? Result.succeed(undefined) : Dates.read(name, text)

const isAbove = ({ from, to }: Bounds): boolean =>
  from._tag === "Block" && to._tag === "Block"
    ? from.block > to.block
    : from._tag === "Date" && to._tag === "Date" && from.date > to.date

const formatBound = (bound: Cursor.RequestedBound): string =>
  bound._tag === "Block" ? `block ${bound.block}` : bound._tag === "Date" ? Cursor.formatDate(bound.date) : "none"

/** The range of a query: a block number takes precedence over a date, at each end separately. */
export const boundsOf = ({
  from_block,
  from_date,
  to_block,
  to_date,
}: Parameters): Result.Result<Bounds, InvalidParameter> => {
  const fromDate = parseDate("from_date", from_date)
  if (Result.isFailure(fromDate)) return Result.fail(fromDate.failure)
  const toDate = parseDate("to_date", to_date)
  if (Result.isFailure(toDate)) return Result.fail(toDate.failure)
  const bounds: Bounds = WalletQuery.bounds<number, number>({
    ...(from_block === undefined ? {} : { from_block: toBlock(from_block) }),
    ...(to_block === undefined ? {} : { to_block: toBlock(to_block) }),
    ...(fromDate.success === undefined ? {} : { from_date: fromDate.success }),
    ...(toDate.success === undefined ? {} : { to_date: toDate.success }),
  })
  if (!isAbove(bounds)) return Result.succeed(bounds)
  const { from, to } = bounds
  const suffix = from._tag === "Date" ? "date" : "block"
  const expected = `at most to_${suffix} (${formatBound(to)})`
  return Result.fail(InvalidParameter.fromIssue({ path: `from_${suffix}`, expected, received: formatBound(from) }))
}

/** First block of the range, inclusive; `null` where the range begins after the last indexed block. */
export const firstBlock = (snapshot: Snapshot, bound: Cursor.RequestedBound, { first }: Checkpoint) => {
  if (bound._tag === "Open") return Effect.succeed(first)
  if (bound._tag === "Block") return Effect.succeed(Math.max(first, bound.block))
  return Effect.map(snapshot.firstAtOrAfter(Math.ceil(bound.date / 1000)), (found) =>
    found === null ? null : Math.max(first, found),
  )
}

/** Last block of the range, inclusive; `null` where the range ends before the first indexed block. */
export const lastBlock = (snapshot: Snapshot, bound: Cursor.RequestedBound, { head }: Checkpoint) => {
  if (bound._tag === "Open") return Effect.succeed(head.number)
  if (bound._tag === "Block") return Effect.succeed(Math.min(head.number, bound.block))
  return snapshot.lastAtOrBefore(Math.floor(bound.date / 1000))
}
