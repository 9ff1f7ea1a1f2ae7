/** What the benchmarks of serving share. */
import type { Configuration } from "./ServiceProcess.ts"

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
  /** A configuration whose index holds the recorded chain. */
  readonly indexed: Configuration
  /** Wallets with more than one page. */
  readonly addresses: ReadonlyArray<string>
}
