/**
 * Memory for the bodies of small responses, reused once a response is closed. Newly allocated memory lies outside the heap, and after a few
 * hundred responses only a full garbage collection releases it.
 *
 * Source: decision 0039.
 */
import type { Writable } from "node:stream"
import * as Closing from "../http/Closing.ts"

/** Reusable buffers. */
export interface ReusedMemory {
  /** A buffer for the body of a response until the response is closed; undefined if all are in use. Its contents are arbitrary. */
  readonly take: (response: Pick<Writable, "destroyed" | "once">) => Buffer | undefined
}

/** Number of buffers of a process: a client that does not read keeps one from the others. */
const maxBuffers = 16

/** Makes buffers of a size on demand. */
export const make = (bytes: number): ReusedMemory => {
  const free: Array<Buffer> = []
  let made = 0

  const next = (): Buffer | undefined => {
    const found = free.pop()
    if (found !== undefined || made === maxBuffers) return found
    made++
    return Buffer.allocUnsafeSlow(bytes)
  }

  return {
    take: (response) => {
      if (response.destroyed) return undefined
      const buffer = next()
      // By then the connection has taken the bytes, or is closed.
      if (buffer !== undefined) Closing.onClose(response, () => void free.push(buffer))
      return buffer
    },
  }
}
