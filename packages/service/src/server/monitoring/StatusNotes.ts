/**
 * Sentences for the operator about settings that apply to only a part of the stored blocks, and about the past of added wallets.
 */
import { visibleLine } from "@daybook/schema/VisibleText"
import * as AppliedSettings from "../../store/AppliedSettings.ts"
import type { Range, Stored } from "../../store/AppliedSettings.ts"
import type { AppliedSettings as Applied, IndexerStatus } from "../../store/StatusBoard.ts"

const isOn = (value: string): boolean => value === "on" || value === "true"

const nameOf = ({ from, to }: Stored): string => (from === to ? `${from}` : `${from} to ${to}`)

/** "block 5", "blocks 5 to 7 and 9". */
const blocksOf = (ranges: ReadonlyArray<Stored>): string => {
  const names = ranges.map(nameOf)
  const list = names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
  return ranges.length === 1 && ranges[0]?.from === ranges[0]?.to ? `block ${list}` : `blocks ${list}`
}

/** Blocks without internal transactions, with the remedy if they can be fetched now. */
const missingTraces = (missing: ReadonlyArray<Range>, isTracing: boolean): ReadonlyArray<string> => {
  const [first] = missing
  if (first === undefined) return []
  const remedy = isTracing
    ? ` Stop the service and run "daybook reindex --from ${first.from}" to fetch them.`
    : ' Set "traces": "auto" and index those blocks again to fetch them.'
  return [`Internal transactions are missing in ${blocksOf(missing)}.${remedy}`]
}

const ofTraces = (settings: Applied, stored: Stored): ReadonlyArray<string> => {
  const ranges = AppliedSettings.ranges(settings, "traces", stored)
  const missing = ranges.filter(({ value }) => !isOn(value))
  const isTracing = isOn(settings.findLast(({ name }) => name === "traces")?.value ?? "")
  if (isTracing) return missingTraces(missing, true)
  const last = ranges.at(-1)
  if (last === undefined || missing.length === ranges.length) return []
  if (isOn(last.value)) return missingTraces(missing, false)
  const tail = `Internal transactions are not indexed from block ${last.from} on.`
  return [...missingTraces(missing.slice(0, -1), false), tail]
}

/** Parts of a range that others cover. */
const within = (range: Range, others: ReadonlyArray<Stored>): ReadonlyArray<Range> =>
  others.flatMap((other) => {
    const part = { value: range.value, from: Math.max(range.from, other.from), to: Math.min(range.to, other.to) }
    return part.from > part.to ? [] : [part]
  })

/** Joins consecutive ranges with the same value, whatever lies between them. */
const joined = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const list: Array<Range> = []
  for (const range of ranges) {
    const last = list.at(-1)
    if (last?.value === range.value) list[list.length - 1] = { ...last, to: range.to }
    else list.push(range)
  }
  return list
}

/** The last range, and those between the first and the last. */
const later = (
  ranges: ReadonlyArray<Range>,
  sentence: (value: string, where: string) => string,
): ReadonlyArray<string> =>
  ranges.slice(1).map((range, at) => {
    const isLast = at === ranges.length - 2
    return sentence(range.value, isLast ? `from block ${range.from} on` : `in ${blocksOf([range])}`)
  })

/** Frames are only stored for blocks with internal transactions. */
const ofFrames = (settings: Applied, stored: Stored): ReadonlyArray<string> => {
  const traced = AppliedSettings.ranges(settings, "traces", stored).filter(({ value }) => isOn(value))
  const ranges = AppliedSettings.ranges(settings, "allFrames", stored).flatMap((range) => within(range, traced))
  return later(
    joined(ranges),
    (value, where) => `STATICCALL and DELEGATECALL frames are ${isOn(value) ? "" : "not "}stored ${where}.`,
  )
}

const ofChecks = (settings: Applied, stored: Stored): ReadonlyArray<string> =>
  later(
    AppliedSettings.ranges(settings, "checks", stored),
    (value, where) => `Blocks are verified at level ${value} ${where}.`,
  )

/** Blocks that an earlier version stored. */
const ofRows = (settings: Applied, stored: Stored): ReadonlyArray<string> => {
  const range = AppliedSettings.storedByParty(settings, stored)
  if (range === undefined) return []
  return [
    `An earlier version stored ${blocksOf([range])}: they have the transactions that a watched wallet sent or received, and may lack those with only tokens or internal transactions of it. Stop the service and run "daybook reindex --all" to index them again.`,
  ]
}

/** Search of the past of added wallets. */
const ofPast = (past: IndexerStatus["past"]): ReadonlyArray<string> => {
  if (past === undefined) return []
  const { callsLeft, end, issue, searchedTo, wallets } = past
  const count = wallets.length === 1 ? "an added wallet" : `${wallets.length} added wallets`
  const time = past.etaMillis === undefined ? "" : `, ${Math.ceil(past.etaMillis / 1000)} s`
  const left = `at least ${callsLeft} calls are left${time}`
  const why = issue === undefined ? "" : ` It cannot continue: ${visibleLine(issue)}`
  return [`The past of ${count} is searched up to block ${Math.max(-1, searchedTo)} of ${end}; ${left}.${why}`]
}

/** The sentences of a status; empty if every setting applies to all stored blocks. */
export const notesFor = (
  { past, settings = [], startNote }: Pick<IndexerStatus, "past" | "settings" | "startNote">,
  stored: Stored | null,
): ReadonlyArray<string> => {
  const start = [...(startNote === undefined ? [] : [startNote]), ...ofPast(past)]
  if (stored === null) return start
  return [
    ...start,
    ...ofTraces(settings, stored),
    ...ofRows(settings, stored),
    ...ofFrames(settings, stored),
    ...ofChecks(settings, stored),
  ]
}
