/**
 * The store of one chain in one SQLite file: a single writer, and as many readers as there are processes. Readers see the state
 * that was committed when their snapshot began, whatever the writer does meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { fromHex, toHex } from "./Bytes.ts"
import * as Connection from "./Connection.ts"
import type { Params, SqliteConnection } from "./Connection.ts"
import * as RowId from "./RowId.ts"
import * as Reader from "./Reader.ts"
import * as Migrations from "./Migrations.ts"
import * as Rows from "./Rows.ts"
import * as Statements from "./Statements.ts"
import * as WatchList from "./WatchList.ts"
import { CheckpointConflict, Store, StoreError } from "../Store.ts"
import type { BlockRef, BlockRows, Checkpoint, PageRow, StoreShape } from "../Store.ts"

/** How to open the store of a chain. */
export interface SqliteStoreOptions {
  readonly file: string
  /** EIP-155 id; a file that holds another chain is refused. */
  readonly chainId: number
  /** The chain's name, for messages. Default: its id. */
  readonly chain?: string
  /** Refuses writes; the file may be made later, by the indexer. Default false. */
  readonly readOnly?: boolean
  /** The wallets that are indexed, lower case; `null` for all. Left out, the file keeps what it has. */
  readonly watch?: ReadonlySet<string> | null
  /** Removed blocks that are remembered at most, highest first. Default 100,000. */
  readonly rememberedBlocks?: number
}

/** Blocks whose appearances are deleted without a pause for other fibers. */
const unwoundAtOnce = 1000

const StatusJson = Schema.fromJsonString(
  Schema.Struct({
    state: Schema.Literals(["waiting", "backfill", "synced", "misconfigured", "stopped"]),
    traces: Schema.NullOr(Schema.Literals(["trace_block", "debug_traceBlock", "off"])),
    nodeHead: Schema.NullOr(Schema.Number),
    message: Schema.String,
    updatedAtMillis: Schema.Number,
    blocksPerSecond: Schema.optionalKey(Schema.Number),
    etaMillis: Schema.optionalKey(Schema.Number),
    unchecked: Schema.optionalKey(Schema.String),
  }),
)
const decodeStatus = Schema.decodeUnknownEffect(StatusJson)
const encodeStatus = Schema.encodeEffect(StatusJson)

const isSame = (a: BlockRef | null, b: BlockRef | null) => a?.number === b?.number && a?.hash === b?.hash

/** Says what is wrong with blocks that cannot follow a block; null when nothing is. */
const flawOf = (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>): string | null => {
  let previous = expected
  for (const block of blocks) {
    if (previous !== null && (block.number !== previous.number + 1 || block.parentHash !== previous.hash)) {
      return `Block ${block.number} (${block.hash}, parent ${block.parentHash}) does not extend block ${previous.number} (${previous.hash}).`
    }
    let last = -1
    for (const transaction of block.transactions) {
      if (transaction.index <= last) {
        return `Block ${block.number} (${block.hash}): transaction ${transaction.index} stands after transaction ${last}.`
      }
      last = transaction.index
    }
    previous = block
  }
  return null
}

