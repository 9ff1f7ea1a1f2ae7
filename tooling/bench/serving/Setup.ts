/** What the serving benchmarks share. */
import type { Configuration } from "./ServiceProcess.ts"

/** An installed service whose index holds the recorded chain. */
export interface Indexed extends Configuration {
  /** Appended to the names of its subjects; empty for this checkout. */
  readonly suffix: string
}

export interface Setup {
  readonly rounds: number
  /** Number of requests in flight. */
  readonly concurrency: number
  /** Duration of one load, in milliseconds. */
  readonly millis: number
  /** A folder for temporary files, removed afterwards. */
  readonly folder: string
  /** The node that replays the recorded chain. */
  readonly nodeUrl: string
  /** This checkout. */
  readonly indexed: Indexed
  /** This checkout, and an older one if there is one. */
  readonly all: ReadonlyArray<Indexed>
  /** Wallets with more than one page. */
  readonly addresses: ReadonlyArray<string>
  /** True to run only with what is installed in the workspace. */
  readonly isSmallest: boolean
}
