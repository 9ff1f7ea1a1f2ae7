/**
 * How the process ends at SIGTERM and SIGINT, and at SIGHUP where it does not reload its configuration. The running command is
 * interrupted and finishes its work, within a bound of time; a second signal ends the process at once. The exit code is 0 for a command
 * that runs until it is stopped, and 128 and the number of the signal for one that had not finished what it was asked for.
 *
 * Source: decision 0042.
 */
import cluster from "node:cluster"

/** Seconds in which a command ends, beyond those that it was granted. */
const stopSeconds = 5

let grantedSeconds = 10

const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** The first signal. */
let received: keyof typeof codes | undefined

let isComplete = false

/** From now on the command has nothing left to finish: it runs until it is stopped. */
export const complete = (): void => {
  isComplete = true
}

/** Why the command is incomplete, once a signal has interrupted it; `undefined` where nothing is missing. */
export const incomplete = (): string | undefined =>
  isComplete || received === undefined ? undefined : `stopped by ${received} before the command was finished`

/** The exit code of a command that a signal has interrupted. */
export const exitCode = (): number => (isComplete || received === undefined ? 0 : codes[received])

let reload: (() => void) | undefined

/**
 * From now on SIGHUP calls `onHangup`, where the process has no terminal: one that is closed sends the signal too, and ends the program.
 */
export const reloads = (onHangup: () => void): void => {
  if (!process.stderr.isTTY) reload = onHangup
}

/** Grants seconds to the work that a command finishes after a signal. Default 10. */
export const grant = (seconds: number): void => {
  grantedSeconds = seconds
}

/** Bounds the time of a shutdown. `NodeRuntime.runMain` interrupts the command at SIGTERM and SIGINT. */
export const bound = (): void => {
  let signals = 0
  const stop = (signal: keyof typeof codes) => {
    received ??= signal
    // A terminal signals the processes of a cluster too, and their primary bounds their time.
    if (++signals > 1 && !cluster.isWorker) process.exit(1)
    setTimeout(() => process.exit(1), (grantedSeconds + stopSeconds) * 1000).unref()
  }
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
  // A terminal that is closed ends the program in the same way.
  process.on("SIGHUP", () => {
    if (reload !== undefined && received === undefined) return reload()
    received ??= "SIGHUP"
    process.emit("SIGTERM", "SIGTERM")
  })
}
