/**
 * `daybook backup` copies the database while it is in use, once or as a standby that follows it. `daybook restore` copies chains from such
 * a folder into an empty database.
 */
import { setPriority } from "node:os"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { ChainRef } from "../store/ChainRef.ts"
import type { Database } from "../store/Database.ts"
import type { StoreError } from "../store/StoreError.ts"
import { CommandError } from "./CommandError.ts"
import * as CopyReport from "./CopyReport.ts"
import * as Selection from "./Selection.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Terminal from "./Terminal.ts"

/** Yields to an indexer and a server on the same machine. */
const niceness = 10

/** Interval between backups of a copy that follows the database. */
const followMillis = 2_000

const chainFlag = Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all chains")

const selected = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>, mustExist: boolean) {
  const { database, jobs } = yield* Selection.open(path, names, mustExist)
  return { database, chains: jobs.map(({ chain: name, chainId: id }): ChainRef => ({ name, id })) }
})

/** Updates a copy repeatedly; a database that is briefly locked is retried. */
const follow = (
  database: Database,
  chains: ReadonlyArray<ChainRef>,
  folder: string,
): Effect.Effect<never, StoreError> =>
  database.backup(chains, folder, { isPaced: true }).pipe(
    Effect.flatMap((copies) => Effect.logDebug(copies.map(CopyReport.formatCopy).join("; "))),
    Effect.catchIf(
      ({ isRetryable }) => isRetryable,
      ({ message }) => Effect.logWarning(message),
    ),
    Effect.andThen(Effect.sleep(followMillis)),
    Effect.forever,
  )

/** `daybook backup`. */
export const backup = Command.make(
  "backup",
  {
    config: Selection.configFlag,
    chain: chainFlag,
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Keep the copy up to date until the command is stopped, as a standby"),
      Flag.withDefault(false),
    ),
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Folder for the copies, created if missing; copies in it are brought up to date"),
    ),
  },
  Effect.fn(function* ({ chain, config, folder, follow: isFollowing }) {
    const { chains, database } = yield* selected(config, chain, true)
    yield* Effect.sync(() => setPriority(niceness))
    const onProgress = CopyReport.logProgress()
    for (const copy of yield* database.backup(chains, folder, { isPaced: true, onProgress })) {
      yield* Terminal.print(CopyReport.formatCopy(copy))
    }
    if (!isFollowing) return
    Shutdown.complete()
    yield* Effect.logInfo("Following the database")
    return yield* follow(database, chains, folder)
  }, Effect.scoped),
)

/** `daybook restore`. */
export const restore = Command.make(
  "restore",
  {
    config: Selection.configFlag,
    chain: chainFlag,
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Folder of a backup, or of another service's files"),
    ),
  },
  Effect.fn(function* ({ chain, config, folder }) {
    const { chains, database } = yield* selected(config, chain, false)
    const copies = yield* database.restore(chains, folder, { onProgress: CopyReport.logProgress() })
    for (const copy of copies) yield* Terminal.print(CopyReport.formatCopy(copy))
    if (copies.length > 0) return
    const names = chains.map(({ name }) => name).join(", ")
    const message = `Nothing to restore: ${folder} has no file of these chains: ${names}. Name the folder of a backup.`
    return yield* new CommandError({ message })
  }, Effect.scoped),
)
