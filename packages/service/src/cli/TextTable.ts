/**
 * Aligns rows of text in columns, and formats the age of an instant. Pure.
 */

/** Formats rows with two spaces between columns, each as wide as its widest cell; the last column is not padded. */
export const format = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const

/** Formats how long ago an instant was, in its largest unit: `12 min ago`. */
export const formatAge = (millis: number, now: number): string => {
  const age = Math.max(0, now - millis)
  const [name, length] = units.find(([, unit]) => age >= unit) ?? units[3]
  return `${Math.floor(age / length)} ${name} ago`
}
