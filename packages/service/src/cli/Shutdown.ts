/**
 * How the process ends on SIGTERM and SIGINT, and on SIGHUP if it does not reload its configuration. The running command is interrupted and
 * finishes its work within a time limit; a second signal ends the process at once. The exit code is 0 for a command that runs until it is
 * stopped, and 128 plus the signal number for one that had not finished its work.
 *
 * Source: decision 0042.
 */
import cluster from "node:cluster"

/** Seconds within which a command must end, in addition to those granted to it. */
const stopSeconds = 5

let grantedSeconds = 10

const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** The first signal received. */
let received: keyof typeof codes | undefined

let isComplete = false

/** Marks the command as complete: it only runs until it is stopped. */
export const complete = (): void => {
  isComplete = true
}

/** Reason why an interrupted command is incomplete; `undefined` if it is complete. */
export const incomplete = (): string | undefined =>
  isComplete || received === undefined ? undefined : `stopped by ${received} before the command was finished`

/** Exit code of a command interrupted by a signal. */
export const exitCode = (): number => (isComplete || received === undefined ? 0 : codes[received])

let reload: (() => void) | undefined

/**
 * Calls `onHangup` on SIGHUP from now on, if the process has no terminal. Closing a terminal also sends the signal, and then the program
 * ends.
 */
export const reloads = (onHangup: () => void): void => {
  if (!process.stderr.isTTY) reload = onHangup
}

/** Grants a number of seconds for the work that a command finishes after a signal. Default 10. */
export const grant = (seconds: number): void => {
  grantedSeconds = seconds
}

/** Limits the duration of a shutdown. `NodeRuntime.runMain` interrupts the command on SIGTERM and SIGINT. */
export const bound = (): void => {
  let signals = 0
  const stop = (signal: keyof typeof codes) => {
    received ??= signal
    // A terminal also signals the processes of a cluster; their primary limits their time.
    if (++signals > 1 && !cluster.isWorker) process.exit(1)
    setTimeout(() => process.exit(1), (grantedSeconds + stopSeconds) * 1000).unref()
  }
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
  // Closing the terminal ends the program in the same way.
  process.on("SIGHUP", () => {
    if (reload !== undefined && received === undefined) return reload()
    received ??= "SIGHUP"
    process.emit("SIGTERM", "SIGTERM")
  })
}
