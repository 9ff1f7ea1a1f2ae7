#!/usr/bin/env node
/**
 * Entry point of the command `daybook`: runs the command line and sets the exit code. See `ExitCode` for failures, and `Shutdown` for a
 * command stopped by a signal.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as CommandLine from "./cli/CommandLine.ts"
import * as ExitCode from "./cli/ExitCode.ts"
import * as Shutdown from "./cli/Shutdown.ts"
import * as Terminal from "./cli/Terminal.ts"

Shutdown.bound()
CommandLine.run(process.argv.slice(2)).pipe(
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit)) return onExit(0)
      if (!Cause.hasInterruptsOnly(exit.cause)) return onExit(ExitCode.ofCause(exit.cause))
      const incomplete = Shutdown.incomplete()
      if (incomplete !== undefined) Effect.runSync(Terminal.note(`daybook: ${incomplete}`))
      onExit(Shutdown.exitCode())
    },
  }),
)
