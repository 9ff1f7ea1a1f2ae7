/**
 * Looks names up by the platform, for all that is sent to URLs of others. A look-up takes a thread of the process until it ends, also once its
 * caller no longer waits. So each holder has one at a time, and all holders together two.
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
export class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly message: string }> {}

/** Looks a name up: waits until the look-up may begin, and gives what waits for its end. */
export type LookUp = (name: string) => Effect.Effect<Effect.Effect<Addresses, LookupFailed>>

/** The look-ups of a process. */
export interface NameLookups {
  /** A look-up of a holder has not ended. */
  readonly has: (holder: string) => boolean
  /** What looks names up for a holder. */
  readonly ofHolder: (holder: string) => LookUp
}

/** Look-ups at the same time. */
const maxLookups = 2

/** Resolves a name by the platform. */
const platformResolve: Resolve = (name, done) => dnsLookup(name, { all: true }, done)

/** Makes the look-ups of a process. */
export const make = (resolve: Resolve = platformResolve): NameLookups => {
  const active = new Set<string>()
  /** What begins, in the order of the requests. */
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
