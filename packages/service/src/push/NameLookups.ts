/**
 * Looks up names with the platform, for everything that is sent to URLs of others. A lookup occupies a thread of the process until it ends,
 * even if its caller has left. Each holder therefore has one at a time, and all holders together two.
 *
 * Source: decision 0073.
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** The addresses of a name. */
export type Addresses = ReadonlyArray<LookupAddress>

/** Resolves a name to all of its addresses. */
export type Resolve = (name: string, done: (error: Error | null, addresses: Addresses) => void) => void

/** A name has no address, or its look-up failed. */
class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly message: string }> {}

/** Looks up a name: waits until the lookup may start, and returns the effect that waits for its end. */
export type LookUp = (name: string) => Effect.Effect<Effect.Effect<Addresses, LookupFailed>>

/** The lookups of a process. */
export interface NameLookups {
  /** Whether a lookup of a holder is still running. */
  readonly has: (holder: string) => boolean
  /** Makes the lookup function of a holder. */
  readonly ofHolder: (holder: string) => LookUp
}

/** Number of concurrent lookups. */
const maxLookups = 2

/** Resolves a name with the platform. */
const platformResolve: Resolve = (name, done) => dnsLookup(name, { all: true }, done)

/** Makes the lookups of a process. */
export const make = (resolve: Resolve = platformResolve): NameLookups => {
  const active = new Set<string>()
  /** Waiting lookups, in request order. */
  const waiting = new Set<{ readonly holder: string; readonly begin: () => void }>()
  const beginNext = () => {
    for (const next of waiting) {
      if (active.size >= maxLookups) return
      if (active.has(next.holder)) continue
      waiting.delete(next)
      active.add(next.holder)
      next.begin()
    }
  }
  return {
    has: (holder) => active.has(holder),
    ofHolder: (holder) => (name) =>
      Effect.callback((resume) => {
        const begin = () => {
          const result = Deferred.makeUnsafe<Addresses, LookupFailed>()
          resolve(name, (error, addresses) => {
            active.delete(holder)
            const looked =
              error === null ? Effect.succeed(addresses) : Effect.fail(new LookupFailed({ message: error.message }))
            Deferred.doneUnsafe(result, looked)
            beginNext()
          })
          resume(Effect.succeed(Deferred.await(result)))
        }
        const own = { holder, begin }
        waiting.add(own)
        beginNext()
        return Effect.sync(() => void waiting.delete(own))
      }),
  }
}