/** The writes of a chain; each is one transaction. */
const writes = (options: SqliteStoreOptions) =>
  Effect.gen(function* () {
    const chain = options.chainId
    const remembered = options.rememberedBlocks ?? 100_000
    const writer = yield* Connection.connect({ file: options.file, readOnly: false })
    const client = yield* Connection.make(writer)
    yield* Migrations.migrate(writer, client, Statements.schema)
    yield* writer.attempt(() => {
      Reader.checkChainUnsafe(writer, chain)
      writer.rowsUnsafe(Statements.claim, [chain])
    })

    const { watch } = options
    if (watch !== undefined) {
      yield* Connection.transaction(
        writer,
        client,
        writer.attempt(() => WatchList.claimUnsafe(writer, chain, watch, options.chain)),
      )
    }

    const transaction = <A, E>(work: Effect.Effect<A, E | StoreError>) => Connection.transaction(writer, client, work)
    /** One statement alone, after whatever transaction is open has ended. */
    const statement = (sql: string, params: Params) =>
      transaction(writer.attempt(() => writer.rowsUnsafe<object>(sql, params)))

    const checkpointAt = (expected: BlockRef | null) =>
      Effect.flatMap(
        writer.attempt(() => Reader.checkpointUnsafe(writer, chain)),
        (found): Effect.Effect<Checkpoint | null, CheckpointConflict> =>
          isSame(found?.head ?? null, expected)
            ? Effect.succeed(found)
            : Effect.fail(new CheckpointConflict({ expected, found: found?.head ?? null })),
      )

    const moveUnsafe = (first: number, head: BlockRef, timestamp: number) =>
      writer.rowsUnsafe(Statements.moveCheckpoint, [first, head.number, fromHex(head.hash), timestamp, chain])

    const append: StoreShape["append"] = Effect.fn("Store.append")(function* (expected, blocks) {
      const issue = flawOf(expected, blocks)
      if (issue !== null) return yield* Effect.die(new Error(issue))
      yield* transaction(
        Effect.gen(function* () {
          const found = yield* checkpointAt(expected)
          const last = blocks.at(-1)
          if (last === undefined) return
          for (const block of blocks) yield* writer.attempt(() => Rows.insertUnsafe(writer, chain, block))
          yield* writer.attempt(() => moveUnsafe(found?.first ?? blocks[0]!.number, last, last.timestamp))
        }),
      )
    })

    const rememberUnsafe = (lowest: number) => {
      writer.rowsUnsafe(Statements.lowerUnwound, [lowest, chain, lowest, lowest])
      writer.rowsUnsafe(Statements.rememberUnwound, [lowest, chain, lowest, remembered])
      writer.rowsUnsafe(Statements.forgetUnwound, [chain, chain, remembered])
    }

    const unwind: StoreShape["unwind"] = Effect.fn("Store.unwind")(function* (expected, to) {
      yield* transaction(
        Effect.gen(function* () {
          const found = yield* checkpointAt(expected)
          if (found === null) return
          const target = to && (yield* writer.attempt(() => Reader.blockUnsafe(writer, chain, to.number)))
          if (!isSame(target, to)) return yield* new CheckpointConflict({ expected: to, found: target ?? found.head })
          const lowest = to === null ? found.first : to.number + 1
          if (lowest > found.head.number) return

          for (let from = lowest; from <= found.head.number; from += unwoundAtOnce) {
            yield* writer.attempt(() => Rows.removeAppearancesUnsafe(writer, chain, from, from + unwoundAtOnce - 1))
          }
          yield* writer.attempt(() => {
            rememberUnsafe(lowest)
            writer.rowsUnsafe(Statements.deleteTransactions, [RowId.of(lowest, 0)])
            writer.rowsUnsafe(Statements.deleteBlocks, [chain, lowest])
            if (target === null) writer.rowsUnsafe(Statements.moveCheckpoint, [null, null, null, null, chain])
            else moveUnsafe(found.first, target, target.timestamp)
            const mark = target?.number ?? null
            writer.rowsUnsafe(Statements.unfinalize, [mark ?? -1, mark, chain])
          })
        }),
      )
    })

    const finalize: StoreShape["finalize"] = Effect.fn("Store.finalize")((number) =>
      Effect.asVoid(statement(Statements.finalize, [number, chain, number])),
    )

    const lease: StoreShape["lease"] = Effect.fn("Store.lease")(function* (owner, millis) {
      const now = yield* Clock.currentTimeMillis
      const taken = yield* statement(Statements.lease, [owner, now + millis, chain, owner, now])
      return taken.length > 0
    })

    const writeStatus: StoreShape["writeStatus"] = Effect.fn("Store.writeStatus")(function* (status) {
      const text = yield* Effect.orDie(encodeStatus(status))
      yield* statement(Statements.writeStatus, [text, chain])
    })

    const updateDecoded: StoreShape["updateDecoded"] = Effect.fn("Store.rewrite")((revision, rows) =>
      transaction(
        writer.attempt(() =>
          writer.manyUnsafe(
            Statements.updateDecoded,
            rows.map(({ block, blockHash, body, index }) => [
              body,
              revision,
              RowId.of(block, index),
              chain,
              block,
              fromHex(blockHash),
            ]),
          ),
        ),
      ),
    )

    return { append, unwind, finalize, lease, writeStatus, updateDecoded }
  })

