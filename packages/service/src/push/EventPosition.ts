/**
 * Where a stream of events continues: a position in the journal and the next block. Its text form belongs to one wallet and selection.
 * Pure.
 *
 * Source: decision 0073.
 */
import { hash } from "node:crypto"
import * as Result from "effect/Result"
import * as Journal from "../store/Journal.ts"

/** Where a stream continues: all rows of blocks from `from` up to `next`, exclusive, were sent as of its position in the journal. */
export interface EventPosition {
  readonly journal: Journal.Position
  readonly from: number
  readonly next: number
  /** Highest block with rows that were sent, which may lie above `next` after a reorg; -1 for none. */
  readonly highest: number
}

const version = "e1"
const digestCharacters = 12
const pattern = /^e1\.([0-9a-z-]{3,30})\.([0-9]{1,15})\.([0-9]{1,15})\.([0-9]{1,15})\.([0-9a-f]{12})$/

/** Digest of a stream's selection, so that a position cannot be used with another selection. */
const digestOf = (selection: string): string => hash("sha256", selection, "hex").slice(0, digestCharacters)

/** True if a text has the form of a position. */
export const isText = (text: string): boolean => text.startsWith(`${version}.`)

const write = ({ from, highest, journal, next }: EventPosition, digest: string): string =>
  [version, Journal.formatPosition(journal), from, next, highest + 1, digest].join(".")

/** Formats a position as text. */
export const format = (position: EventPosition, selection: string): string => write(position, digestOf(selection))

/** Position of a text, and the digest of its selection; undefined if it is malformed. */
const read = (text: string): readonly [position: EventPosition, digest: string] | undefined => {
  const [, change = "", from, next, above, digest = ""] = pattern.exec(text) ?? []
  const journal = Journal.parsePosition(change)
  if (Result.isFailure(journal)) return undefined
  return [{ journal: journal.success, from: Number(from), next: Number(next), highest: Number(above) - 1 }, digest]
}

/** Highest block with rows that were sent, from a position as text; undefined if it is malformed. */
export const highestOf = (text: string): number | undefined => read(text)?.[0].highest

/** Parses a position; fails with what is expected. */
export const parse = (text: string, selection: string): Result.Result<EventPosition, string> => {
  const [position, digest] = read(text) ?? []
  if (position === undefined) return Result.fail("the cursor of an event, unchanged")
  if (digest !== digestOf(selection)) return Result.fail("a cursor of the same wallet, chain and selection")
  return Result.succeed(position)
}
