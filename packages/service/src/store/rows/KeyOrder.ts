/**
 * Insertion order for the rows of an append. In key order, each page of an index is read and changed once for all rows that belong to it.
 * Pure.
 *
 * Source: decision 0027.
 */

/** Maximum number of rows sorted at once: the index of each is part of an exact number. */
const maxRows = 2 ** 21
const prefixBytes = 4

/** The first bytes of a key as a number, padded with zeros if the key is shorter. */
const prefixOf = (key: Uint8Array): number => {
  let prefix = 0
  for (let at = 0; at < prefixBytes; at++) prefix = prefix * 256 + (key[at] ?? 0)
  return prefix
}

/**
 * Sorts rows by the first four bytes of their keys, stably. Comparing whole keys takes longer and changes as many pages. A longer list is
 * unchanged.
 */
export const byKey = <Row>(rows: ReadonlyArray<Row>, keyOf: (row: Row) => Uint8Array): ReadonlyArray<Row> => {
  if (rows.length > maxRows) return rows
  const order = Float64Array.from(rows, (row, at) => prefixOf(keyOf(row)) * maxRows + at).sort()
  // Sound: each number contains the index of a row.
  return Array.from(order, (number) => rows[number % maxRows]!)
}
