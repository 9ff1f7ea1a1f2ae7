/**
 * The order in which the rows of an append are inserted. In the order of its key, an index has each of its pages read and changed once
 * for all rows that belong to it. Pure.
 *
 * Source: decision 0027.
 */

/** Rows that are put in order at once: the place of each is part of an exact number. */
const maxRows = 2 ** 21
const prefixBytes = 4

/** The first bytes of a key as a number, zeros behind a shorter one. */
const prefixOf = (key: Uint8Array): number => {
  let prefix = 0
  for (let at = 0; at < prefixBytes; at++) prefix = prefix * 256 + (key[at] ?? 0)
  return prefix
}

/**
 * Rows in the order of the first four bytes of their keys; those that share them stay in their order. Comparing whole keys takes longer,
 * and leaves as many pages to be changed. A longer list is unchanged.
 */
export const byKey = <Row>(rows: ReadonlyArray<Row>, keyOf: (row: Row) => Uint8Array): ReadonlyArray<Row> => {
  if (rows.length > maxRows) return rows
  const order = Float64Array.from(rows, (row, at) => prefixOf(keyOf(row)) * maxRows + at).sort()
  // Sound: each number holds the place of a row.
  return Array.from(order, (number) => rows[number % maxRows]!)
}
