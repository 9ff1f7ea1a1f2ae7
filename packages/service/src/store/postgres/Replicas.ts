/**
 * Reads pages from the replicas of a database in turn, skipping those that failed recently, have not reached the state that the page needs,
 * or have lagged behind the primary for too long. The primary reads what no replica can.
 *
 * A replica applies the writes of its primary in order, so a serial that it has reached implies every earlier write.
 *
 * Source: decision 0051.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Backoff from "@daybook/transport/internal/Backoff"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import { behind, StoreError } from "../StoreError.ts"
import type { ExpectedReads } from "../ChainReader.ts"
import type { Reading } from "./Chain.ts"
import * as Marks from "./Marks.ts"
import type { Source } from "./Pool.ts"
import * as SnapshotStart from "./SnapshotStart.ts"

/** The state that a page needs, and what it reads. */
interface Needs {
  readonly atLeast: number
  readonly expected: ExpectedReads | undefined
}

type Read<A, E, R> = (state: SnapshotStart.State) => Effect.Effect<A, E, R>

/** Reads a chain on a server that has reached a state; `read` is retried on another server if one fails. */
export type PageReading = <A, E, R>(needs: Needs, read: Read<A, E, R>) => Effect.Effect<A, E | StoreError, R>

/** A replica with its health. */
export interface Replica {
  readonly source: Source
  failures: number
  cooldownUntil: number
}

/** Replicas of a database. */
export interface Replicas {
  readonly all: ReadonlyArray<Replica>
  /** Page counter, so that each page begins with another replica. */
  turn: number
  /** Registry of the page metrics. */
  readonly registry: typeof Metric.MetricRegistry.Service
}

/** A server and its ways to read a chain. */
export interface Server {
  readonly reading: Reading
  /** Runs reads of a chain, each in its own state. */
  readonly single: Reading
  /** `null` for the primary. */
  readonly replica: Replica | null
  readonly layout: Layout
}

/** What is known about where the rows of a chain are stored: whether none is on another node. */
export interface Layout {
  isTogether: boolean
}

const backoff: Backoff.Backoff = { firstMillis: 250, maxMillis: 15_000 }
/** Time limit of the server for a statement of a page. */
export const pageMillis = 10_000
/** Maximum time that a replica may lag behind the known state of the primary. */
const maxLagMillis = 15_000
/** Interval at which the primary reads a page that a replica could read, so that its state is known. */
const askMillis = 5_000

const isStandby = "SELECT pg_is_in_recovery()"

/** The state of a replica is earlier than the one needed. */
class Behind extends Data.TaggedError("Behind") {}

const reads = Metric.counter("daybook_database_page_reads_total", {
  description: "Pages by the database server that read them, if there are replicas.",
  incremental: true,
})
/** Number of pages read by each kind of server. */
export const pageReads = {
  primary: Metric.withAttributes(reads, { server: "primary" }),
  replica: Metric.withAttributes(reads, { server: "replica" }),
}

/** Makes the replicas of sources; their pages are counted in the caller's metric registry. */
export const make = (sources: ReadonlyArray<Source>): Effect.Effect<Replicas> =>
  Effect.map(Metric.MetricRegistry, (registry) => ({
    all: sources.map((source) => ({ source, failures: 0, cooldownUntil: 0 })),
    turn: 0,
    registry,
  }))

/** Reads a state if it is recent enough. The primary has the newest state, unless it is itself a standby. */
const readAt =
  <A, E, R>({ replica }: Server, atLeast: number, read: Read<A, E, R>) =>
  (state: SnapshotStart.State): Effect.Effect<A, E | StoreError | Behind, R> => {
    if (state.serial >= atLeast) return read(state)
    if (replica !== null) return Effect.fail(new Behind())
    const asked = state.session.rows<readonly [isStandby: boolean]>(isStandby, [])
    return Effect.flatMap(asked, ([row]): Effect.Effect<A, E | StoreError, R> =>
      row?.[0] === true ? Effect.fail(behind(state.chain.name)) : read(state),
    )
  }

/**
 * Reads on one server if it has reached a state: with one statement if that reads the page, unless more needs to be read. The first page on
 * a server shows whether the rows of the chain are stored together.
 */
