/**
 * Shares a process between its node responses while they are read. They are scanned or parsed in turns of the event loop, as work of the
 * caller. A few large ones are read concurrently, and a meter counts their bytes.
 *
 * Source: decision 0039.
 */
import type { Sharing } from "@daybook/rpc/RequestBytes"
import type { Bounds } from "../admission/Bounds.ts"

/** Maximum number of responses above `waitingBytes` that are read concurrently. */
const maxReading = 4

/** Received size at which a response waits for its turn to be read. */
const waitingBytes = 1024 * 1024

/** Admits a number of holders; the others wait. */
const makeSlots = (count: number) => {
  const waiting = new Set<() => void>()
  let free = count
  return {
    acquire: async (signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return
      }
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener("abort", abort)
          resolve()
        }
        const abort = () => {
          waiting.delete(enter)
          reject(signal.reason as Error)
        }
        waiting.add(enter)
        signal.addEventListener("abort", abort, { once: true })
      })
    },
    release: () => {
      const [next] = waiting
      if (next === undefined) free++
      else {
        waiting.delete(next)
        next()
      }
    },
  }
}

/** The meter counts them together: they belong to the process until their result is sent to a client. */
const client = { key: "", address: "" }

/** What the responses of a process share, by the holder of the key whose call they answer and the kind of its request. */
export type SharingOf = (holder: string, kind: string | undefined) => Sharing

/** Makes what the responses of a process share. */
export const make = ({ nodeResponses, turns }: Pick<Bounds["Service"], "nodeResponses" | "turns">): SharingOf => {
  const slots = makeSlots(maxReading)
  return (holder, kind) => ({
    inTurn: (step, onError) => turns.resume(step, onError, holder, kind),
    hold: () => {
      const held = nodeResponses.hold(client)
      let received = 0
      let hasSlot = false
      return {
        add: async (bytes, signal) => {
          held.force(bytes)
          received += bytes
          if (hasSlot || received <= waitingBytes) return
          await slots.acquire(signal)
          hasSlot = true
        },
        release: () => {
          held.release()
          if (hasSlot) slots.release()
        },
      }
    },
  })
}
