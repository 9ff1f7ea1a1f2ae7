/**
 * Checkpoints the write-ahead log of a file in a separate thread, so that no write waits for the disk.
 *
 * SQLite itself does so in the write that makes the log too long. That remains as a bound, for a thread that falls behind or was lost, and
 * for versions of SQLite that cannot report the length of the log.
 *
 * Source: decision 0045.
 */
import { extname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import type { Worker } from "node:worker_threads"
import * as Result from "effect/Result"
import * as WorkerThread from "../../supervision/WorkerThread.ts"

/** The log of one file that this process writes. */
export interface WriteAheadLog {
  /** Checkpoints the log if it is long; called after each transaction. */
  readonly onWritten: () => void
  /** Stops the thread. */
  readonly stop: () => Promise<void>
}

/** Data with which the thread is started. */
export interface ThreadData {
  readonly kind: typeof kind
  readonly file: string
}

/** Message to the thread. */
export type ToThread = "write back" | "stop"

/** Message from the thread. */
export type FromThread = "written back"

/** Marks the data of such a thread. */
export const kind = "@daybook/service/log"

/** Number of 16 KiB pages at which the thread checkpoints the log. */
const longPages = 1024
/** Number of pages at which a write does so. */
const maxPages = 10_240
/** Time without a long log after which the thread ends, in milliseconds. */
const idleMillis = 60_000

const entry = new URL(`./LogWorker${extname(import.meta.url)}`, import.meta.url)

/** Number of pages in the log, and how many of them are checkpointed. */
export interface LogLength {
  readonly log: number
  readonly checkpointed: number
}

/** Versions before 3.51 cannot report it without a checkpoint. */
const reportsLength = (database: DatabaseSync): boolean => {
  const found = database.prepare("SELECT sqlite_version() AS version").get()
  const [major = 0, minor = 0] = String(found?.["version"]).split(".").map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}

/** A thread that checkpoints a log on each request, and ends by itself after a while. */
const threadOf = (file: string) => {
  const workerData: ThreadData = { kind, file }
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let isWriting = false
  let isLost = false

  const end = () => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    return ended
  }
  const lose = () => {
    isLost = true
    isWriting = false
    end()
  }
  const start = (): Worker | undefined => {
    const started = WorkerThread.start(entry, { workerData, name: "daybook-log" })
    if (Result.isFailure(started)) {
      lose()
      return undefined
    }
    const thread = started.success
    worker = thread
    thread.unref()
    thread.on("error", lose)
    // A thread that has ended is not waited for.
    thread.on("exit", () => worker === thread && lose())
    thread.on("message", () => {
      isWriting = false
      idle = setTimeout(() => end()?.postMessage("stop" satisfies ToThread), idleMillis).unref()
    })
    return thread
  }
  return {
    isFree: () => !isWriting && !isLost,
    writeBack: () => {
      clearTimeout(idle)
      isWriting = true
      ;(worker ?? start())?.postMessage("write back" satisfies ToThread)
    },
    stop: async () => {
      const ended = end()
      if (ended === undefined) return
      ended.ref()
      await new Promise((resolve) => {
        ended.once("exit", resolve)
        ended.postMessage("stop" satisfies ToThread)
      })
    },
  }
}

/** Leaves the log to the writes. */
export const none: WriteAheadLog = { onWritten: () => undefined, stop: () => Promise.resolve() }

/** The log of a file that is open for writing. */
export const make = (file: string, database: DatabaseSync): WriteAheadLog => {
  if (!reportsLength(database)) return none
  database.exec(`PRAGMA wal_autocheckpoint=${maxPages}`)
  const length = database.prepare("PRAGMA wal_checkpoint(NOOP)")
  const thread = threadOf(file)
  return {
    onWritten: () => {
      if (!thread.isFree()) return
      // Sound: these are the columns of the pragma.
      const { checkpointed, log } = length.get() as unknown as LogLength
      if (log - checkpointed >= longPages) thread.writeBack()
    },
    stop: thread.stop,
  }
}
