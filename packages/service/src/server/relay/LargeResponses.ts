/**
 * Shares a process between the responses of its nodes while they are read. They are scanned or parsed in the turns of the event loop, as work of
 * who has called. A few large ones are read at the same time, and a meter counts their bytes.
 *
 * Source: decision 0039.
 */
import type { Sharing } from "@daybook/rpc/RequestBytes"
import type { Bounds } from "../admission/Bounds.ts"

/** Responses above `waitingBytes` that are read at the same time. */
const maxReading = 4

/** A response waits for its turn to be read when so much of it was received. */
const waitingBytes = 1024 * 1024

/** Lets a number of holders in; the others wait. */
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

/** The meter counts them together: they belong to the process until one of its clients is sent their result. */
const client = { key: "", address: "" }

/** What the responses of a process share, by the holder of the key whose call they answer and the kind of its request. */
export type SharingOf = (holder: string, kind: string | undefined) => Sharing

/** Makes what the responses of a process share. */
export const make = ({ nodeResponses, turns }: Pick<Bounds["Service"], "nodeResponses" | "turns">): SharingOf => {
  const slots = makeSlots(maxReading)
  return (holder, kind) => ({
    inTurn: (step, onError) => turns.goOn(step, onError, holder, kind),
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
