/**
 * A chain opened by an owner that writes it: holds the fencing token of the chain's lease and passes it to each write. Works with every
 * engine.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Projection } from "../block/Projection.ts"
import type { BlockRef, BlockRows } from "../block/BlockRows.ts"
import type { ChainReader } from "./ChainReader.ts"
import type { ChainRef } from "./ChainRef.ts"
import type { ChainWriter, Filled, WriteError } from "./ChainWriter.ts"
import type { Database, WriterOptions } from "./Database.ts"
import type { FencingToken } from "./Leases.ts"
import type { IndexerStatus, ReportedStatus } from "./StatusBoard.ts"
import { LeaseLost, type CheckpointConflict, type StoreError } from "./StoreError.ts"

/** How to open a session. */
export interface Options extends WriterOptions {
  readonly chain: ChainRef
  /** Owner of the lease. */
  readonly owner: string
  /** Time for which the lease is taken or renewed, in milliseconds. */
  readonly leaseMillis: number
}

/** A chain whose lease belongs to one owner. Each write without the lease fails with `LeaseLost`. */
export interface ChainSession extends ChainReader, Pick<ChainWriter, "watch" | "isWatchChanged"> {
  /** Renews the lease, or takes it if it is free; false while another owner holds it. */
  readonly holdLease: Effect.Effect<boolean, StoreError>
  readonly releaseLease: Effect.Effect<void, StoreError>
  readonly append: (
    expected: BlockRef | null,
    blocks: ReadonlyArray<BlockRows>,
  ) => Effect.Effect<void, WriteError | CheckpointConflict>
  readonly prepend: (
    expected: BlockRef,
    blocks: ReadonlyArray<BlockRows>,
  ) => Effect.Effect<void, WriteError | CheckpointConflict>
  readonly unwind: (expected: BlockRef, to: BlockRef | null) => Effect.Effect<void, WriteError | CheckpointConflict>
  readonly finalize: (number: number) => Effect.Effect<void, WriteError>
  readonly fill: (projection: Projection, maxTransactions: number) => Effect.Effect<Filled, WriteError>
  readonly replace: (rows: BlockRows) => Effect.Effect<boolean, WriteError>
  readonly readStatus: Effect.Effect<ReportedStatus | null, StoreError>
  readonly writeStatus: (status: IndexerStatus) => Effect.Effect<void, WriteError>
}

/**
 * Opens a chain for its owner until the scope ends; does not take a lease yet.
 *
 * **Errors**
 * - `StoreError`: the chain cannot be opened for writing.
 */
export const open = (database: Database, options: Options): Effect.Effect<ChainSession, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const { chain, leaseMillis, owner } = options
    const { leases, status } = database
    const { reader, writer: openWriter } = database.chain(chain)
    const writer = yield* openWriter(options)
    let token: FencingToken | null = null
    // The lease is also renewed in parallel with appends: without this, the older of two tokens could be kept.
    const permit = Semaphore.makeUnsafe(1)
    const fenced = <A, E>(write: (token: FencingToken) => Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | LeaseLost> =>
        token === null ? Effect.fail(new LeaseLost({ chain: chain.name })) : write(token),
      )
    return {
      ...reader,
      watch: writer.watch,
      isWatchChanged: writer.isWatchChanged,
      holdLease: permit.withPermits(1)(
        Effect.gen(function* () {
          if (token !== null && (yield* leases.renew(chain, token, leaseMillis))) return true
          token = yield* leases.acquire(chain, owner, leaseMillis)
          return token !== null
        }),
      ),
      releaseLease: Effect.suspend(() => {
        const held = token
        token = null
        return held === null ? Effect.void : leases.release(chain, held)
      }),
      append: (expected, blocks) => fenced((held) => writer.append(expected, blocks, held)),
      prepend: (expected, blocks) => fenced((held) => writer.prepend(expected, blocks, held)),
      unwind: (expected, to) => fenced((held) => writer.unwind(expected, to, held)),
      finalize: (number) => fenced((held) => writer.finalize(number, held)),
      replace: (rows) => fenced((held) => writer.replace(rows, held)),
      fill: (projection, maxTransactions) => fenced((held) => writer.fill(projection, maxTransactions, held)),
      readStatus: status.read(chain),
      writeStatus: (written) => fenced((held) => status.write(chain, written, held)),
    }
  })
