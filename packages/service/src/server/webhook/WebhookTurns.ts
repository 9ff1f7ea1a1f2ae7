/**
 * Bounds how many webhooks are taken up, and stored, in one turn of the event loop: a new block concerns all of them at once. Those that
 * wait have turns by their API key.
 */
import * as Effect from "effect/Effect"
import type { Webhooks } from "../../store/Webhooks.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as Turns from "../admission/Turns.ts"

/** The webhooks, whose leases and changes wait for a turn that has time. */
export const bounded = (webhooks: Webhooks): Effect.Effect<Webhooks> =>
  Effect.map(MonotonicClock.reader, (now) => {
    const turns = Turns.make(now)
    return {
      ...webhooks,
      acquire: (...lease) => turns.run(webhooks.acquire(...lease)),
      change: (...change) => turns.run(webhooks.change(...change)),
    }
  })
