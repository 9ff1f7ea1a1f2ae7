/**
 * `pnpm mutate`: changes operators, conditions, branches and blocks of the sources that matter, one at a time, and lists the
 * changes that no test detects. Stryker makes and runs the mutants in a copy of the working tree; it is installed here on the first
 * run, outside the workspace.
 *
 * --files TEXT   only sources whose path contains the text; repeatable
 * --count N      a sample of whole declarations with about N mutants, of each target its share (--seed S chooses which; 1 by
 *                default)
 * --jobs N       test processes at a time; 2 by default
 * --output FILE  every mutant with its outcome as JSON
 * --threshold P  fails below this share of detected mutants, in percent; 95 by default
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as PeerInstall from "../bench/PeerInstall.ts"
import { root, run } from "../check/Workspace.ts"
import { bySource, mutants, score, survivors, table } from "./MutationReport.ts"
import type { Equivalent, Group, Mutant, StrykerReport } from "./MutationReport.ts"
import * as RepositoryCopy from "./RepositoryCopy.ts"
import { declarations, stratified } from "./Sample.ts"
import { select } from "./Target.ts"
import type { Target } from "./Target.ts"

/**
 * Mutators that change texts and literals: messages are not a contract, and an array with an unexpected text or an object
 * without its members is a type error.
 */
const excludedMutations = ["ArrayDeclaration", "ObjectLiteral", "Regex", "StringLiteral"]

/** Limit of the tests of a target, in milliseconds. */
const targetTimeoutMillis = 2 * 3_600_000

const equivalents: ReadonlyArray<Equivalent> = JSON.parse(
  readFileSync(join(import.meta.dirname, "equivalents.json"), "utf8"),
)

/** What Stryker mutates: whole sources, or the lines of the sampled declarations of each target, `source:from-to`. */
const places = (targets: ReadonlyArray<Target>, count: number | undefined, seed: number): ReadonlyArray<string> => {
  if (count === undefined) return targets.flatMap((target) => target.sources)
  const groups = targets.map(({ sources }) =>
    sources.flatMap((source) => declarations(source, readFileSync(join(root, source), "utf8"))),
  )
  return stratified(groups, count, seed).map(({ source, from, to }) => `${source}:${from}-${to}`)
}

/** Equivalents whose line is no longer in its source. */
const stale = (): ReadonlyArray<string> =>
  equivalents
    .filter(({ file, line }) => !readFileSync(join(root, file), "utf8").includes(line))
    .map(({ file, line }) => `equivalents.json: ${file} no longer has the line ${line}`)

const sourceOf = (place: string): string => place.replace(/:\d+-\d+$/, "")

/** Runs the mutants of one target in the copy. */
const runTarget = async (
  copy: string,
  target: Target,
  mutate: ReadonlyArray<string>,
  jobs: number,
): Promise<ReadonlyArray<Mutant>> => {
  const configuration = {
    mutate,
    inPlace: true,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "tooling/mutation/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    mutator: { excludedMutations },
    disableTypeChecks: false,
    reporters: ["json"],
    jsonReporter: { fileName: "mutation.json" },
    concurrency: jobs,
    timeoutMS: 10_000,
    timeoutFactor: 3,
    dryRunTimeoutMinutes: 20,
    allowEmpty: true,
  }
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(configuration))
  rmSync(join(copy, "mutation.json"), { force: true })
  const { code, output } = await run(
    join(copy, "tooling/mutation/node_modules/.bin/stryker"),
    ["run", "stryker.config.json"],
    {
      cwd: copy,
      timeoutMillis: targetTimeoutMillis,
      env: {
        DAYBOOK_MUTATION_FOLDER: join(copy, target.folder),
        DAYBOOK_MUTATION_TESTS: JSON.stringify(target.tests),
      },
    },
  )
  if (code !== 0) throw new Error(`The mutants of ${target.name} did not run:\n${output.trim()}`)
  const report: StrykerReport = JSON.parse(readFileSync(join(copy, "mutation.json"), "utf8"))
  return mutants(report, equivalents)
}

const main = async (): Promise<void> => {
  const { values: options } = parseArgs({
    options: {
      files: { type: "string", multiple: true, default: [] },
      count: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "2" },
      output: { type: "string" },
      threshold: { type: "string", default: "95" },
    },
  })
  const targets = select(options.files)
  if (targets.length === 0)
    throw new Error(`Unknown files: ${options.files.join(", ")}. See tooling/mutation/Target.ts.`)
  const mutate = places(targets, options.count === undefined ? undefined : Number(options.count), Number(options.seed))
  PeerInstall.install(import.meta.dirname)
  const copy = await RepositoryCopy.make()
  const groups: Array<Group> = []
  try {
    for (const target of targets) {
      const own = mutate.filter((place) => target.sources.includes(sourceOf(place)))
      if (own.length === 0) continue
      const started = performance.now()
      const found = await runTarget(copy.folder, target, own, Number(options.jobs)).catch((error: unknown) => {
        // The other targets are worth running: an initial run of the tests fails on a machine that is too busy.
        console.error(String(error))
        process.exitCode = 1
        return []
      })
      groups.push([target.name, found])
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      console.log(`${target.name}: ${found.length} mutants, ${score(found).toFixed(1)} % detected, ${seconds} s`)
    }
  } finally {
    copy.remove()
  }
  const all = groups.flatMap(([, found]) => found)
  if (options.output !== undefined) writeFileSync(options.output, `${JSON.stringify(all, undefined, 2)}\n`)
  const tables = [...table("source", bySource(all)), "", ...table("target", groups)]
  console.log(["", ...stale(), ...survivors(all), "", ...tables].join("\n"))
  if (score(all) < Number(options.threshold)) process.exitCode = 1
}

await main()
