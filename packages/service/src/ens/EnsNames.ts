/**
 * Known names of the Ethereum Name Service for the addresses of one chain. When an unknown name is requested, it is looked up in the
 * background, within a number of calls per minute, and available to later requests. Names are read at the newest block, refreshed after
 * some minutes, and kept only in memory.
 *
 * Source: decision 0058.
 */
import * as Address from "@daybook/schema/Address"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Label } from "../label/Label.ts"
import * as CallPace from "../proof/CallPace.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as EnsName from "./EnsName.ts"
import * as EnsResolver from "./EnsResolver.ts"

/** No node responds at present. */
export class NodeUnavailable extends Data.TaggedError("NodeUnavailable")<{ readonly message: string }> {}

/** Where names are read from. */
export interface Source {
  /** Address of the registry. */
  readonly registry: string
  readonly callsPerMinute: number
  /** Number of the newest block. */
  readonly head: Effect.Effect<number, NodeUnavailable>
  /** Calls contracts at a block. */
  readonly callAt: (block: number) => EnsResolver.Call<NodeUnavailable>
}

/** Names of one chain. */
export interface EnsNames {
  /** Known name of an address; an unknown one is looked up for later. */
  readonly label: Label
  /** Waits briefly for the names of addresses that are not known yet. */
  readonly settle: (addresses: ReadonlyArray<string>) => Effect.Effect<void>
  /** Address of a name entered by a person, with the name in normal form; `null` if there is none. */
  readonly find: (text: string) => Effect.Effect<{ readonly name: string; readonly address: string } | null>
}

/** Names of a chain without a registry. */
export const none: EnsNames = {
  label: () => null,
  settle: () => Effect.void,
  find: () => Effect.succeed(null),
}

/** What is known about an address. */
interface Entry {
  readonly name: string | null
  /** When it is looked up again; until the result arrives, it remains valid. */
  readonly staleAt: number
  readonly endsAt: number
}

const minute = 60_000
const namedMillis = 10 * minute
const unnamedMillis = 60 * minute
const failedMillis = minute
/** Time after which a name that cannot be looked up again is no longer used. */
const keptMillis = 60 * minute
/** Maximum number of known addresses, and of waiting ones. */
const maxEntries = 20_000
const maxWaiting = 1_000
/** Maximum number of addresses looked up at one block, since nodes keep the state of a block only for a while. */
const maxBatch = 50
/** Calls per minute for each of them. */
const callsPerBatched = 12
const settleTime = "2 seconds"
const findTime = "5 seconds"
const callTime = "10 seconds"
const maxSearches = 4
/** Initial burst of calls, for a wallet page that was not requested before, in milliseconds of the rate. */
const burstMillis = 20_000

/** Makes the entries of a chain, and the addresses that wait. */
const makeEntries = (now: MonotonicClock.Reader, queue: Queue.Queue<string>) => {
  const entries = new Map<string, Entry>()
  const waiting = new Map<string, Deferred.Deferred<void>>()

  const awaited = (address: string): Deferred.Deferred<void> | undefined => {
    const known = entries.get(address)
    if (known !== undefined && now() < known.staleAt) return undefined
    const found = waiting.get(address)
    if (found !== undefined || waiting.size >= maxWaiting) return found
    const deferred = Deferred.makeUnsafe<void>()
    waiting.set(address, deferred)
    Queue.offerUnsafe(queue, address)
    return deferred
  }

  const set = (address: string, entry: Entry): void => {
    entries.delete(address)
    entries.set(address, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxEntries) entries.delete(oldest!)
    const deferred = waiting.get(address)
    waiting.delete(address)
    if (deferred !== undefined) Deferred.doneUnsafe(deferred, Effect.void)
  }

  return {
    awaited,
    nameOf: (address: string): string | null => {
      const known = entries.get(address)
      return known !== undefined && now() < known.endsAt ? known.name : null
    },
    found: (address: string, name: string | null): void => {
      const at = now()
      set(address, { name, staleAt: at + (name === null ? unnamedMillis : namedMillis), endsAt: at + keptMillis })
    },
    failed: (address: string): void => {
      const { endsAt = 0, name = null } = entries.get(address) ?? {}
      set(address, { name, endsAt, staleAt: now() + failedMillis })
    },
  }
}

/** Makes the names of a chain, which are looked up until the scope ends. */
export const make = Effect.fn("EnsNames.make")(function* ({
  callAt,
  callsPerMinute,
  head,
  registry,
}: Source): Effect.fn.Return<EnsNames, never, Scope.Scope> {
  const queue = yield* Queue.unbounded<string>()
  const entries = makeEntries(yield* MonotonicClock.reader, queue)
  const searches = yield* Semaphore.make(maxSearches)
  const batchSize = Math.min(maxBatch, Math.max(1, Math.floor(callsPerMinute / callsPerBatched)))
  const orElse = () => Effect.fail(new NodeUnavailable({ message: `The node did not respond within ${callTime}.` }))

  /** Makes rate-limited resolvers: lookups and searches have separate rates, so that neither waits for the other. */
  const paced = () => {
    const pause = CallPace.make(callsPerMinute, burstMillis)
    return Effect.map(head, (block) => {
      const call = callAt(block)
      return EnsResolver.make(registry, (to, data) =>
        Effect.andThen(pause(1), Effect.timeoutOrElse(call(to, data), { duration: callTime, orElse })),
      )
    })
  }
  const [lookupResolver, searchResolver] = [paced(), paced()]

  const lookUp = Effect.fnUntraced(function* (addresses: ReadonlyArray<string>) {
    const resolver = yield* lookupResolver
    for (const address of addresses) {
      yield* resolver.nameOf(address).pipe(
        Effect.map((name) => entries.found(address, name)),
        Effect.catch(() => Effect.sync(() => entries.failed(address))),
      )
    }
  })
  const turn = Effect.flatMap(Queue.takeBetween(queue, 1, batchSize), (addresses) =>
    lookUp(addresses).pipe(Effect.catch(() => Effect.sync(() => addresses.forEach(entries.failed)))),
  )
  yield* Effect.forkScoped(Effect.forever(turn))

  return {
    label: (text) => {
      const address = text.toLowerCase()
      if (!Address.pattern.test(address)) return null
      entries.awaited(address)
      return entries.nameOf(address)
    },
    settle: (addresses) => {
      const awaited = addresses.flatMap((address) => entries.awaited(address) ?? [])
      return Effect.asVoid(
        Effect.timeoutOption(Effect.forEach(awaited, Deferred.await, { concurrency: "unbounded" }), settleTime),
      )
    },
    find: Effect.fnUntraced(
      function* (text) {
        const name = EnsName.normalize(text.trim())
        if (name === null) return null
        const address = yield* searches.withPermit(Effect.flatMap(searchResolver, ({ addressOf }) => addressOf(name)))
        return address === null ? null : { name, address }
      },
      Effect.timeoutOption(findTime),
      Effect.map((found) => (found._tag === "Some" ? found.value : null)),
      Effect.catch(() => Effect.succeed(null)),
    ),
  }
})
