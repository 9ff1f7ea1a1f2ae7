/**
 * Requests of webhook senders in virtual time, in place of `node:http`: a receiver is down or slow, responds with 500, or loses requests
 * and responses.
 */
import { EventEmitter } from "node:events"
import http from "node:http"
import { syncBuiltinESMExports } from "node:module"
import type { VirtualTime } from "../../simulation/VirtualTime.ts"
import type { SeededRandom } from "../../store/SeededRandom.ts"
import type { Behaviour, HookReceiver } from "../HookReceiver.ts"

/** Parts that respond to a request. */
interface Setting {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly receiver: HookReceiver
}

/** Time until a request arrives, and time of a slow response; a sender waits for 20 seconds. */
const [arrivalMillis, slowMillis] = [200, 40_000]

const statuses: Partial<Record<Behaviour, number>> = { "500": 500, "500 after": 500, later: 429 }

/** Behaviours that process the request. */
const taking: ReadonlySet<Behaviour> = new Set(["lost", "500 after", "slow", "well"])

/** A request object with the members that the sender of webhooks uses. */
const requestOf = ({ random, receiver, time }: Setting, headers: Readonly<Record<string, string>>) => {
  let isOver = false
  const outgoing = Object.assign(new EventEmitter(), {
    destroy: () => void (isOver = true),
    end: (body: string) => void time.after(1 + random.below(arrivalMillis), () => void arrive(body)),
  })
  const finish = (report: () => void) => {
    if (isOver) return
    isOver = true
    report()
    outgoing.emit("close")
  }
  const fail = (message: string) => finish(() => outgoing.emit("error", new Error(message)))
  const respond = (status: number, more: Readonly<Record<string, string>> = {}) =>
    finish(() => outgoing.emit("response", { statusCode: status, headers: more, destroy: () => undefined }))

  const arrive = async (body: string) => {
    receiver.attempts++
    const behaviour = receiver.behaviour()
    if (behaviour === "down") return fail("connect ECONNREFUSED")
    if (taking.has(behaviour)) {
      try {
        await receiver.take(body, headers)
      } catch (error) {
        receiver.faults.push(String(error))
        return respond(400)
      }
    }
    const after = behaviour === "slow" ? random.below(slowMillis) : random.below(arrivalMillis)
    time.after(after, () =>
      behaviour === "lost"
        ? fail("socket hang up")
        : respond(statuses[behaviour] ?? 204, behaviour === "later" ? { "retry-after": "60" } : {}),
    )
  }
  return outgoing
}

/** Replaces the requests of this process; returns the function that restores them. */
export const install = (setting: Setting): (() => void) => {
  const { request } = http
  const simulated = (_: URL, { headers }: { readonly headers: Readonly<Record<string, string>> }) =>
    requestOf(setting, headers)
  Object.assign(http, { request: simulated })
  syncBuiltinESMExports()
  return () => {
    Object.assign(http, { request })
    syncBuiltinESMExports()
  }
}
