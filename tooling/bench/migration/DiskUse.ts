/** Watches the disk use of a chain's file and its log, and keeps the peak. */
import { statSync } from "node:fs"

/** Bytes of a file; 0 while it does not exist. */
export const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** The highest values so far. */
export interface Peak {
  /** Bytes of the file and its log together. */
  readonly bytes: number
  readonly logBytes: number
}

export interface Watch {
  readonly peak: () => Peak
  readonly stop: () => void
}

const periodMillis = 50

/** Starts watching. SQLite deletes its temporary files when it opens them: they are not seen. */
export const start = (file: string): Watch => {
  let bytes = 0
  let logBytes = 0
  const look = () => {
    const log = bytesOf(`${file}-wal`)
    bytes = Math.max(bytes, bytesOf(file) + log)
    logBytes = Math.max(logBytes, log)
  }
  const timer = setInterval(look, periodMillis)
  look()
  return { peak: () => ({ bytes, logBytes }), stop: () => clearInterval(timer) }
}
