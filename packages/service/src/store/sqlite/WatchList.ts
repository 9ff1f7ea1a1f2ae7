/**
 * The wallets indexed in a chain's file. An index of watched wallets must not be used for others, because their history would look empty
 * although it was never indexed. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0055.
 */
import type * as Effect from "effect/Effect"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import type { StoreError } from "../StoreError.ts"
import type { WatchChange, WatchChanged } from "../WatchList.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"

const claimUnsafe = ({ connection, ref }: ChainFile, wanted: ReadonlySet<string> | null): void => {
  const columns = Checkpoints.readUnsafe(connection, ref.id)
  const { number, watch } = columns
  const issue = number === null ? null : WatchedWallets.lacking(connection.name, ref.name, wanted, watch)
  if (issue !== null) throw issue
  const claimed = WatchedWallets.claimed(watch, wanted)
  if (claimed !== watch) Checkpoints.writeUnsafe(connection, ref.id, { ...columns, watch: claimed })
}

/**
 * Records the wallets that are indexed from now on. An empty index accepts any; an index with blocks accepts no wallet that it does not
 * have.
 *
 * **Errors**
 * - `StoreError`: the index lacks a wallet. Nothing was changed.
 */
export const claim = (file: ChainFile, wanted: ReadonlySet<string> | null): Effect.Effect<void, StoreError> =>
  file.transaction(file.connection.attempt(() => claimUnsafe(file, wanted)))

const changeUnsafe = ({ connection, ref }: ChainFile, change: WatchChange): WatchChanged => {
  const columns = Checkpoints.readUnsafe(connection, ref.id)
  const { number, watch } = columns
  if (number === null || watch === null) return { checkpoint: CheckpointRow.toCheckpoint(columns), changed: [] }
  const { changed, text } = WatchedWallets.changed(watch, change, number + 1)
  const after = { ...columns, watch: text }
  Checkpoints.writeUnsafe(connection, ref.id, after)
  return { checkpoint: CheckpointRow.toCheckpoint(after), changed }
}

/** Adds wallets to an index of some wallets, or removes added ones. */
export const change = (file: ChainFile, wanted: WatchChange): Effect.Effect<WatchChanged, StoreError> =>
  file.transaction(file.connection.attempt(() => changeUnsafe(file, wanted)))
