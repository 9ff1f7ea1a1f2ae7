/**
 * The SQLite engine: a folder with one file per chain, because each chain has one writer, and one file for API keys and descriptions of
 * contracts.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import type { ChainRef } from "../ChainRef.ts"
import type { ChainStore, Database, EngineOptions } from "../Database.ts"
import type { StoreError } from "../StoreError.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Audit from "./Audit.ts"
import * as ChainFile from "./ChainFile.ts"
import * as ChainReader from "./ChainReader.ts"
import * as ChainSchema from "./ChainSchema.ts"
import * as ChainWriter from "./ChainWriter.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Connection from "./Connection.ts"
import * as Contracts from "./Contracts.ts"
import * as CopyStatements from "./backup/CopyStatements.ts"
import * as Folder from "./Folder.ts"
import * as FolderCopy from "./backup/FolderCopy.ts"
import * as KeysFile from "./KeysFile.ts"
import * as Leases from "./Leases.ts"
import * as Migrations from "./Migrations.ts"
import * as PreparedBlock from "../rows/PreparedBlock.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Proofs from "./Proofs.ts"
import * as ReadPool from "./ReadPool.ts"
import * as Space from "./Space.ts"
import * as StatusBoard from "./StatusBoard.ts"
import * as WatchList from "./WatchList.ts"
import * as Webhooks from "./Webhooks.ts"

/** Compresses the documents of a block and makes their rows. */
export const prepare = (block: BlockRows, { documents = "zstd" }: EngineOptions): BlockRows =>
  PreparedBlock.prepare(block, documents)

/**
 * Opens the database in a folder until the scope ends, and creates the folder for its owner alone. Files are opened on demand.
 *
 * **Errors**
 * - `StoreError`: the location is not a folder, or the folder cannot be created.
 */
export const open = Effect.fn("Sqlite.open")(function* (
  location: string,
  baseFolder: string,
  { documents = "zstd", mustExist = false, rangeEntries }: EngineOptions = {},
): Effect.fn.Return<Database, StoreError, Scope.Scope> {
  const folder = yield* Folder.fromLocation(location, baseFolder)
  yield* mustExist ? Folder.check(folder) : Folder.make(folder)

  const keysFile = yield* KeysFile.make(join(folder, Folder.keysFile))
  const refs = new Map<string, ChainRef>()
  const keyOf = (ref: ChainRef) => {
    const key = `${ref.id} ${Folder.chainFile(ref.name)}`
    refs.set(key, ref)
    return key
  }
  const fileOf = (ref: ChainRef) => join(folder, Folder.chainFile(ref.name))
  const pools = new Map<string, ReadPool.ReadPool>()
  yield* Effect.addFinalizer(() => Effect.sync(() => pools.forEach((pool) => pool.close())))
  const poolOf = (ref: ChainRef): ReadPool.ReadPool => {
    const key = keyOf(ref)
    const pool = pools.get(key) ?? ReadPool.make(fileOf(ref), ref.id)
    pools.set(key, pool)
    return pool
  }

  const files = yield* RcMap.make({
    lookup: (key: string) => {
      const ref = refs.get(key)!
      // SQLite checkpoints the log when the last connection closes, which must not be a read-only one.
      return Effect.tap(ChainFile.open(fileOf(ref), ref, documents, true), () =>
        Effect.addFinalizer(() => Effect.sync(poolOf(ref).closeIdle)),
      )
    },
  })
  const openFile = (ref: ChainRef) => RcMap.get(files, keyOf(ref))
  const withFile: Leases.WithFile = (ref, work) => Effect.scoped(Effect.flatMap(openFile(ref), work))

  const migrate = Effect.fnUntraced(function* (ref: ChainRef) {
    if (!existsSync(fileOf(ref))) return
    const connection = yield* Connection.connect({ file: fileOf(ref), readOnly: true })
    const isOlder = yield* connection.attempt(() => Migrations.isOlderUnsafe(connection, ChainSchema.schema))
    if (isOlder) yield* openFile(ref)
  }, Effect.scoped)

  return {
    chain: (ref): ChainStore => ({
      reader: ChainReader.make(poolOf(ref), ref.id),
      writer: Effect.fnUntraced(function* ({ projections = [WalletTransactions.projection], watch } = {}) {
        const file = yield* openFile(ref)
        if (watch !== undefined) yield* WatchList.claim(file, watch)
        yield* file.transaction(
          file.connection.attempt(() => {
            // What an unfinished copy lacks is fetched and derived from now on.
            file.connection.rowsUnsafe(CopyStatements.deleteCopying, [])
            const { first } = Checkpoints.readUnsafe(file.connection, ref.id)
            ProjectionCheckpoints.registerUnsafe(file.connection, first, projections)
          }),
        )
        const found = yield* file.connection.attempt(() => Checkpoints.readUnsafe(file.connection, ref.id))
        return ChainWriter.make(file, {
          projections,
          wanted: watch,
          watchText: found.watch,
          rangeEntries,
        })
      }),
      changeWatch: (change) => Effect.scoped(Effect.flatMap(openFile(ref), (file) => WatchList.change(file, change))),
      audit: Audit.make(poolOf(ref), ref, openFile(ref)),
      proofs: Proofs.writer(openFile(ref)),
      space: Space.make(withFile, ref),
    }),
    apiKeys: ApiKeys.make(keysFile),
    contracts: Contracts.make(keysFile),
    webhooks: Webhooks.make(keysFile),
    leases: Leases.make(withFile),
    status: StatusBoard.make(withFile, poolOf, fileOf),
    migrate: (chains) => Effect.forEach(chains, (ref) => Effect.ignore(migrate(ref)), { discard: true }),
    backup: FolderCopy.backup(folder),
    restore: FolderCopy.restore(folder),
  }
})
