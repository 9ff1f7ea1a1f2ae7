/**
 * Counts of faults over many runs.
 */

/** Total per name over all runs, rarest first; every name is listed. */
export const sumCounts = <Name extends string>(
  names: ReadonlyArray<Name>,
  runs: Iterable<Readonly<Partial<Record<Name, number>>>>,
): ReadonlyArray<readonly [Name, number]> => {
  const total = new Map<Name, number>(names.map((name) => [name, 0]))
  for (const run of runs) {
    for (const name of names) total.set(name, (total.get(name) ?? 0) + (run[name] ?? 0))
  }
  return [...total].toSorted(([, a], [, b]) => a - b)
}
