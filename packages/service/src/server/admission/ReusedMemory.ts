/**
 * Memory for the bodies of small responses, which is used again once a response is closed. New memory for each lies outside of the heap,
 * and after some hundred responses only a collection of the whole heap gives it back.
 *
 * Source: decision 0039.
 */
import type { Writable } from "node:stream"
import * as Closing from "../http/Closing.ts"

/** Buffers that are used again. */
export interface ReusedMemory {
  /** A buffer for the body of a response until that is closed; undefined while all are in use. Its bytes are arbitrary. */
  readonly take: (response: Pick<Writable, "destroyed" | "once">) => Buffer | undefined
}

/** Buffers of a process: a client that does not read keeps one from the others. */
const maxBuffers = 16

/** Makes buffers of a number of bytes when they are needed. */
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
      // The connection has taken the bytes by then, or is closed.
      if (buffer !== undefined) Closing.onClose(response, () => void free.push(buffer))
      return buffer
    },
  }
}
