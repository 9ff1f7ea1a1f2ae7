/**
 * The report of a mutation run: reads the JSON report of Stryker, sets argued equivalents aside, and prints tables with one
 * line per target and per source, and the mutants that no test detects.
 */

/** The parts of a Stryker report that are read. */
export interface StrykerReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<StrykerMutant> }>>
}

interface Position {
  readonly line: number
  readonly column: number
}

interface StrykerMutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: Position; readonly end: Position }
}

/** A mutant that behaves like the source, or differs only where no contract exists. */
export interface Equivalent {
  readonly file: string
  /** Name of the Stryker mutator. */
  readonly mutator: string
  /** The first mutated line without its indentation. */
  readonly line: string
  /** The mutated text and what replaces it, with white space collapsed. */
  readonly original: string
  readonly replacement: string
  /** One sentence: why no test can or should detect it. */
  readonly reason: string
}

/** How a mutant ended. A mutant that does not run is invalid. */
export type Outcome = "killed" | "survived" | "equivalent" | "invalid"

/** A mutant of a source with its outcome. */
export interface Mutant extends Omit<Equivalent, "reason"> {
  readonly lineNumber: number
  readonly outcome: Outcome
}

const outcomes: Readonly<Record<string, Outcome>> = {
  Killed: "killed",
  Timeout: "killed",
  Survived: "survived",
  NoCoverage: "survived",
}

const collapse = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The text between two positions; lines and columns count from 1. */
const textBetween = (lines: ReadonlyArray<string>, { start, end }: StrykerMutant["location"]): string =>
  start.line === end.line
    ? (lines[start.line - 1] ?? "").slice(start.column - 1, end.column - 1)
    : [
        (lines[start.line - 1] ?? "").slice(start.column - 1),
        ...lines.slice(start.line, end.line - 1),
        (lines[end.line - 1] ?? "").slice(0, end.column - 1),
      ].join("\n")

const identity = ({ file, mutator, line, original, replacement }: Omit<Equivalent, "reason">): string =>
  JSON.stringify([file, mutator, line, original, replacement])

/** Whether the source of an equivalent no longer has its line, or no longer has the text that the mutant replaces. */
export const isStale = ({ line, original }: Omit<Equivalent, "reason">, source: string): boolean => {
  const lines = source.split("\n").map((text) => text.trim())
  return !lines.some((text, index) => {
    if (text !== line) return false
    const at = collapse(lines.slice(index).join(" ")).indexOf(original)
    return at >= 0 && at < line.length
  })
}

/** The mutants of a report, without those that an excluded mutator would make. */
export const mutants = (report: StrykerReport, equivalents: ReadonlyArray<Equivalent>): ReadonlyArray<Mutant> => {
  const argued = new Set(equivalents.map(identity))
  return Object.entries(report.files).flatMap(([file, { source, mutants: found }]) => {
    const lines = source.split("\n")
    return found
      .filter(({ status }) => status !== "Ignored")
      .map((one) => {
        const place = {
          file,
          mutator: one.mutatorName,
          line: (lines[one.location.start.line - 1] ?? "").trim(),
          original: collapse(textBetween(lines, one.location)),
          replacement: collapse(one.replacement ?? ""),
        }
        const outcome = outcomes[one.status] ?? "invalid"
        const isArgued = outcome === "survived" && argued.has(identity(place))
        return {
          ...place,
          lineNumber: one.location.start.line,
          outcome: isArgued ? ("equivalent" as const) : outcome,
        }
      })
  })
}

const count = (all: ReadonlyArray<Mutant>, outcome: Outcome): number =>
  all.filter((one) => one.outcome === outcome).length

/** Share of mutants that tests detect, in percent, excluding equivalent and invalid ones; 100 if there are none. See `failureOf`. */
export const score = (all: ReadonlyArray<Mutant>): number => {
  const killed = count(all, "killed")
  const judged = killed + count(all, "survived")
  return judged === 0 ? 100 : (100 * killed) / judged
}

/** Mutants under a name. */
export type Group = readonly [name: string, mutants: ReadonlyArray<Mutant>]

/** The result of a target that ran, or the reason why it did not run. */
export type TargetResult =
  | { readonly name: string; readonly mutants: ReadonlyArray<Mutant> }
  | { readonly name: string; readonly failure: string }

/** Why a result has no score; `undefined` if it has one. */
export const failureOf = (result: TargetResult): string | undefined => {
  if ("failure" in result) return result.failure
  const judged = result.mutants.filter(({ outcome }) => outcome !== "invalid")
  return judged.length === 0 ? "none of its mutants ran" : undefined
}

/** The mutants of the targets that ran. */
export const groupsOf = (results: ReadonlyArray<TargetResult>): ReadonlyArray<Group> =>
  results.flatMap((result) => ("mutants" in result ? [[result.name, result.mutants] as const] : []))

const percent = (all: ReadonlyArray<Mutant>): string => `${score(all).toFixed(1)} %`

/** Why a run fails: targets that did not run, too few detected mutants, or equivalents that no longer match a mutant. */
export const failures = (
  results: ReadonlyArray<TargetResult>,
  stale: ReadonlyArray<string>,
  threshold: number,
): ReadonlyArray<string> => {
  const all = groupsOf(results).flatMap(([, mutants]) => mutants)
  const notRun = results.flatMap((result) => {
    const failure = failureOf(result)
    return failure === undefined ? [] : [`${result.name} did not run: ${failure}`]
  })
  const isLow = score(all) < threshold
  return [
    ...notRun,
    ...stale,
    ...(isLow ? [`${percent(all)} of the mutants are detected, less than ${threshold} %`] : []),
  ]
}

/** The last line of a run: the outcomes of all mutants, and the percentage of each target. */
export const summary = (results: ReadonlyArray<TargetResult>): string => {
  const all = groupsOf(results).flatMap(([, mutants]) => mutants)
  const counts = (["killed", "survived", "equivalent"] as const).map((outcome) => `${count(all, outcome)} ${outcome}`)
  const each = results.map((result) =>
    failureOf(result) === undefined && "mutants" in result
      ? `${result.name} ${percent(result.mutants)}`
      : `${result.name} did not run`,
  )
  return `mutation: ${counts.join(", ")}: ${percent(all)} detected (${each.join(", ")})`
}

/** The mutants by source. */
export const bySource = (all: ReadonlyArray<Mutant>): ReadonlyArray<Group> =>
  [...new Set(all.map(({ file }) => file))]
    .toSorted()
    .map((file) => [file, all.filter((one) => one.file === file)] as const)

/** A table as lines: one per group, then the total. */
export const table = (what: string, groups: ReadonlyArray<Group>): ReadonlyArray<string> => {
  const row = ([name, some]: Group): ReadonlyArray<string> => [
    name,
    String(some.length - count(some, "invalid")),
    String(count(some, "killed")),
    String(count(some, "equivalent")),
    String(count(some, "survived")),
    `${score(some).toFixed(1)} %`,
  ]
  const rows = [
    [what, "mutants", "killed", "equivalent", "survived", "score"],
    ...groups.map(row),
    row(["all", groups.flatMap(([, some]) => some)]),
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  return rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  )
}

/** The survivors as lines: place, mutator, and the change. */
export const survivors = (all: ReadonlyArray<Mutant>): ReadonlyArray<string> =>
  all
    .filter(({ outcome }) => outcome === "survived")
    .flatMap(({ file, lineNumber, mutator, line, original, replacement }) => [
      `${file}:${lineNumber} ${mutator}`,
      `    in ${line}`,
      `  - ${original}`,
      `  + ${replacement}`,
    ])
