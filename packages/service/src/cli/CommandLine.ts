/**
 * The command line `daybook`: finds the command that the arguments name, runs it, and prints a failure as one line. It sets no exit code
 * and handles no signal; `main` does for a process.
 */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import * as InvalidUsage from "./InvalidUsage.ts"
import * as Terminal from "./Terminal.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
)

/** The commands by name, in the order of the help. */
const commands = {
  serve: async () => (await import("./ServeCommand.ts")).serve,
  dev: async () => (await import("./DevCommand.ts")).dev,
  config: async () => (await import("./ConfigCommand.ts")).config,
  doctor: async () => (await import("./DoctorCommand.ts")).doctor,
  keys: async () => (await import("./KeysCommand.ts")).keys,
  abi: async () => (await import("./AbiCommand.ts")).abi,
  status: async () => (await import("./StatusCommand.ts")).status,
  watch: async () => (await import("./WatchCommand.ts")).watch,
  verify: async () => (await import("./VerifyCommand.ts")).verify,
  repair: async () => (await import("./VerifyCommand.ts")).repair,
  reconcile: async () => (await import("./ReconcileCommand.ts")).reconcile,
  reindex: async () => (await import("./ReindexCommand.ts")).reindex,
  compact: async () => (await import("./CompactCommand.ts")).compact,
  backup: async () => (await import("./BackupCommand.ts")).backup,
  restore: async () => (await import("./BackupCommand.ts")).restore,
  statement: async () => (await import("./StatementCommand.ts")).statement,
  export: async () => (await import("./ExportCommand.ts")).exportMovements,
} as const

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

/** Loads the command that is run alone, which halves the time of a start, and all of them for the help or for a misspelt name. */
const load = (name = "") =>
  Promise.all((isCommand(name) ? [commands[name]] : Object.values(commands)).map((command) => command()))

/** Prints a failure as one line, each issue of a configuration as a line of its own, and a defect with its trace. */
const reportFailure = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  // Errors of the command line itself were printed.
  if (CliError.isCliError(error)) return Effect.void
  if (error instanceof InvalidConfig) {
    return Effect.forEach(error.issues, (issue) => Terminal.note(`daybook: ${issue}`), { discard: true })
  }
  return Terminal.note(error instanceof Error ? `daybook: ${error.message}` : `daybook: ${Cause.pretty(cause)}`)
}

/** Runs the command that the arguments name; fails as it does, once the failure is printed. */
export const run = Effect.fnUntraced(
  function* (args: ReadonlyArray<string>) {
    const found = yield* Effect.promise(() => load(args[0]))
    const daybook = Command.make("daybook").pipe(
      Command.withDescription("Wallet transaction history and JSON-RPC for EVM chains, from your own node"),
      Command.withSubcommands(found),
    )
    return yield* Command.runWith(daybook, { version: manifest.version })(args)
  },
  Effect.tapCause(reportFailure),
  Effect.provide([NodeServices.layer, InvalidUsage.layer, Logger.layer([Terminal.logger])]),
)
