/**
 * The webhooks of a database as known to a process: as it last read them, plus its own changes. A change wakes the fibers that wait for it,
 * which cost nothing until then.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { KnownWebhook } from "../../store/Webhooks.ts"

type IsMet = (webhook: KnownWebhook) => boolean

interface Waiting {
  readonly isMet: IsMet
  readonly resume: () => void
}

/** State known to a process. */
export interface KnownWebhooks {
  readonly set: (name: string, webhook: KnownWebhook) => void
  /** Like `set`, for a webhook that has a lease. */
  readonly setLeased: (name: string, revision: number) => void
  readonly remove: (name: string) => void
  /** Waits until the known state of a webhook meets a condition. */
  readonly until: (name: string, isMet: IsMet) => Effect.Effect<void>
}

/** Makes an empty state. */
export const make = (): KnownWebhooks => {
  const known = new Map<string, KnownWebhook>()
  const waiting = new Map<string, Set<Waiting>>()
  const leave = (name: string, one: Waiting): void => {
    const own = waiting.get(name)
    if (own?.delete(one) === true && own.size === 0) waiting.delete(name)
  }
  const set: KnownWebhooks["set"] = (name, webhook) => {
    known.set(name, webhook)
    for (const one of waiting.get(name) ?? []) {
      if (!one.isMet(webhook)) continue
      leave(name, one)
      one.resume()
    }
  }
  return {
    set,
    setLeased: (name, revision) => set(name, { revision, isFree: false }),
    remove: (name) => void known.delete(name),
    until: (name, isMet) =>
      Effect.callback((resume) => {
        const found = known.get(name)
        if (found !== undefined && isMet(found)) return resume(Effect.void)
        const one = { isMet, resume: () => resume(Effect.void) }
        const own = waiting.get(name)
        if (own === undefined) waiting.set(name, new Set([one]))
        else own.add(one)
        return Effect.sync(() => leave(name, one))
      }),
  }
}
