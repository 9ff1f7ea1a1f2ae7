/**
 * A database that reports the duration of its operations, for any engine: each snapshot read, each write of blocks, and the cost of
 * requests and heartbeats.
 */
import * as Clock from "effect/Clock"
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
  Effect.withFiber((fiber) => {
    const now = MonotonicClock.readerOf(fiber.getRef(Clock.Clock))
    const startedAt = now()
    return Effect.onExitPrimitive(effect, () => {
      onOperation(operation, (now() - startedAt) / 1000)
      return undefined
    })
  })

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** A member that is an effect, or a function that returns one, timed under a name. */
const timedMember = (target: object, member: unknown, operation: string, onOperation: OnOperation): unknown => {
  // Sound: each of the names belongs to an effect or to a function that returns one.
  const of = (effect: unknown) => timed(operation, effect as AnyEffect, onOperation)
  return typeof member === "function"
    ? (...args: ReadonlyArray<unknown>) => of(Reflect.apply(member, target, args))
    : of(member)
}

/** Copies an object with its named members timed under their names. */
const withTimed = <T extends object>(
  target: T,
  names: ReadonlyArray<keyof T & string>,
  onOperation: OnOperation,
  group = "",
): T => {
  const members = names.map((name) => [name, timedMember(target, target[name], `${group}${name}`, onOperation)])
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
    "transactions",
    "skip",
    "ledger",
    "openings",
    "places",
  ] as const),
  ...(["unreadOpenings", "proof", "reconciledTo", "tokens", "unreadTokens", "projection", "status"] as const),
  ...(["lowestReorgedBlock", "changes", "removed", "activeWallets", "hasTransactions", "nodes", "gapCounts"] as const),
] satisfies ReadonlyArray<keyof Snapshot>

const isRead: ReadonlySet<string> = new Set(reads)

/** Makes the timer of snapshot reads. A member is made when it is used: a snapshot has many, and a page uses few of them. */
const snapshotTimer = (onOperation: OnOperation): ((snapshot: Snapshot) => Snapshot) => {
  let members: object | undefined
  const membersOf = (snapshot: Snapshot): object =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.keys(snapshot).map((name) => {
          const of = (target: Snapshot) => {
            const member = target[name as keyof Snapshot]
            return isRead.has(name) ? timedMember(target, member, name, onOperation) : member
          }
          return [
            name,
            {
              get(this: { readonly target: Snapshot }) {
                return of(this.target)
              },
            },
          ]
        }),
      ),
    )
  return (snapshot) => {
    members ??= membersOf(snapshot)
    // Sound: it has the members of a snapshot.
    return Object.assign(Object.create(members), { target: snapshot }) as Snapshot
  }
}

const timedStore = (
  store: ChainStore,
  onOperation: OnOperation,
  timedSnapshot: ReturnType<typeof snapshotTimer>,
): ChainStore => ({
  ...store,
  reader: {
    ...withTimed(store.reader, ["headers", "gaps"], onOperation),
    snapshot: (read, options) => store.reader.snapshot((snapshot) => read(timedSnapshot(snapshot)), options),
  },
  writer: (options) =>
    Effect.map(store.writer(options), (writer) =>
      withTimed(writer, ["append", "prepend", "unwind", "finalize", "fill", "replace"], onOperation),
    ),
})

/** Times the operations of a database. */
export const make = (database: Database, onOperation: OnOperation): Database => ({
  ...database,
  chain: (ref) => timedStore(database.chain(ref), onOperation, snapshotTimer(onOperation)),
  apiKeys: withTimed(database.apiKeys, ["digests", "find", "use"], onOperation, "key_"),
  leases: withTimed(database.leases, ["acquire", "renew"], onOperation, "lease_"),
  status: withTimed(database.status, ["read", "write"], onOperation, "status_"),
})
