/**
 * Flags that bound blocks by dates: `--from-date` and `--to-date`, in UTC unless they include a zone.
 */
import { quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import * as IsoDate from "../config/IsoDate.ts"
import * as Discovery from "../discovery/Discovery.ts"
import * as StartBlock from "../indexer/StartBlock.ts"
import * as Calls from "../node/Calls.ts"
import { invalidOption } from "./CommandError.ts"

const flag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("DATE"), Flag.optional)

/** The flags. */
export const flags = {
  fromDate: flag("from-date", "First instant, such as 2024-01-01, instead of --from-block"),
  toDate: flag("to-date", "Last day or instant, such as 2024-12-31, instead of --at"),
}

/** Values of the flags, and of the block flags that they replace. */
export interface Given {
  readonly fromDate: Option.Option<string>
  readonly toDate: Option.Option<string>
  readonly at: Option.Option<string>
  readonly fromBlock: Option.Option<string>
}

/** Instants in seconds since 1970; the end is exclusive. */
export interface Dates {
  readonly from: number | undefined
  readonly end: number | undefined
}

/** No dates. */
export const none: Dates = { from: undefined, end: undefined }

const daySeconds = 86_400

const parseDate = Effect.fnUntraced(function* (name: string, given: Option.Option<string>) {
  if (Option.isNone(given)) return undefined
  const text = given.value
  const millis = IsoDate.parse(text)
  if (millis === undefined) {
    return yield* invalidOption(name, "a date such as 2024-01-31 or 2024-01-31T12:00:00Z", quote(text))
  }
  return { seconds: millis / 1000, isDay: !text.includes("T") }
})

/**
 * Parses the dates. The last day is included in full.
 *
 * **Errors**
 * - `CommandError`: a text is not a date, a date is combined with the block flag that it replaces, or the last date is before the first.
 */
export const parse = Effect.fnUntraced(function* ({ at, fromBlock, fromDate, toDate }: Given) {
  const first = yield* parseDate("--from-date", fromDate)
  const last = yield* parseDate("--to-date", toDate)
  if (first !== undefined && Option.isSome(fromBlock)) {
    return yield* invalidOption("--from-date", "either --from-date or --from-block", "both")
  }
  if (last !== undefined && Option.isSome(at))
    return yield* invalidOption("--to-date", "either --to-date or --at", "both")
  const from = first === undefined ? undefined : Math.ceil(first.seconds)
  const end = last === undefined ? undefined : last.isDay ? last.seconds + daySeconds : Math.floor(last.seconds) + 1
  if (from !== undefined && end !== undefined && end <= from) {
    return yield* invalidOption(
      "--to-date",
      `${Option.getOrThrow(fromDate)} or a later date`,
      Option.getOrThrow(toDate),
    )
  }
  const dates: Dates = { from, end }
  return dates
})

/**
 * Finds the blocks between dates on a chain, up to its last final one; an absent date sets no bound.
 *
 * **Errors**
 * - `CommandError`: the chain has no final block between the dates.
 * - As `Discovery.closingBlock`.
 */
export const blocksOf = Effect.fnUntraced(function* (source: Calls.Budgeted, chainId: number, { end, from }: Dates) {
  if (from === undefined && end === undefined) return { fromBlock: undefined, at: undefined }
  const final = yield* Discovery.closingBlock(source, chainId)
  const head = { number: final.number, timestamp: final.timestamp ?? 0 }
  const at = (seconds: number) => Calls.withRetries(source, StartBlock.atOrAfter(source.node, head, seconds))
  const [fromBlock, after] = yield* Effect.all(
    [from === undefined ? Effect.undefined : at(from), end === undefined ? Effect.succeed(null) : at(end)],
    { concurrency: 2 },
  )
  const last = after === null ? final.number : after - 1
  if (fromBlock === null || last < (fromBlock ?? 0)) {
    const flag = from === undefined ? "--to-date" : "--from-date"
    return yield* invalidOption(flag, "dates with a final block of the chain between them", "none")
  }
  return { fromBlock, at: end === undefined ? undefined : last }
})
