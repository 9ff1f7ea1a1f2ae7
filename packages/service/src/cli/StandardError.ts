/**
 * Lines for standard error, whose reader may be slow or have left, and whose disk may be full. What is not taken at once waits up to a bound;
 * further lines are left out and counted, so that a service goes on whatever becomes of its log.
 */

/** Bytes that wait at most; one line may exceed them. */
const maxWaitingBytes = 1024 * 1024
/** Time between two attempts to write what waits, in milliseconds. */
const retryMillis = 100
/** Attempts to write what waits before the process ends, which take a second. */
const lastAttempts = 100

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Stops the thread for the time in which a reader may read something. */
export const pause = (): void => void Atomics.wait(cell, 0, 0, 10)

/** Whether a write failed because its reader has not read enough yet. */
export const isFull = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "EAGAIN"

/** Writes lines that may have to wait. */
export interface LineWriter {
  /** Writes a line as soon as it is taken; leaves it out where too much waits. */
  readonly write: (line: string) => void
  /** Number of lines that were left out before the next one, which then need not be reported again; 0 while that one is left out too. */
  readonly takeLeftOut: () => number
  /** Writes what waits, for a second at most. */
  readonly end: () => void
}

/** Makes a writer of a function that writes some of the bytes and gives their number, or throws what the operating system refuses. */
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
