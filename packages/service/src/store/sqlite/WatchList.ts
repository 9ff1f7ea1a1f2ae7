/**
 * The wallets that a chain's file indexes. An index of some wallets must not be used for others: their history would look empty
 * although it was never indexed.
 */
import type * as Effect from "effect/Effect"
import { shellWord } from "../../config/ShellWord.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Statements from "./Statements.ts"
import { StoreError } from "../StoreError.ts"

const isWithin = (wanted: ReadonlySet<string> | null, held: ReadonlySet<string> | null): boolean =>
  held === null || (wanted !== null && [...wanted].every((address) => held.has(address)))

/** The first wallet that the index lacks, for the message. */
const lackedWallet = (wanted: ReadonlySet<string> | null, held: ReadonlySet<string>): string =>
  wanted === null ? "most wallets" : `wallet ${[...wanted].find((address) => !held.has(address))}`

const claimUnsafe = ({ connection, ref }: ChainFile, wanted: ReadonlySet<string> | null): void => {
  const [row] = connection.rowsUnsafe<{ readonly number: number | null; readonly watch: string | null }>(
    Statements.watch,
    [ref.id],
  )
  const held = row === undefined || row.watch === null ? null : new Set(JSON.parse(row.watch) as ReadonlyArray<string>)
  const isEmpty = row === undefined || row.number === null
  if (!isEmpty && held !== null && !isWithin(wanted, held)) {
    const now = wanted === null ? 'which is needed without "watch"' : 'which "watch" now names'
    throw new StoreError({
      message: `Database ${connection.name} lacks ${lackedWallet(wanted, held)}, ${now}. Stop the service, run "daybook reindex --all --chain ${shellWord(ref.name)}" and start it again; or restore the previous "watch".`,
      isRetryable: false,
      cause: undefined,
    })
  }
  const text = wanted === null ? null : JSON.stringify([...wanted].toSorted())
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
