/**
 * The journal of a chain: what each write of blocks changed, in order. A reader that follows the chain keeps a position in it.
 *
 * Source: decision 0073.
 */
import * as Result from "effect/Result"

/**
 * What a write did to blocks: `remove` removed all from the lowest up, `final` raised the finalized mark, `rewrite` derived the rows of
 * stored blocks again, and `clear` only removed history entries.
 */
export type Kind = "append" | "remove" | "final" | "rewrite" | "clear"

/** A position in the journal: after this change. */
export interface Position {
  /** Number of the change: numbers increase by one and are never reused. */
  readonly change: number
  /**
   * Random number chosen with the change. Two stores with the same change and mark have the same changes before it.
   */
  readonly mark: number
}

/** A change of blocks, both ends inclusive. */
export interface Change extends Position {
  readonly kind: Kind
  readonly lowest: number
  readonly highest: number
  /** Hash of the highest block; `null` if it is not stored. */
  readonly hash: string | null
  /** Serial of the index after the write. Rows read under a higher serial are newer. */
  readonly serial: number
}

/** Marks are below this number. */
export const maxMark = 2 ** 47

/** Position before the first change. */
export const start: Position = { change: 0, mark: 0 }

const positionPattern = /^([0-9]{1,15})-([0-9a-z]{1,10})$/
const markRadix = 36

/** Formats a position as text. */
export const formatPosition = ({ change, mark }: Position): string => `${change}-${mark.toString(markRadix)}`

/** Parses the text of a position; fails with what is expected. */
export const parsePosition = (text: string): Result.Result<Position, string> => {
  const [, change, mark] = positionPattern.exec(text) ?? []
  const position = { change: Number(change), mark: Number.parseInt(mark ?? "", markRadix) }
  return position.mark < maxMark && formatPosition(position) === text
    ? Result.succeed(position)
    : Result.fail("an unchanged position of the journal")
}
