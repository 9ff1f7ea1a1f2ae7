/** A chain's store for tests: its reads, and writes that acquire the chain's lease each time, so that tests need no fencing token. */
import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import type { ChainRef } from "../../src/store/ChainRef.ts"
import type { ChainSession } from "../../src/store/ChainSession.ts"
import type { WriteError } from "../../src/store/ChainWriter.ts"
import type { Database, WriterOptions } from "../../src/store/Database.ts"
import * as Engine from "../../src/store/Engine.ts"
import type { FencingToken } from "../../src/store/Leases.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"
import type { StoreError } from "../../src/store/StoreError.ts"

/** A chain's store with writes that need no token. */
export interface TestStore
  extends ChainReader, Pick<ChainSession, "append" | "prepend" | "unwind" | "finalize" | "fill" | "readStatus"> {
  readonly database: Database
  readonly ref: ChainRef
  /** Writes a status that is `ageMillis` old. */
  readonly writeStatus: (status: IndexerStatus, ageMillis?: number) => Effect.Effect<void, WriteError>
}

/** Runs an effect with a clock that is behind by some milliseconds. */
const ago = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(
      effect,
      Clock.Clock,
      // Sound: everything except the time is inherited from the clock.
      Object.create(clock, {
        currentTimeMillis: { value: Effect.map(clock.currentTimeMillis, (now) => now - millis) },
      }) as Clock.Clock,
    ),
  )

/** Opens a chain of a database for writing until the scope ends. */
export const open = (
  database: Database,
  ref: ChainRef,
  options: WriterOptions = {},
): Effect.Effect<TestStore, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const { reader, writer: openWriter } = database.chain(ref)
    const writer = yield* openWriter(options)
    const withToken = <A, E>(write: (token: FencingToken) => Effect.Effect<A, E>) =>
      Effect.flatMap(database.leases.acquire(ref, "test store", 0), (token) =>
        token === null ? Effect.die(new Error("An indexer holds the lease of the chain.")) : write(token),
      )
    return {
      ...reader,
      database,
      ref,
      append: (expected, blocks) => withToken((token) => writer.append(expected, blocks, token)),
      prepend: (expected, blocks) => withToken((token) => writer.prepend(expected, blocks, token)),
      unwind: (expected, to) => withToken((token) => writer.unwind(expected, to, token)),
      finalize: (number) => withToken((token) => writer.finalize(number, token)),
      fill: (projection, maxTransactions) => withToken((token) => writer.fill(projection, maxTransactions, token)),
      writeStatus: (status, ageMillis = 0) =>
        withToken((token) => ago(ageMillis, database.status.write(ref, status, token))),
      readStatus: database.status.read(ref),
    }
  })

/** Opens a chain of the SQLite database in a folder, as a separate process would. */
export const inFolder = (
  folder: string,
  ref: ChainRef = { name: "test", id: 31337 },
  options: WriterOptions = {},
): Effect.Effect<TestStore, StoreError, Scope.Scope> =>
  Effect.flatMap(Engine.fromUrl(`sqlite:${folder}`, folder), (database) => open(database, ref, options))
