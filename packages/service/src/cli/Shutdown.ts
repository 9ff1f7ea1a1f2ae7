/**
 * How the process ends at SIGTERM, SIGINT and SIGHUP: the running command is interrupted and finishes its work, within a bound of time; a
 * second signal ends the process at once.
 *
 * Source: decision 0042.
 */
import cluster from "node:cluster"

/** Seconds in which a command ends, beyond those that it was granted. */
const stopSeconds = 5

let grantedSeconds = 10

/** Grants seconds to the work that a command finishes after a signal. Default 10. */
export const grant = (seconds: number): void => {
  grantedSeconds = seconds
}

/** Bounds the time of a shutdown. `NodeRuntime.runMain` interrupts the command at SIGTERM and SIGINT. */
export const bound = (): void => {
  let signals = 0
  const stop = () => {
    // A terminal signals the processes of a cluster too, and their primary bounds their time.
    if (++signals > 1 && !cluster.isWorker) process.exit(1)
    setTimeout(() => process.exit(1), (grantedSeconds + stopSeconds) * 1000).unref()
  }
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
  // A terminal that is closed ends the program in the same way.
  process.on("SIGHUP", () => process.emit("SIGTERM", "SIGTERM"))
}