const readOn = <A, E, R>(
  server: Server,
  { atLeast, expected }: Needs,
  read: Read<A, E, R>,
): Effect.Effect<A, E | StoreError | Behind, R> => {
  const inState = readAt(server, atLeast, read)
  const inTransaction = server.reading(
    (at) =>
      Effect.flatMap(SnapshotStart.read(at, pageMillis, expected), (state) => {
        server.layout.isTogether = !state.chain.isDistributed
        return inState(state)
      }),
    pageMillis,
  )
  if (expected?.page === undefined || !server.layout.isTogether) return inTransaction
  const { page } = expected
  return server
    .single((at) => Effect.flatMap(SnapshotStart.readWithPage(at, expected, page), inState))
    .pipe(
      Effect.catchIf(
        (error) => error === SnapshotStart.beyond,
        () => inTransaction,
      ),
    )
}

/** Excludes a replica for a time that grows with its failures. */
const coolDown = Effect.fnUntraced(function* (replica: Replica, { message }: StoreError) {
  if (replica.failures === 0) yield* Effect.logWarning(`Replica skipped: ${message}`)
  replica.failures++
  replica.cooldownUntil = (yield* MonotonicClock.millis) + Backoff.delayMillis(backoff, replica.failures)
})

/** Serials of the primary's state of a chain, against which replicas are measured. */
const primarySerials = () => {
  /** Serials by the time at which they were read, oldest first. */
  let seen: ReadonlyArray<readonly [at: number, serial: number]> = []
  let askedAt = -Infinity
  const isOld =
    (now: number) =>
    ([at]: (typeof seen)[number]): boolean =>
      now - at >= maxLagMillis
  return {
    /** True if a page must be read on the primary: for one of several concurrent pages. */
    mustAskPrimary: (now: number): boolean => {
      if (now - askedAt < askMillis) return false
      askedAt = now
      return true
    },
    record: (now: number, serial: number): void => {
      if (now - (seen.at(-1)?.[0] ?? -Infinity) < askMillis) return
      seen = [...seen.slice(Math.max(0, seen.findLastIndex(isOld(now)))), [now, serial]]
    },
    /** The serial that a replica must have reached by now. */
    required: (now: number): number => seen.findLast(isOld(now))?.[1] ?? 0,
  }
}

/** Reads pages of a chain on its servers, including the primary. */
export const reading = (replicas: Replicas, servers: ReadonlyArray<Server>, primary: Server): PageReading => {
  const { mustAskPrimary, record, required } = primarySerials()
  const count = (server: keyof typeof pageReads) =>
    Effect.provideService(Metric.update(pageReads[server], 1), Metric.MetricRegistry, replicas.registry)

  const onPrimary: PageReading = (needs, read) =>
    Effect.flatMap(MonotonicClock.millis, (now) =>
      readOn(primary, needs, (state) => {
        record(now, state.serial)
        return read(state)
      }).pipe(
        // Sound: only replicas are behind.
        Effect.catchIf((error): error is Behind => error instanceof Behind, Effect.die),
        Effect.tap(() => count("primary")),
      ),
    )

  /** Reads on the first server that can, otherwise like `fallback`. */
  const onAny = <A, E, R>(
    candidates: ReadonlyArray<Server>,
    needs: Needs,
    read: Read<A, E, R>,
    fallback: Effect.Effect<A, E | StoreError, R>,
  ): Effect.Effect<A, E | StoreError, R> => {
    const [server, ...others] = candidates
    const replica = server?.replica
    if (server === undefined || replica === undefined || replica === null) return fallback
    const next = Effect.suspend(() => onAny(others, needs, read, fallback))
    return readOn(server, needs, read).pipe(
      Effect.tap(() => {
        replica.failures = 0
        return count("replica")
      }),
      Effect.catch((error): Effect.Effect<A, E | StoreError, R> => {
        // The nodes of a replica lag independently of each other.
        if (error instanceof Behind || Marks.isUnproved(error)) return next
        return error instanceof StoreError ? Effect.andThen(coolDown(replica, error), next) : Effect.fail(error)
      }),
    )
  }

  return (needs, read) =>
    Effect.flatMap(MonotonicClock.millis, (now) => {
      const { length } = servers
      const turn = replicas.turn++
      const ready = servers
        .map((_, index) => servers[(turn + index) % length]!)
        .filter(({ replica }) => replica !== null && replica.cooldownUntil <= now)
      const primaryOnly = onPrimary(needs, read)
      if (ready.length === 0) return primaryOnly
      // If the primary fails, lagging replicas remain.
      const primaryFirst = primaryOnly.pipe(
        Effect.catch((error) =>
          error instanceof StoreError ? onAny(ready, needs, read, Effect.fail(error)) : Effect.fail(error),
        ),
      )
      return mustAskPrimary(now)
        ? primaryFirst
        : onAny(ready, { ...needs, atLeast: Math.max(needs.atLeast, required(now)) }, read, primaryFirst)
    })
}
