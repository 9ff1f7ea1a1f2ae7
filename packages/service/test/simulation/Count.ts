/** Number of occurrences of each kind of event over all seeds. */

/** Counts an event of a kind. */
export type Count = (kind: string) => void

export class Counts {
  readonly byKind = new Map<string, number>()
  readonly count: Count = (kind) => {
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1)
  }

  /** Adds other counts. */
  add(others: Iterable<readonly [kind: string, times: number]>): void {
    for (const [kind, times] of others) this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + times)
  }

  /** A line for each kind, most frequent first. */
  toLines(): ReadonlyArray<string> {
    return [...this.byKind]
      .toSorted(([, a], [, b]) => b - a)
      .map(([kind, times]) => `${String(times).padStart(10)}  ${kind}`)
  }
}
