/**
 * Checks that the tables of figures in documents match the results of their benchmarks and are no older than what they measure.
 * `pnpm figures` fails if a table differs from the file in `tooling/bench/results`. It also fails if a commit since the measured one
 * changed the measured sources, unless `tooling/bench/harmless.json` names the subject of that commit with a reason. A
 * benchmark without results has empty tables. `--write` writes the tables.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FigureTables from "../bench/FigureTables.ts"
import { published } from "../bench/Published.ts"
import * as Results from "../bench/Results.ts"
import { files, report, root } from "./Workspace.ts"

/** A commit that changes sources but no figures. It is named by its subject, which a rebase keeps, unlike the hash. */
export interface Harmless {
  readonly subject: string
  readonly reason: string
}

interface Commit {
  readonly hash: string
  readonly subject: string
}

const remedy = (benchmark: string): string =>
  `run pnpm bench measure ${benchmark}, or name the commit in tooling/bench/harmless.json`

/** The commits that make results obsolete, as messages. */
export const obsolete = (
  benchmark: string,
  commits: ReadonlyArray<Commit>,
  harmless: ReadonlyArray<Harmless>,
): ReadonlyArray<string> => {
  const allowed = new Set(harmless.filter(({ reason }) => reason.trim() !== "").map(({ subject }) => subject))
  return commits
    .filter(({ subject }) => !allowed.has(subject))
    .map(
      ({ hash, subject }) =>
        `results of ${benchmark} are older than ${hash.slice(0, 9)} "${subject}": ${remedy(benchmark)}`,
    )
}

const git = (base: string, ...args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync("git", ["-C", base, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}

const commitsSince = (base: string, commit: string, sources: ReadonlyArray<string>): ReadonlyArray<Commit> => {
  const text = git(base, "log", "--format=%H %s", `${commit}..HEAD`, "--", ...sources) ?? ""
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ hash: line.slice(0, line.indexOf(" ")), subject: line.slice(line.indexOf(" ") + 1) }))
}

const bodies = (base: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(published).flatMap(([benchmark, { tables }]) => {
      const results = Results.read(benchmark, base)
      return Object.entries(tables).map(([name, table]) => [name, FigureTables.body(table, results)] as const)
    }),
  )

const documents = (base: string): ReadonlyArray<string> =>
  files(base, ".md").filter((file) => readFileSync(join(base, file), "utf8").includes("<!-- figures: "))

/** Tables that differ from their results or have no benchmark, and tables of a benchmark that no document contains. */
export const differing = (base: string): ReadonlyArray<string> => {
  const generated = bodies(base)
  const seen = new Set<string>()
  const issues = documents(base).flatMap((file) => {
    const text = readFileSync(join(base, file), "utf8")
    const names = FigureTables.names(text)
    for (const name of names) seen.add(name)
    return [
      ...names.filter((name) => !generated.has(name)).map((name) => `${file}: no benchmark has the table "${name}"`),
      ...(FigureTables.replaced(text, generated) === text
        ? []
        : [`${file}: tables differ from the results; run pnpm figures --write`]),
    ]
  })
  return [
    ...issues,
    ...[...generated.keys()].filter((name) => !seen.has(name)).map((name) => `no document has the table "${name}"`),
  ]
}

/** Results of a commit that is not part of the history, or older than the sources that they measure. */
export const outdated = (base: string): ReadonlyArray<string> => {
  const harmless: ReadonlyArray<Harmless> = JSON.parse(readFileSync(join(base, "tooling/bench/harmless.json"), "utf8"))
  return Object.entries(published).flatMap(([benchmark, { sources }]) => {
    const results = Results.read(benchmark, base)
    if (results === undefined) return []
    if (git(base, "merge-base", "--is-ancestor", results.commit, "HEAD") === undefined)
      return [`results of ${benchmark}: commit ${results.commit.slice(0, 9)} is not part of the history of this clone`]
    return obsolete(benchmark, commitsSince(base, results.commit, sources), harmless)
  })
}

/** Writes the tables into the documents. */
export const write = (base: string = root): void => {
  const generated = bodies(base)
  for (const file of documents(base)) {
    const path = join(base, file)
    const text = readFileSync(path, "utf8")
    const replaced = FigureTables.replaced(text, generated)
    if (replaced !== text) writeFileSync(path, replaced)
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes("--write")) write()
  const measured = Object.keys(published).filter((benchmark) => Results.read(benchmark) !== undefined)
  report(
    "figures",
    [...differing(root), ...outdated(root)],
    `tables match the results of: ${measured.join(", ") || "no benchmark"}`,
  )
}
