/**
 * Ranges of blocks whose history entries and ledger rows are stored together: their keys begin with the number of the range. The newest
 * range is small, so an append changes few pages. Eight adjacent ranges of one size are merged, so a page searches few ranges. Pure.
 *
 * Source: decision 0027.
 */
import * as Json from "@daybook/schema/Json"
import * as RowId from "./RowId.ts"

/** A range of blocks, up to the first one of the next range. */
export interface KeyRange {
  /** Number with which its keys begin. */
  readonly range: number
  /** Lowest block; 0 for the lowest range, which has all blocks below the next range. */
  readonly first: number
  /** Number of inserted entries and rows, including those removed since. */
  readonly entries: number
  /** Number of the range into which it is being merged; `null` if it is not. */
  readonly into: number | null
}

/** Ranges of a chain, lowest first; at least one. */
export type KeyRanges = ReadonlyArray<KeyRange>

/** Ranges of a chain without entries. */
export const initial: KeyRanges = [{ range: 0, first: 0, entries: 0, into: null }]

/** Number of ranges of one size that are merged into one. */
const merged = 8

/** Formats the stored text. */
export const format = (ranges: KeyRanges): string =>
  JSON.stringify(ranges.map(({ entries, first, into, range }) => [range, first, entries, into]))

/** Maximum number of ranges of a chain: merging leaves fewer than 200 for any chain. A statement has no more parts. */
const maxRanges = 400

const isStored = (value: unknown): value is readonly [number, number, number, number | null] =>
  Array.isArray(value) &&
  value.length === 4 &&
  value.every((part, at) => (Number.isSafeInteger(part) && part >= 0) || (at === 3 && part === null))

/** Parses a stored text; `null` if it is invalid. */
export const parse = (text: string): KeyRanges | null => {
  const stored = Json.parse(text)
  if (!Array.isArray(stored) || stored.length === 0 || stored.length > maxRanges || !stored.every(isStored)) return null
  return stored.map(([range, first, entries, into]) => ({ range, first, entries, into }))
}

/** The range of a block. */
export const rangeOf = (ranges: KeyRanges, block: number): KeyRange => {
  let at = ranges.length - 1
  while (at > 0 && ranges[at]!.first > block) at--
  return ranges[at]!
}

/** Numbers of the ranges that may contain the entry of a block: the same twice, or a range and the one into which it is being merged. */
export const rangesOf = (ranges: KeyRanges, id: number): readonly [range: number, into: number] => {
  const { into, range } = rangeOf(ranges, RowId.toPosition(id).block)
  return [range, into ?? range]
}

/** Numbers of all ranges. */
export const numbersOf = (ranges: KeyRanges): ReadonlyArray<number> => [
  ...new Set(ranges.flatMap(({ into, range }) => (into === null ? [range] : [into, range]))),
]

const nextNumber = (ranges: KeyRanges): number => Math.max(...numbersOf(ranges)) + 1

/** The part of a history in one range, both ends inclusive. */
export type Part = readonly [range: number, first: number, last: number]

/**
 * Parts of a range of row ids, both ends inclusive, lowest first; at least one. Entries are merged in key order, so the merged entries of a
 * key are below the others.
 */
export const partsOf = (ranges: KeyRanges, first: number, last: number): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const add = (range: number, lowest: number, next: number | undefined) => {
    const [from] = RowId.range(lowest, lowest)
    const to = next === undefined ? last : RowId.range(next, next)[0] - 1
    if (Math.max(from, first) <= Math.min(to, last)) parts.push([range, Math.max(from, first), Math.min(to, last)])
  }
  for (const [at, { first: lowest, into, range }] of ranges.entries()) {
    if (into !== null && ranges[at - 1]?.into !== into) {
      add(into, lowest, ranges[ranges.findLastIndex((other) => other.into === into) + 1]?.first)
    }
    add(range, lowest, ranges[at + 1]?.first)
  }
  return parts.length === 0 ? [[ranges[0]!.range, first, last]] : parts
}

const isFull = ({ entries, into }: KeyRange, limit: number): boolean => into !== null || entries >= limit

/** Begins a range with an appended block if the newest range has reached the limit of entries. */
export const append = (ranges: KeyRanges, block: number, limit: number): KeyRanges => {
  const newest = ranges.at(-1)!
  if (block <= newest.first || !isFull(newest, limit)) return ranges
  return [...ranges, { range: nextNumber(ranges), first: block, entries: 0, into: null }]
}

/** Begins a range with the blocks below the stored `first` one if the lowest range has reached the limit of entries. */
export const prepend = (ranges: KeyRanges, first: number, limit: number): KeyRanges => {
  const [lowest, ...others] = ranges as readonly [KeyRange, ...ReadonlyArray<KeyRange>]
  if (first === 0 || first >= (others[0]?.first ?? Infinity) || !isFull(lowest, limit)) return ranges
  return [{ range: nextNumber(ranges), first: 0, entries: 0, into: null }, { ...lowest, first }, ...others]
}

/** Ranges after the blocks from `lowest` on are removed. */
export const unwind = (ranges: KeyRanges, lowest: number): KeyRanges =>
  ranges.filter(({ first }, at) => at === 0 || first < lowest)

/** Counts inserted entries by the blocks of their row ids. */
export const count = (ranges: KeyRanges, ids: ReadonlyArray<number>): KeyRanges => {
  const counts = new Map<number, number>()
  for (const id of ids) {
    const { range } = rangeOf(ranges, RowId.toPosition(id).block)
    counts.set(range, (counts.get(range) ?? 0) + 1)
  }
  return ranges.map((range) => ({ ...range, entries: range.entries + (counts.get(range.range) ?? 0) }))
}

/** Number of inserted entries. */
export const total = (ranges: KeyRanges): number => ranges.reduce((sum, { entries }) => sum + entries, 0)

/** The range with the most entries. */
export const largest = (ranges: KeyRanges): KeyRange =>
  ranges.reduce((most, range) => (range.entries > most.entries ? range : most))

/** How many times ranges of the smallest size were merged into a range. */
const sizeOf = ({ entries }: KeyRange, limit: number): number => {
  let size = 0
  for (let least = limit * merged; entries >= least; least *= merged) size++
  return size
}

/** Begins merging adjacent ranges of one size if there are enough; the newest range is never included. */
export const beginMerges = (ranges: KeyRanges, limit: number): KeyRanges => {
  for (let at = 0; at + merged < ranges.length; at++) {
    const run = ranges.slice(at, at + merged)
    const size = sizeOf(run[0]!, limit)
    if (!run.every((range) => range.into === null && sizeOf(range, limit) === size)) continue
    const into = nextNumber(ranges)
    return ranges.map((range) => (run.includes(range) ? { ...range, into } : range))
  }
  return ranges
}

/** An unfinished merge. */
export interface Merge {
  readonly into: number
  readonly from: ReadonlyArray<number>
}

/** Unfinished merges. */
export const mergesOf = (ranges: KeyRanges): ReadonlyArray<Merge> =>
  [...new Set(ranges.flatMap(({ into }) => (into === null ? [] : [into])))].map((into) => ({
    into,
    from: ranges.filter((range) => range.into === into).map(({ range }) => range),
  }))

/** Ends a merge whose source ranges are empty. */
export const endMerge = (ranges: KeyRanges, into: number): KeyRanges => {
  const of = ranges.filter((range) => range.into === into)
  const [lowest] = of
  return ranges.flatMap((range) => {
    if (range.into !== into) return [range]
    return range === lowest ? [{ range: into, first: range.first, entries: total(of), into: null }] : []
  })
}
