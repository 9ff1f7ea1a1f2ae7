/**
 * The load of the machine, for tests over real sockets that also judge times: on a busy machine a program may be late without an
 * error of its own.
 */
import { availableParallelism, loadavg } from "node:os"

/** True where twice as many processes want to run as there are cores. Always false where the system does not measure its load. */
export const isBusy = (): boolean => (loadavg()[0] ?? 0) > 2 * availableParallelism()

/** Scripts of a number of them that may be late: some on a busy machine, nearly none on an idle one. */
export const maxLate = (scripts: number): number => (isBusy() ? scripts : Math.max(2, scripts / 1_000))
