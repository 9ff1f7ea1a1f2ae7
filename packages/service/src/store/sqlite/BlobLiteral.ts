/**
 * Reads short values of a bytes column as SQL literals: `node:sqlite` allocates separate memory for the bytes of each row, which takes as
 * long as the rest of several rows. A single byte below 128 is read as a number, because reading it as text takes as long as the rest of
 * its row.
 */

/** A short value: the number of its single byte, or its SQL literal. */
export type Literal = number | string

/** Length of the longest value that is read as a literal, in bytes. */
const maxBytes = 3

/** A bytes column: a literal if it is short, `NULL` if it is long. Parameter: length of the longest value to read, in bytes. */
export const orBytes = (column: string): string =>
  `CASE WHEN octet_length(${column}) = 1 AND ${column} BETWEEN x'01' AND x'7F' THEN unicode(${column})
    WHEN octet_length(${column}) <= ${maxBytes} THEN quote(${column}) WHEN octet_length(${column}) <= ? THEN ${column} END`

const maxKnown = 4096

/** Reads literals and caches what is made from the bytes of each: a column has few short values. */
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
