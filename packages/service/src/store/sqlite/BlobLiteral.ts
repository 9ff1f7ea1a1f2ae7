/**
 * Short values of a column of bytes, read as SQL literals: `node:sqlite` makes memory of its own for the bytes of each row, which takes as long
 * as the rest of several rows. A value of one byte below 128 is read as a number, since a text of it takes as long as the rest of its row.
 */

/** A short value: the number of its one byte, or its SQL literal. */
export type Literal = number | string

/** Bytes of the longest value that is read as a literal. */
const maxBytes = 3

/** A column of bytes: a literal where it is short, `NULL` where it is long. Parameter: bytes of the longest value that is read. */
export const orBytes = (column: string): string =>
  `CASE WHEN octet_length(${column}) = 1 AND ${column} BETWEEN x'01' AND x'7F' THEN unicode(${column})
    WHEN octet_length(${column}) <= ${maxBytes} THEN quote(${column}) WHEN octet_length(${column}) <= ? THEN ${column} END`

const maxKnown = 4096

/** Reads literals, and keeps what is made of the bytes of each: a column has few short values. */
export const reader = <A>(make: (bytes: Uint8Array) => A): ((literal: Literal) => A | null) => {
  const known = new Map<Literal, A>()
  /** `null` for a literal of another type, which only a damaged row has. */
  return (literal) => {
    const found = known.get(literal)
    if (found !== undefined) return found
    if (typeof literal === "string" && !literal.startsWith("X'")) return null
    const made = make(
      Uint8Array.from(typeof literal === "number" ? [literal] : Buffer.from(literal.slice(2, -1), "hex")),
    )
    if (known.size >= maxKnown) known.clear()
    known.set(literal, made)
    return made
  }
}
