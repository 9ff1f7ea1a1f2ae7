/** A measured indexer: it indexes a recorded chain to its head and reports what it stored. */
import { statSync } from "node:fs"

/** The outcome of indexing a chain once. */
export interface IndexRun {
  readonly blocks: number
  readonly millis: number
  /** Size of the stored data in bytes; 0 if nothing was stored. */
  readonly bytes: number
  /** 0 if transactions are not counted. */
  readonly transactions: number
  /** Size of the stored documents in bytes: the texts that are served. */
  readonly documentBytes?: number
  /** Number of decoded events, if those were indexed. */
  readonly events?: number
  /** CPU time of all threads and of the busiest one, and memory, for a subject that runs as a child process. */
  readonly cpuSeconds?: number
  readonly busiestSeconds?: number
  readonly peakBytes?: number
}

/** A run with the CPU time and memory of its process. */
export type MeasuredRun = IndexRun & { readonly cpuSeconds: number; readonly peakBytes: number }

/** Indexes blocks 0 to `head` of the node at `url`; `folder` is empty and removed afterwards. */
export type Subject = (url: string, head: number, folder: string) => Promise<IndexRun>

/** Blocks indexed per second. */
export const blocksPerSecond = ({ blocks, millis }: IndexRun): number => (blocks / millis) * 1000

/** Size of an SQLite database and its log, in bytes. */
export const databaseBytes = (file: string): number =>
  ["", "-wal"].reduce((sum, suffix) => sum + (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0), 0)
