/**
 * Limits what unknown API keys cost the database. A key that was looked up recently is rejected from memory. Beyond a number of unknown
 * keys from an address, or from all addresses, only keys that the database lists are looked up: a valid key is always accepted.
 *
 * Source: decision 0065.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import { type ApiKeys, digestOf, type KeyGrant } from "../../store/ApiKeys.ts"
import type { StoreError } from "../../store/StoreError.ts"
import { networkOf } from "./AnonymousCaller.ts"

/** How many unknown keys are looked up: at once, and the time after which one more is allowed. */
interface Allowance {
  readonly burst: number
  readonly everyMillis: number
}

const perAddress: Allowance = { burst: 20, everyMillis: 200 }
const perProcess: Allowance = { burst: 1_000, everyMillis: 2 }

/** Time for which an unknown key is not looked up again: a key created meanwhile is accepted afterwards. */
const unknownMillis = 5_000
/** Minimum time between two reads of the list, and the multiple of the last read's duration. */
const [listMillis, listShare] = [1_000, 20]
/** Maximum number of remembered unknown keys and addresses: beyond it, the oldest are forgotten. */
const [maxUnknown, maxAddresses] = [10_000, 65_536]

/** More unknown keys are sent than may be looked up. */
export class TooManyUnknownKeys extends Data.TaggedError("TooManyUnknownKeys")<{}> {
  override get message(): string {
    return "Too many unknown API keys. Send a key of this service, or retry later."
  }
}

/** Seconds after which a rejected client may retry. */
export const retrySeconds = 1

const forgetOldest = (map: Map<string, unknown>, max: number): void => {
  for (const oldest of map.keys()) {
    if (map.size <= max) return
    map.delete(oldest)
  }
}

/** Counts that decay: the time at which the last unknown key of an address would be due, with one due per interval. */
const makeCounts = ({ burst, everyMillis }: Allowance) => {
  const due = new Map<string, number>()
  return {
    /** Counts one key; false if there is no room. */
    add: (name: string, now: number): boolean => {
      const next = Math.max(due.get(name) ?? 0, now) + everyMillis
      if (next - now > burst * everyMillis) return false
      due.delete(name)
      due.set(name, next)
      forgetOldest(due, maxAddresses)
      return true
    },
    /** Takes back one count. */
    remove: (name: string, now: number): void => {
      const next = (due.get(name) ?? 0) - everyMillis
      if (next <= now) due.delete(name)
      else due.set(name, next)
    },
  }
}

/** The digests in the database, as of a recent read. */
const makeList = ({ digests }: Pick<ApiKeys, "digests">) => {
  const mutex = Semaphore.makeUnsafe(1)
  let listed: ReadonlySet<string> = new Set()
  let nextAt = -Infinity
  return mutex.withPermit(
    Effect.gen(function* () {
      const now = yield* MonotonicClock.millis
      if (now < nextAt) return listed
      listed = new Set(yield* digests)
      const then = yield* MonotonicClock.millis
      nextAt = then + Math.max(listMillis, (then - now) * listShare)
      return listed
    }),
  )
}

/** Makes the lookup of the database's keys for clients of an address; it returns `null` for an unknown key. */
export const make = (keys: Pick<ApiKeys, "digests" | "find">) => {
  /** Time until which each unknown key is rejected from memory, by digest. */
  const unknown = new Map<string, number>()
  const ofAddress = makeCounts(perAddress)
  const ofProcess = makeCounts(perProcess)
  const list = makeList(keys)

  /** Counts a key as unknown until it is found to be valid. */
  const count = (network: string, now: number): boolean => {
    if (!ofAddress.add(network, now)) return false
    if (ofProcess.add("", now)) return true
    ofAddress.remove(network, now)
    return false
  }

  return Effect.fnUntraced(function* (
    key: Redacted.Redacted<string>,
    address: string,
  ): Effect.fn.Return<KeyGrant | null, StoreError | TooManyUnknownKeys> {
    const now = yield* MonotonicClock.millis
    const digest = digestOf(key)
    const until = unknown.get(digest)
    if (until !== undefined && now < until) return null
    const network = networkOf(address)
    const isCounted = count(network, now)
    if (!isCounted && !(yield* list).has(digest)) return yield* new TooManyUnknownKeys()
    const grant = yield* keys.find(key)
    if (grant !== null && isCounted) {
      ofAddress.remove(network, now)
      ofProcess.remove("", now)
    }
    if (grant === null) {
      unknown.delete(digest)
      unknown.set(digest, now + unknownMillis)
      forgetOldest(unknown, maxUnknown)
    }
    return grant
  })
}
