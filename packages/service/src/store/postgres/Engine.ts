/**
 * The PostgreSQL engine: a schema per chain, and one for API keys and descriptions of contracts.
 *
 * Source: decision 0051.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as DatabaseTls from "../../config/DatabaseTls.ts"
import * as DatabaseUrl from "../../config/DatabaseUrl.ts"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import type { ChainRef } from "../ChainRef.ts"
import type { ChainStore, Database, EngineOptions, WriterOptions } from "../Database.ts"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import { invalidUrl, StoreError } from "../StoreError.ts"
import type { WatchChange, WatchChanged } from "../WatchList.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Audit from "./Audit.ts"
import * as Chain from "./Chain.ts"
import * as ChainReader from "./ChainReader.ts"
import * as ChainSchema from "./ChainSchema.ts"
import * as ChainWriter from "./ChainWriter.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Contracts from "./Contracts.ts"
import * as Leases from "./Leases.ts"
import * as Marks from "./Marks.ts"
import * as Migrations from "./Migrations.ts"
import * as Nodes from "./Nodes.ts"
import * as Notifications from "./Notifications.ts"
import * as OwnSchema from "./OwnSchema.ts"
import * as Pool from "./Pool.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Proofs from "./Proofs.ts"
import * as Replicas from "./Replicas.ts"
import * as Space from "./Space.ts"
import * as StatusBoard from "./StatusBoard.ts"
import * as Webhooks from "./Webhooks.ts"

/** Host, port and name of the database of a URL, for messages. */
const nameOf = (url: string): Effect.Effect<string, StoreError> =>
  Effect.mapError(Effect.fromResult(DatabaseUrl.postgresName(url)), ({ expected, received }) =>
    invalidUrl(expected, received),
  )

/** Claims the schema for a chain and its wallets, and registers what is derived; returns the stored text of the wallets. */
const claim = Effect.fnUntraced(function* (
  at: Chain.At,
  { projections = [WalletTransactions.projection], watch }: WriterOptions,
): Effect.fn.Return<string | null, StoreError> {
  yield* Checkpoints.claim(at)
  const { columns } = yield* Effect.catchTag(Checkpoints.lock(at, null), "LeaseLost", Effect.die)
  const { name, ref } = at.chain
  const isChecked = watch !== undefined && columns.number !== null
  const issue = isChecked ? WatchedWallets.lacking(name, ref.name, watch, columns.watch) : null
  if (issue !== null) return yield* issue
  const text = watch === undefined ? columns.watch : WatchedWallets.claimed(columns.watch, watch)
  if (text !== columns.watch) yield* Checkpoints.write(at, { ...columns, watch: text })
  yield* ProjectionCheckpoints.register(at, columns.first, projections)
  return text
})

/** Adds wallets to an index of some wallets, or removes added ones. */
const changeWatch = Effect.fnUntraced(function* (
  at: Chain.At,
  change: WatchChange,
): Effect.fn.Return<WatchChanged, StoreError> {
  const { columns } = yield* Effect.catchTag(Checkpoints.lock(at, null), "LeaseLost", Effect.die)
  const { number, watch } = columns
  if (number === null || watch === null) return { checkpoint: CheckpointRow.toCheckpoint(columns), changed: [] }
  const { changed, text } = WatchedWallets.changed(watch, change, number + 1)
  if (text !== watch) yield* Checkpoints.write(at, { ...columns, watch: text })
  return { checkpoint: CheckpointRow.toCheckpoint({ ...columns, watch: text }), changed }
})

const refuse = (message: string) => new StoreError({ message, isRetryable: false, cause: undefined })

const noCopies = (name: string, tools: string) =>
  Effect.fail(refuse(`Database managed by PostgreSQL: ${name}. ${tools}`))

/** Runs an effect once; a failure is not cached. */
const once = <E>(effect: Effect.Effect<void, E>): Effect.Effect<void, E> => {
  let isDone = false
  return Effect.suspend(() =>
    isDone
      ? Effect.void
      : Effect.tap(effect, () =>
          Effect.sync(() => {
            isDone = true
          }),
        ),
  )
}

/** A chain with what this process did for it. */
interface Opened {
  readonly chain: Chain.Chain
  /** Creates or migrates the schema. */
  readonly made: Effect.Effect<void, StoreError>
  /** Reads in one transaction, after checking the version of the schema. */
  readonly reading: Chain.Reading
  readonly readPage: Replicas.PageReading
}

/** How a chain is read on a server. */
const readingOf = ({ name, reading }: Pool.Source, ref: ChainRef): Omit<Replicas.Server, "replica"> => {
  const chain = Chain.make(ref, name)
  const checked = once(Migrations.check({ name, reading }, chain.schema, ChainSchema.schema))
  return {
    layout: { isTogether: false },
    reading: (read, statementMillis) =>
      Effect.andThen(
        checked,
        reading.transaction((session) => read({ chain, session }), statementMillis),
      ),
    single: (read) =>
      Effect.andThen(
        checked,
        Effect.suspend(() => read({ chain, session: reading.within(Replicas.pageMillis) })),
      ),
  }
}

