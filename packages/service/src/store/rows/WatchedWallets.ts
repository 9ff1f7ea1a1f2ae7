/**
 * The wallets that an index has. An index of some wallets must not be used for others: their history would look empty although it was
 * never indexed. Pure.
 */
import { shellWord } from "../../config/ShellWord.ts"
import { StoreError } from "../StoreError.ts"

const isWithin = (wanted: ReadonlySet<string> | null, held: ReadonlySet<string> | null): boolean =>
  held === null || (wanted !== null && [...wanted].every((address) => held.has(address)))

/** The first wallet that the index lacks, for the message. */
const lackedWallet = (wanted: ReadonlySet<string> | null, held: ReadonlySet<string>): string =>
  wanted === null ? "most wallets" : `wallet ${[...wanted].find((address) => !held.has(address))}`

/** The stored text of watched wallets; `null` for all. */
export const toText = (wallets: ReadonlySet<string> | null): string | null =>
  wallets === null ? null : JSON.stringify([...wallets].toSorted())

/** Watched wallets of their stored text. */
const fromText = (text: string | null): ReadonlySet<string> | null =>
  text === null ? null : new Set(JSON.parse(text) as ReadonlyArray<string>)

/** The error of an index that lacks a wanted wallet; `null` where it has all. `name` is that of the database. */
export const lacking = (
  name: string,
  chain: string,
  wanted: ReadonlySet<string> | null,
  text: string | null,
): StoreError | null => {
  const held = fromText(text)
  if (held === null || isWithin(wanted, held)) return null
  const now = wanted === null ? 'which is needed without "watch"' : 'which "watch" now names'
  return new StoreError({
    message: `Database ${name} lacks ${lackedWallet(wanted, held)}, ${now}. Stop the service, run "daybook reindex --all --chain ${shellWord(chain)}" and start it again; or restore the previous "watch".`,
    isRetryable: false,
    cause: undefined,
  })
}
