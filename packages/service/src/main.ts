#!/usr/bin/env node
/**
 * Entry of the command `daybook`: runs the command line and sets the exit code, 1 after a failure. See `Shutdown` for that of a command
 * which a signal stopped.
 */
import { readFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as InvalidUsage from "./cli/InvalidUsage.ts"
import * as Shutdown from "./cli/Shutdown.ts"
import * as Terminal from "./cli/Terminal.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
)

/** The commands by name, in the order of the help. */
const commands = {
  serve: async () => (await import("./cli/ServeCommand.ts")).serve,
  doctor: async () => (await import("./cli/DoctorCommand.ts")).doctor,
  keys: async () => (await import("./cli/KeysCommand.ts")).keys,
  status: async () => (await import("./cli/StatusCommand.ts")).status,
  watch: async () => (await import("./cli/WatchCommand.ts")).watch,
  verify: async () => (await import("./cli/VerifyCommand.ts")).verify,
  repair: async () => (await import("./cli/VerifyCommand.ts")).repair,
  reconcile: async () => (await import("./cli/ReconcileCommand.ts")).reconcile,
  reindex: async () => (await import("./cli/ReindexCommand.ts")).reindex,
  compact: async () => (await import("./cli/CompactCommand.ts")).compact,
  backup: async () => (await import("./cli/BackupCommand.ts")).backup,
  restore: async () => (await import("./cli/BackupCommand.ts")).restore,
  statement: async () => (await import("./cli/StatementCommand.ts")).statement,
  export: async () => (await import("./cli/ExportCommand.ts")).exportMovements,
} as const

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

/** Loads the command that is run alone, which halves the time of a start, and all of them for the help or for a misspelt name. */
const load = (name = "") =>
  Promise.all((isCommand(name) ? [commands[name]] : Object.values(commands)).map((command) => command()))

const daybook = Command.make("daybook").pipe(
  Command.withDescription("Wallet transaction history and JSON-RPC for EVM chains, from your own node"),
  Command.withSubcommands(await load(process.argv[2])),
)

/** Prints a failure as one line; a defect with its trace. */
const reportFailure = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  // Errors of the command line itself were printed.
  if (CliError.isCliError(error)) return Effect.void
  return Terminal.note(error instanceof Error ? `daybook: ${error.message}` : `daybook: ${Cause.pretty(cause)}`)
}

Shutdown.bound()
daybook.pipe(
  Command.run({ version: manifest.version }),
  Effect.tapCause(reportFailure),
  Effect.provide([NodeServices.layer, InvalidUsage.layer, Logger.layer([Terminal.logger])]),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit)) return onExit(0)
      if (!Cause.hasInterruptsOnly(exit.cause)) return onExit(1)
      const incomplete = Shutdown.incomplete()
      if (incomplete !== undefined) Effect.runSync(Terminal.note(`daybook: ${incomplete}`))
      onExit(Shutdown.exitCode())
    },
  }),
)
