/** Compares tables of receivers with lists of the service, as lines. */

/** Differences between a table and a list. */
export const differenceOf = (what: string, table: ReadonlyArray<string>, expected: ReadonlyArray<string>) => {
  if (JSON.stringify(table) === JSON.stringify(expected)) return []
  const missing = expected.filter((line) => !table.includes(line))
  const more = table.filter((line) => !expected.includes(line))
  const some = (lines: ReadonlyArray<string>) => [`${lines.length}`, ...lines.slice(0, 3)].join(" ")
  return [`${what}: missing ${some(missing)}; not in the list ${some(more)}`]
}
