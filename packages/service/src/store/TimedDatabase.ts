/**
 * A database that reports how long its operations take, whatever the engine: each read of a snapshot, each write of blocks, and what a
 * request or a heartbeat costs.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Snapshot } from "./ChainReader.ts"
import type { ChainStore, Database, EngineOptions } from "./Database.ts"

type OnOperation = NonNullable<EngineOptions["onOperation"]>

const timed = <A, E, R>(
  operation: string,
  effect: Effect.Effect<A, E, R>,
  onOperation: OnOperation,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(MonotonicClock.millis, (startedAt) =>
    Effect.ensuring(
      effect,
      Effect.map(MonotonicClock.millis, (now) => onOperation(operation, (now - startedAt) / 1000)),
    ),
  )

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** A copy of an object whose named members, effects or functions that give one, are timed by their names. */
const withTimed = <T extends object>(
  target: T,
  names: ReadonlyArray<keyof T & string>,
  onOperation: OnOperation,
  group = "",
): T => {
  const members = names.map((name) => {
    const member = target[name]
    const operation = `${group}${name}`
    // Sound: each of the names is that of an effect or of a function that gives one.
    const of = (effect: unknown) => timed(operation, effect as AnyEffect, onOperation)
    if (typeof member !== "function") return [name, of(member)]
    return [name, (...args: ReadonlyArray<unknown>) => of(Reflect.apply(member, target, args))]
  })
  // Sound: a timed member has the type of its original.
  return { ...target, ...Object.fromEntries(members) } as T
}

const reads = [
  ...([
    "block",
    "blockFacts",
    "firstAtOrAfter",
    "lastAtOrBefore",
    "page",
    "skip",
    "ledger",
    "openings",
    "places",
  ] as const),
  ...(["unreadOpenings", "proof", "reconciledTo", "tokens", "unreadTokens", "projection", "status"] as const),
  ...(["lowestReorgedBlock", "changes", "removed", "hasTransactions", "nodes", "gapCounts"] as const),
] satisfies ReadonlyArray<keyof Snapshot>

const timedStore = (store: ChainStore, onOperation: OnOperation): ChainStore => ({
  ...store,
  reader: {
    ...withTimed(store.reader, ["headers", "gaps"], onOperation),
    snapshot: (read, options) =>
      store.reader.snapshot((snapshot) => read(withTimed(snapshot, reads, onOperation)), options),
  },
  writer: (options) =>
    Effect.map(store.writer(options), (writer) =>
      withTimed(writer, ["append", "prepend", "unwind", "finalize", "fill", "replace"], onOperation),
    ),
})

/** Times the operations of a database. */
export const make = (database: Database, onOperation: OnOperation): Database => ({
  ...database,
  chain: (ref) => timedStore(database.chain(ref), onOperation),
  apiKeys: withTimed(database.apiKeys, ["digests", "find", "use"], onOperation, "key_"),
  leases: withTimed(database.leases, ["acquire", "renew"], onOperation, "lease_"),
  status: withTimed(database.status, ["read", "write"], onOperation, "status_"),
})
