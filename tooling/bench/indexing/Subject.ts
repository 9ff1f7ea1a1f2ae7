/** What a measured indexer is: it indexes a recorded chain to its head and reports what it stored. */
import { statSync } from "node:fs"

/** The outcome of indexing a chain once. */
export interface IndexRun {
  readonly blocks: number
  readonly millis: number
  /** Size of what was stored; 0 when nothing was. */
  readonly bytes: number
  /** 0 where no transactions are counted. */
  readonly transactions: number
  /** Size of the stored documents: the texts that are served. */
  readonly documentBytes?: number
  /** Decoded events, when those are what was indexed. */
  readonly events?: number
  /** CPU time of all threads and of the busiest one, and memory, of a subject that runs as a child process. */
  readonly cpuSeconds?: number
  readonly busiestSeconds?: number
  readonly peakBytes?: number
}

/** The same with the CPU time and memory of its process. */
export type MeasuredRun = IndexRun & { readonly cpuSeconds: number; readonly peakBytes: number }

/** Indexes blocks 0 to `head` of the node at `url`; `folder` is empty and removed afterwards. */
export type Subject = (url: string, head: number, folder: string) => Promise<IndexRun>

/** Blocks indexed per second. */
export const blocksPerSecond = ({ blocks, millis }: IndexRun): number => (blocks / millis) * 1000

/** Bytes of an SQLite database and its log. */
export const databaseBytes = (file: string): number =>
  ["", "-wal"].reduce((sum, suffix) => sum + (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0), 0)
