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
import { backup, restore } from "./cli/BackupCommand.ts"
import { compact } from "./cli/CompactCommand.ts"
import { doctor } from "./cli/DoctorCommand.ts"
import { exportMovements } from "./cli/ExportCommand.ts"
import * as InvalidUsage from "./cli/InvalidUsage.ts"
import { keys } from "./cli/KeysCommand.ts"
import { reconcile } from "./cli/ReconcileCommand.ts"
import { reindex } from "./cli/ReindexCommand.ts"
import { serve } from "./cli/ServeCommand.ts"
import * as Shutdown from "./cli/Shutdown.ts"
import { statement } from "./cli/StatementCommand.ts"
import { status } from "./cli/StatusCommand.ts"
import * as Terminal from "./cli/Terminal.ts"
import { repair, verify } from "./cli/VerifyCommand.ts"
import { watch } from "./cli/WatchCommand.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
)

const daybook = Command.make("daybook").pipe(
  Command.withDescription("Wallet transaction history and JSON-RPC for EVM chains, from your own node"),
  Command.withSubcommands([
    serve,
    doctor,
    keys,
    status,
    watch,
    verify,
    repair,
    reconcile,
    reindex,
    compact,
    backup,
    restore,
    statement,
    exportMovements,
  ]),
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
