/**
 * `pnpm mutate`: changes operators, conditions, branches and blocks of the sources that matter, one at a time, and lists the
 * changes that no test detects. Stryker makes and runs the mutants in a copy of the working tree; it is installed here on the first
 * run, outside the workspace.
 *
 * `--help` lists its options.
 *
 * The last line states how many mutants were killed, survived and are equivalent (argued in equivalents.json), and the percentage of
 * each target. A target that does not run fails the run.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as PeerInstall from "../bench/PeerInstall.ts"
import { root, run } from "../check/Workspace.ts"
import {
  bySource,
  failureOf,
  failures,
  groupsOf,
  isStale,
  mutants,
  score,
  summary,
  survivors,
  table,
} from "./MutationReport.ts"
import type { Equivalent, Mutant, StrykerReport, TargetResult } from "./MutationReport.ts"
import * as RepositoryCopy from "./RepositoryCopy.ts"
import * as RunOptions from "./RunOptions.ts"
import { declarations, stratified } from "./Sample.ts"
import { select } from "./Target.ts"
import type { Target } from "./Target.ts"

/**
 * Mutators that change texts and literals: messages are not a contract, and an array with an unexpected text or an object
 * without its members is a type error.
 */
const excludedMutations = ["ArrayDeclaration", "ObjectLiteral", "Regex", "StringLiteral"]

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

const staleEquivalents = (): ReadonlyArray<string> =>
  equivalents
    .filter((one) => isStale(one, readFileSync(join(root, one.file), "utf8")))
    .map(({ file, line }) => `equivalents.json: ${file} no longer has the line ${line}`)

const sourceOf = (place: string): string => place.replace(/:\d+-\d+$/, "")

/** How the targets run. */
interface Settings {
  /** Folder of the copy. */
  readonly copy: string
  readonly jobs: number
  readonly patience: number
  /** Time of `performance.now()` at which the run ends. */
  readonly deadline: number
}

/** Runs the mutants of one target in the copy, within a time limit. */
const mutantsOf = async (
  { copy, jobs, patience }: Settings,
  target: Target,
  mutate: ReadonlyArray<string>,
  timeoutMillis: number,
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
    timeoutMS: 10_000 * patience,
    timeoutFactor: 3 * patience,
    dryRunTimeoutMinutes: 20 * patience,
  }
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(configuration))
  rmSync(join(copy, "mutation.json"), { force: true })
  const { code, output } = await run(
    join(copy, "tooling/mutation/node_modules/.bin/stryker"),
    ["run", "stryker.config.json"],
    {
      cwd: copy,
      timeoutMillis,
      isGroup: true,
      env: {
        DAYBOOK_MUTATION_FOLDER: join(copy, target.folder),
        DAYBOOK_MUTATION_TESTS: JSON.stringify(target.tests),
        DAYBOOK_MUTATION_SOURCES: JSON.stringify([...new Set(mutate.map((place) => join(copy, sourceOf(place))))]),
        DAYBOOK_MUTATION_PATIENCE: String(patience),
      },
    },
  )
  if (code !== 0) throw new Error(output.trim().split("\n").slice(-failureLines).join("\n"))
  const report: StrykerReport = JSON.parse(readFileSync(join(copy, "mutation.json"), "utf8"))
  return mutants(report, equivalents)
}

/** Number of output lines shown for a target that did not run. */
const failureLines = 40

/** Runs one target. The run continues if it fails, because an initial run of the tests may fail on a busy machine. */
const runTarget = async (settings: Settings, target: Target, mutate: ReadonlyArray<string>): Promise<TargetResult> => {
  const { name } = target
  const startedAt = performance.now()
  const leftMillis = settings.deadline - startedAt
  if (leftMillis <= 0) return { name, failure: "the time of the run was over" }
  const result = await mutantsOf(settings, target, mutate, leftMillis).then(
    (found): TargetResult => ({ name, mutants: found }),
    (error: unknown): TargetResult => ({ name, failure: error instanceof Error ? error.message : String(error) }),
  )
  const failure = failureOf(result)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  if (failure !== undefined) console.log(`${name} did not run, ${seconds} s`)
  else if ("mutants" in result)
    console.log(
      `${name}: ${result.mutants.length} mutants, ${score(result.mutants).toFixed(1)} % detected, ${seconds} s`,
    )
  return result
}

const mutantsIn = (results: ReadonlyArray<TargetResult>): ReadonlyArray<Mutant> =>
  groupsOf(results).flatMap(([, found]) => found)

/** Exits with code 2, as campaigns do on invalid arguments. */
const refuse = (message: string): never => {
  console.error(`${message} See --help.`)
  process.exit(2)
}

const readOptions = (): RunOptions.RunOptions | undefined => {
  try {
    return RunOptions.read(process.argv.slice(2))
  } catch (error) {
    return refuse(String(error))
  }
}

const main = async (): Promise<void> => {
  const options = readOptions()
  if (options === undefined) {
    console.log(RunOptions.help())
    return
  }
  const targets = select(options.files)
  if (targets.length === 0) refuse(`Unknown files: ${options.files.join(", ")}. Target.ts names the sources.`)
  const mutate = places(targets, options.count, options.seed)
  PeerInstall.install(import.meta.dirname)
  const copy = await RepositoryCopy.make()
  process.once("exit", copy.remove)
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
  const results: Array<TargetResult> = []
  const settings: Settings = {
    copy: copy.folder,
    jobs: options.jobs,
    patience: options.patience,
    deadline: performance.now() + options.minutes * 60_000,
  }
  for (const target of targets) {
    const own = mutate.filter((place) => target.sources.includes(sourceOf(place)))
    results.push(await runTarget(settings, target, own))
    if (options.output !== undefined)
      writeFileSync(options.output, `${JSON.stringify(mutantsIn(results), undefined, 2)}\n`)
  }
  const groups = groupsOf(results)
  const all = mutantsIn(results)
  const tables = [...table("source", bySource(all)), "", ...table("target", groups)]
  console.log(["", ...survivors(all), "", ...tables, ""].join("\n"))
  const failed = failures(results, staleEquivalents(), options.threshold)
  for (const failure of failed) console.log(`failed: ${failure}`)
  if (failed.length > 0) process.exitCode = 1
  console.log(summary(results))
}

await main()