const openChain = (pools: Pool.Pools, replicas: Replicas.Replicas, ref: ChainRef): Opened => {
  const chain = Chain.make(ref, pools.name)
  const claimed = pools.writing.transaction((session) => Checkpoints.claim({ chain, session }))
  const own = readingOf(pools, ref)
  const reading = Marks.retried(own.reading)
  const servers = replicas.all.map((replica) => ({ ...readingOf(replica.source, ref), replica }))
  return {
    chain,
    made: once(Effect.andThen(Migrations.migrate(pools, chain.schema, ChainSchema.schema), claimed)),
    reading,
    readPage: Replicas.reading(replicas, servers, { ...own, replica: null, reading }),
  }
}

/** A replica has less time to connect, because another server can be read instead. */
const replicaConnectMillis = 2_000

const named = Effect.fnUntraced(function* (location: string, baseFolder: string) {
  const url = `postgres:${location}`
  const name = yield* nameOf(url)
  const tls = yield* Effect.mapError(Effect.fromResult(DatabaseTls.read(url, baseFolder)), refuse)
  return { name, tls, url: Redacted.make(url, { label: "database" }) }
})

/**
 * Opens the database of a URL until the scope ends. Connects on first use. Certificate paths are relative to `baseFolder`.
 *
 * **Errors**
 * - `StoreError`: the URL is not understood, or its certificates cannot be used. Never shows the URL.
 */
export const open = Effect.fn("Postgres.open")(function* (
  location: string,
  baseFolder: string,
  { documents: codec = "zstd" }: EngineOptions = {},
  replicaLocations: ReadonlyArray<string> = [],
): Effect.fn.Return<Database, StoreError, Scope.Scope> {
  const { name: label, tls, url } = yield* named(location, baseFolder)
  const pools = yield* Pool.make(label, url, { tls })
  const own = OwnSchema.make(pools)
  const notifications = yield* Notifications.make(pools.reading)
  const sources = yield* Effect.forEach(replicaLocations, (replica) =>
    Effect.flatMap(named(replica, baseFolder), (own) =>
      Pool.source(own.name, own.url, { connectMillis: replicaConnectMillis, tls: own.tls }),
    ),
  )
  const replicas = yield* Replicas.make(sources)
  const chains = new Map<string, Opened>()
  const openedOf = (ref: ChainRef): Opened => {
    const key = `${ref.id} ${ref.name}`
    const opened = chains.get(key) ?? openChain(pools, replicas, ref)
    chains.set(key, opened)
    return opened
  }
  const withChain: Leases.WithChain = (ref, work) => {
    const { chain, made } = openedOf(ref)
    return Effect.andThen(
      made,
      Effect.suspend(() => work({ chain, session: pools.writing })),
    )
  }

  return {
    chain: (ref): ChainStore => {
      const { chain, made, readPage, reading } = openedOf(ref)
      return {
        reader: ChainReader.make({
          reading,
          readPage,
          listening: (use) => notifications.listening(chain.schema, use),
        }),
        writer: Effect.fnUntraced(function* (options = {}) {
          yield* made
          yield* pools.writing.transaction((session) => Nodes.report({ chain, session }))
          const watchText = yield* pools.writing.transaction((session) => claim({ chain, session }, options))
          const { projections = [WalletTransactions.projection], watch: wanted } = options
          return ChainWriter.make(pools, chain, { projections, codec, wanted, watchText })
        }),
        changeWatch: (change) =>
          Effect.andThen(
            made,
            pools.writing.transaction((session) => changeWatch({ chain, session }, change)),
          ),
        audit: Audit.make(pools, chain, { codec, made, reading }),
        proofs: Effect.as(made, Proofs.writer(pools, chain)),
        space: Space.make(chain.name),
      }
    },
    apiKeys: ApiKeys.make(pools, own),
    contracts: Contracts.make(pools, own),
    webhooks: Webhooks.make(pools, own),
    leases: Leases.make(withChain),
    status: StatusBoard.make(withChain, (ref) => openedOf(ref).reading),
    migrate: (refs) =>
      Effect.forEach(
        refs,
        Effect.fnUntraced(
          function* (ref) {
            const { chain, made } = openedOf(ref)
            const isOlder = yield* Migrations.isOlder(pools, chain.schema, ChainSchema.schema)
            if (isOlder) yield* made
          },
          (effect) => Effect.ignore(effect),
        ),
        { discard: true },
      ),
    backup: () => noCopies(pools.name, "Back it up with pgBackRest or pg_dump."),
    restore: () => noCopies(pools.name, "Restore it with pgBackRest or pg_restore, or index the chains again."),
  }
})
