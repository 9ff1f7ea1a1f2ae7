/** What the benchmarks of serving share. */
import type { Configuration } from "./ServiceProcess.ts"

/** An installed service whose index holds the recorded chain. */
export interface Indexed extends Configuration {
  /** Follows the names of its subjects: nothing for this checkout. */
  readonly suffix: string
}

export interface Setup {
  readonly rounds: number
  /** Requests in flight. */
  readonly concurrency: number
  /** Duration of one load. */
  readonly millis: number
  /** A folder for files, removed afterwards. */
  readonly folder: string
  /** The node that replays the recorded chain. */
  readonly nodeUrl: string
  /** This checkout. */
  readonly indexed: Indexed
  /** This checkout, and an older one where there is one. */
  readonly all: ReadonlyArray<Indexed>
  /** Wallets with more than one page. */
  readonly addresses: ReadonlyArray<string>
  /** Run with what is installed in the workspace alone. */
  readonly isSmallest: boolean
}
