/**
 * The wallets that a chain's file indexes. An index of some wallets must not be used for others: their history would look empty
 * although it was never indexed. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0055.
 */
import type * as Effect from "effect/Effect"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import type { StoreError } from "../StoreError.ts"
import type { WatchChange, WatchChanged } from "../WatchList.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Statements from "./Statements.ts"

/** Writes the text of the wallets where it differs from the one that was read; the caller seals the checkpoint. */
export const writeUnsafe = (
  { connection, ref }: Pick<ChainFile, "connection" | "ref">,
  before: string | null,
  after: string | null,
): void => {
  if (after !== before) connection.rowsUnsafe(Statements.setWatch, [after, ref.id])
}

const claimUnsafe = (file: ChainFile, wanted: ReadonlySet<string> | null): void => {
  const { connection, ref } = file
  const { checkpoint, watch } = Checkpoints.readUnsafe(connection, ref.id)
  const issue = checkpoint === null ? null : WatchedWallets.lacking(connection.name, ref.name, wanted, watch)
  if (issue !== null) throw issue
  const text = WatchedWallets.claimed(watch, wanted)
  if (text === watch) return
  writeUnsafe(file, watch, text)
  Checkpoints.sealUnsafe(connection, ref.id)
}

/**
 * Notes the wallets that are indexed from now on. An empty index takes any; one with blocks takes no wallet that it does not have.
 *
 * **Errors**
 * - `StoreError`: the index lacks a wallet. Nothing was changed.
 */
export const claim = (file: ChainFile, wanted: ReadonlySet<string> | null): Effect.Effect<void, StoreError> =>
  file.transaction(file.connection.attempt(() => claimUnsafe(file, wanted)))

const changeUnsafe = (file: ChainFile, change: WatchChange): WatchChanged => {
  const { connection, ref } = file
  const { checkpoint, watch } = Checkpoints.readUnsafe(connection, ref.id)
  if (checkpoint === null || watch === null) return { checkpoint, changed: [] }
  const { changed, text } = WatchedWallets.changed(watch, change, checkpoint.head.number + 1)
  writeUnsafe(file, watch, text)
  Checkpoints.sealUnsafe(connection, ref.id)
  return { checkpoint: Checkpoints.readUnsafe(connection, ref.id).checkpoint, changed }
}

/** Adds wallets to an index of some, or removes added ones. */
export const change = (file: ChainFile, wanted: WatchChange): Effect.Effect<WatchChanged, StoreError> =>
  file.transaction(file.connection.attempt(() => changeUnsafe(file, wanted)))
