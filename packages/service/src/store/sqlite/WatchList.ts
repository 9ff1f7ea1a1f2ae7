/**
 * The wallets that a chain's file indexes. An index of some wallets must not be used for others: their history would look empty
 * although it was never indexed.
 */
import type * as Effect from "effect/Effect"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Statements from "./Statements.ts"
import type { StoreError } from "../StoreError.ts"

const claimUnsafe = ({ connection, ref }: ChainFile, wanted: ReadonlySet<string> | null): void => {
  const [row] = connection.rowsUnsafe<{ readonly number: number | null; readonly watch: string | null }>(
    Statements.watch,
    [ref.id],
  )
  const isEmpty = row === undefined || row.number === null
  const issue = isEmpty ? null : WatchedWallets.lacking(connection.name, ref.name, wanted, row.watch)
  if (issue !== null) throw issue
  const text = WatchedWallets.toText(wanted)
  if (text === (row?.watch ?? null)) return
  connection.rowsUnsafe(Statements.setWatch, [text, ref.id])
  Checkpoints.sealUnsafe(connection, ref.id)
}

/**
 * Notes the wallets that are indexed from now on. An empty index takes any; one with blocks takes no wallet that it has not indexed
 * from its first block on.
 *
 * **Errors**
 * - `StoreError`: the index lacks a wallet. Nothing was changed.
 */
export const claim = (file: ChainFile, wanted: ReadonlySet<string> | null): Effect.Effect<void, StoreError> =>
  file.transaction(file.connection.attempt(() => claimUnsafe(file, wanted)))
