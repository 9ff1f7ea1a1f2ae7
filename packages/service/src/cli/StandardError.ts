/**
 * Writes lines to standard error, whose reader may be slow or gone and whose disk may be full. Output that is not accepted at once is
 * queued up to a bound; further lines are dropped and counted, so that the service continues regardless of its log.
 */

/** Maximum number of queued bytes; a single line may exceed it. */
const maxWaitingBytes = 1024 * 1024
/** Interval between attempts to write queued bytes, in milliseconds. */
const retryMillis = 100
/** Attempts to write queued bytes before the process ends, which take one second. */
const lastAttempts = 100

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the thread briefly, so that a reader can catch up. */
export const pause = (): void => void Atomics.wait(cell, 0, 0, 10)

/** True if a write failed because the reader is behind. */
export const isFull = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "EAGAIN"

/** Writes lines, queueing them if necessary. */
export interface LineWriter {
  /** Writes a line as soon as possible; drops it if too much is queued. */
  readonly write: (line: string) => void
  /** Returns the number of lines dropped before the next one, and resets it; 0 if the next one is dropped too. */
  readonly takeLeftOut: () => number
  /** Writes queued bytes, for at most one second. */
  readonly end: () => void
}

/** Makes a writer from a function that writes some of the bytes and returns their number, or throws the operating system's error. */
export const make = (writeSome: (bytes: Uint8Array) => number): LineWriter => {
  const waiting: Array<Uint8Array> = []
  let waitingBytes = 0
  let leftOut = 0
  let timer: NodeJS.Timeout | undefined

  const writeWaiting = (): void => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const written = writeSome(first)
      waitingBytes -= written
      if (written === first.length) waiting.shift()
      else waiting[0] = first.subarray(written)
    }
  }

  const attempt = (): void => {
    timer = undefined
    try {
      writeWaiting()
    } catch {
      timer = setTimeout(attempt, retryMillis).unref()
    }
  }

  const hasRoom = () => waitingBytes < maxWaitingBytes

  return {
    write: (line) => {
      if (!hasRoom()) {
        leftOut += 1
        return
      }
      const bytes = Buffer.from(`${line}\n`)
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (timer === undefined) attempt()
    },
    takeLeftOut: () => {
      if (!hasRoom()) return 0
      const taken = leftOut
      leftOut = 0
      return taken
    },
    end: () => {
      for (let attempts = 0; attempts < lastAttempts; attempts++) {
        try {
          return writeWaiting()
        } catch (cause) {
          if (!isFull(cause)) return
          pause()
        }
      }
    },
  }
}
