/**
 * Which wallets a chain's file holds. An index of some wallets must never be taken for one of others: it would answer with an
 * empty history where it only never looked.
 */
import { shellWord } from "../../config/ShellWord.ts"
import type { SqliteConnection } from "./Connection.ts"
import * as Statements from "./Statements.ts"
import { StoreError } from "../Store.ts"

const isWithin = (wanted: ReadonlySet<string> | null, held: ReadonlySet<string> | null): boolean =>
  held === null || (wanted !== null && [...wanted].every((address) => held.has(address)))

const say = (watch: ReadonlySet<string> | null): string =>
  watch === null ? "all wallets" : `${watch.size} watched wallet${watch.size === 1 ? "" : "s"}`

/** What a wider index needs, for the message: the first wallet that is missing. */
const missing = (wanted: ReadonlySet<string> | null, held: ReadonlySet<string>): string => {
  const [first] = wanted === null ? [] : [...wanted].filter((address) => !held.has(address))
  return first === undefined ? "" : `, ${first} among them`
}

/**
 * Notes the wallets that are indexed from now on. An empty index takes any; one with blocks takes no wallet that it has not
 * indexed from its first block on. Throws a `StoreError`; call it inside a transaction.
 */
export const claimUnsafe = (
  connection: SqliteConnection,
  chain: number,
  wanted: ReadonlySet<string> | null,
  name = String(chain),
): void => {
  const [row] = connection.rowsUnsafe<{ readonly number: number | null; readonly watch: string | null }>(
    Statements.watch,
    [chain],
  )
  const held = row === undefined || row.watch === null ? null : new Set(JSON.parse(row.watch) as ReadonlyArray<string>)
  const isEmpty = row === undefined || row.number === null
  if (!isEmpty && held !== null && !isWithin(wanted, held)) {
    throw new StoreError({
      message: `The database ${connection.name} holds ${say(held)}, the configuration asks for ${say(wanted)}${missing(wanted, held)}. Stop the service, run: daybook reindex --all --chain ${shellWord(name)} and start it again; or take the old list back.`,
      isRetryable: false,
      cause: undefined,
    })
  }
  const text = wanted === null ? null : JSON.stringify([...wanted].toSorted())
  if (text !== (row?.watch ?? null)) connection.rowsUnsafe(Statements.setWatch, [text, chain])
}
