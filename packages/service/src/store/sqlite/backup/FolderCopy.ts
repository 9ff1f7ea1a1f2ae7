/**
 * Backups of a folder and restores from one: copies the files of chains and of API keys between two folders.
 */
import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { ChainRef } from "../../ChainRef.ts"
import type { Copy, Database } from "../../Database.ts"
import { StoreError } from "../../StoreError.ts"
import * as Backup from "./Backup.ts"
import * as Connection from "../Connection.ts"
import * as CopyState from "./CopyState.ts"
import * as Folder from "../Folder.ts"
import * as KeysFile from "../KeysFile.ts"
import * as Migrations from "../Migrations.ts"
import * as ReadPool from "../ReadPool.ts"

const refuse = (message: string) => new StoreError({ message, isRetryable: false, cause: undefined })

const poolOf = (file: string, { id }: ChainRef) =>
  Effect.acquireRelease(
    Effect.sync(() => ReadPool.make(file, id)),
    (pool) => Effect.sync(pool.close),
  )

/** State of a file; `null` if it is missing or empty. */
const stateOf = Effect.fnUntraced(function* (file: string, ref: ChainRef) {
  if (!existsSync(file)) return null
  const connection = yield* Connection.connect({ file, readOnly: true })
  if (yield* connection.attempt(() => Migrations.isEmptyUnsafe(connection))) return null
  const pool = yield* poolOf(file, ref)
  return yield* pool.once((connection) => CopyState.readUnsafe(connection, ref.id))
}, Effect.scoped)

const checkFolder = (folder: string, target: string): Effect.Effect<void, StoreError> =>
  Effect.suspend(() =>
    existsSync(target) && existsSync(folder) && realpathSync(folder) === realpathSync(target)
      ? Effect.fail(refuse(`Folder of the database itself: ${target}. Name another folder.`))
      : Effect.void,
  )

const copyChain = Effect.fnUntraced(function* (
  from: string,
  to: string,
  ref: ChainRef,
  options: Parameters<typeof Backup.run>[3],
): Effect.fn.Return<Copy, StoreError> {
  const copied = yield* Effect.scoped(Effect.flatMap(poolOf(from, ref), (pool) => Backup.run(pool, to, ref, options)))
  return { ...copied, file: basename(to), bytes: statSync(to).size }
})

/** Copies the files of a folder to another one. */
export const backup = (folder: string): Database["backup"] =>
  Effect.fn("Sqlite.backup")(function* (chains, target, options): Effect.fn.Return<ReadonlyArray<Copy>, StoreError> {
    const to = resolve(target)
    yield* checkFolder(folder, to)
    yield* Folder.make(to)
    const stored = chains.filter(({ name }) => existsSync(join(folder, Folder.chainFile(name))))
    const copies = yield* Effect.forEach(stored, (ref) => {
      const file = Folder.chainFile(ref.name)
      return copyChain(join(folder, file), join(to, file), ref, options ?? {})
    })
    const keys = join(to, Folder.keysFile)
    if (!existsSync(join(folder, Folder.keysFile))) return copies
    yield* KeysFile.copy(join(folder, Folder.keysFile), keys)
    const bytes = statSync(keys).size
    return [...copies, { file: Folder.keysFile, bytes, blocks: 0, copiedBytes: 0, head: null }]
  })

/** Rejects a chain that is already indexed, and an incomplete original. */
const checkRestore = Effect.fnUntraced(function* (
  from: string,
  to: string,
  ref: ChainRef,
): Effect.fn.Return<void, StoreError> {
  const original = yield* Effect.mapError(stateOf(from, ref), (error) =>
    error.migration === undefined
      ? error
      : refuse(
          `${error.message} A restore does not migrate files: set "database" to "sqlite:${dirname(from)}" and start the service, or restore a backup of this version.`,
        ),
  )
  if (original?.copying != null) {
    return yield* refuse(`Unfinished copy: ${from}. Rerun the command that created it.`)
  }
  const local = yield* stateOf(to, ref)
  if (local !== null && local.checkpoint !== null && local.copying === null) {
    const what = `${ref.name} is indexed up to block ${local.checkpoint.head.number} in ${to}`
    return yield* refuse(`Database not empty: ${what}. Move the file away first.`)
  }
})

/** Copies the files of chains into a folder that has none of them. */
export const restore = (folder: string): Database["restore"] =>
  Effect.fn("Sqlite.restore")(function* (chains, source, options): Effect.fn.Return<ReadonlyArray<Copy>, StoreError> {
    const from = resolve(source)
    yield* checkFolder(folder, from)
    const stored = chains.filter(({ name }) => existsSync(join(from, Folder.chainFile(name))))
    const paths = stored.map((ref) => {
      const file = Folder.chainFile(ref.name)
      return { ref, from: join(from, file), to: join(folder, file) }
    })
    for (const path of paths) yield* checkRestore(path.from, path.to, path.ref)
    return yield* Effect.forEach(paths, (path) =>
      copyChain(path.from, path.to, path.ref, { ...options, isRestore: true }),
    )
  })