type Writes = Pick<StoreShape, "append" | "unwind" | "finalize" | "lease" | "writeStatus" | "updateDecoded">

/** The writes of a store that was opened for reading: each fails. */
const refusals = (name: string): Writes => {
  const refuse = () =>
    Effect.fail(
      new StoreError({
        message: `The database ${name} was opened for reading only.`,
        isRetryable: false,
        cause: undefined,
      }),
    )
  return { append: refuse, unwind: refuse, finalize: refuse, lease: refuse, writeStatus: refuse, updateDecoded: refuse }
}

type OutdatedRow = readonly [...Reader.StoredRow, blockHash: Uint8Array]

/** Rows of every revision but one, oldest first: each revision's from its index, merged. */
const outdatedUnsafe = (connection: SqliteConnection, chain: number, revision: number, limit: number) => {
  const rows: Array<PageRow & { readonly blockHash: string }> = []
  let last = Number.MIN_SAFE_INTEGER
  for (;;) {
    const next = connection.rowsUnsafe<{ readonly revision: number }>(Statements.nextRevision, [chain, last])[0]
    if (next === undefined) break
    last = next.revision
    if (last === revision) continue
    for (const found of connection.valuesUnsafe<OutdatedRow>(Statements.ofRevision, [chain, last, limit])) {
      const [block, index, body, decoderRevision, internal, blockHash] = found
      const row = Reader.pageRow([block, index, body, decoderRevision, internal])
      rows.push({ ...row, blockHash: toHex(blockHash) })
    }
  }
  return rows.toSorted((a, b) => a.block - b.block || a.index - b.index).slice(0, limit)
}

/**
 * Opens the store of a chain until the scope ends; makes the file unless it is opened for reading only.
 *
 * **Errors**
 * - `StoreError`: the file cannot be opened, is locked, damaged, newer than this program, or holds another chain. A reader says
 *   so when it is used.
 */
export const make = (options: SqliteStoreOptions): Effect.Effect<StoreShape, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const chain = options.chainId
    const name = options.file.split(/[\\/]/).at(-1)!
    const written: Writes = options.readOnly === true ? refusals(name) : yield* writes(options)
    const reader = yield* Reader.make(options.file, chain)

    const readStatus = Effect.gen(function* () {
      const [row] = yield* reader.once((connection) =>
        connection.rowsUnsafe<{ readonly status: string | null }>(Statements.status, [chain]),
      )
      if (row === undefined || row.status === null) return null
      return yield* Effect.mapError(decodeStatus(row.status), (cause) => Connection.storeError(name, cause))
    })

    return {
      ...written,
      snapshot: reader.snapshot,
      headers: (from, to) =>
        reader.once((connection) =>
          connection
            .rowsUnsafe<{ readonly number: number; readonly hash: Uint8Array }>(Statements.headers, [chain, from, to])
            .map((row) => ({ number: row.number, hash: toHex(row.hash) })),
        ),
      readStatus,
      staleRows: (revision, limit) => reader.once((connection) => outdatedUnsafe(connection, chain, revision, limit)),
    }
  })

/** The store of a chain, as a service. */
export const layer = (options: SqliteStoreOptions): Layer.Layer<Store, StoreError> => Layer.effect(Store, make(options))
