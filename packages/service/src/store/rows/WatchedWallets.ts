/**
 * The wallets of an index as stored in the checkpoint, and how each write changes them. An index of watched wallets must not be used for
 * others, because their history would look empty although it was never indexed. Pure.
 *
 * Source: decision 0055.
 */
import { shellWord } from "../../supervision/ShellWord.ts"
import type { Checkpoint } from "../../block/BlockRows.ts"
import { StoreError } from "../StoreError.ts"
import type { Searched, WatchChange } from "../WatchList.ts"

/** A wallet that was added to an index. */
interface Added {
  /** First block from which every transaction of the wallet is indexed. */
  readonly from: number
  /** Last block up to which its past was searched; `null` before the search has stored anything. */
  readonly searchedTo: number | null
}

/** Watched wallets. A configured wallet has `null`, and is indexed from the first block on. */
type Wallets = ReadonlyMap<string, Added | null>

const toText = (wallets: Wallets): string =>
  JSON.stringify(
    [...wallets.keys()].toSorted().map((wallet) => {
      const added = wallets.get(wallet) ?? null
      if (added === null) return wallet
      const { from, searchedTo } = added
      return searchedTo === null ? [wallet, from] : [wallet, from, searchedTo]
    }),
  )

/** A search only covers blocks below the first one with every transaction. */
const addedAt = (from: number, searchedTo: number | null): Added => ({
  from,
  searchedTo: searchedTo === null ? null : Math.min(searchedTo, from - 1),
})

const fromText = (text: string): Wallets =>
  new Map(
    // Sound: only `toText` writes it, and the checksum of the checkpoint covers it.
    (JSON.parse(text) as ReadonlyArray<string | readonly [string, number, number?]>).map((entry) => {
      if (typeof entry === "string") return [entry, null]
      const [wallet, from, searchedTo = null] = entry
      return [wallet, { from, searchedTo }]
    }),
  )

const addedOf = (wallets: Wallets): Wallets => new Map([...wallets].filter(([, added]) => added !== null))

const recordOf = (entries: ReadonlyArray<readonly [wallet: string, block: number]>) =>
  entries.length === 0 ? undefined : Object.fromEntries(entries)

/** What a checkpoint states about the stored text; `null` for all wallets. */
export const toCheckpoint = (text: string | null): Pick<Checkpoint, "watch" | "addedFrom" | "searchedTo"> => {
  if (text === null) return {}
  const wallets = fromText(text)
  const added = [...wallets].flatMap(([wallet, own]) => (own === null ? [] : [[wallet, own] as const]))
  const searched = added.flatMap(([wallet, { searchedTo }]) =>
    searchedTo === null ? [] : [[wallet, searchedTo] as const],
  )
  return {
    watch: [...wallets.keys()],
    addedFrom: recordOf(added.map(([wallet, { from }]) => [wallet, from])),
    searchedTo: recordOf(searched),
  }
}

/** Error for an index that lacks a requested wallet; `null` if it has all. `name` is that of the database. */
export const lacking = (
  name: string,
  chain: string,
  wanted: ReadonlySet<string> | null,
  text: string | null,
): StoreError | null => {
  const held = text === null ? null : fromText(text)
  const missing = held === null ? undefined : wanted === null ? null : [...wanted].find((one) => !held.has(one))
  if (missing === undefined) return null
  const word = shellWord(chain)
  const what = missing === null ? "most wallets" : `wallet ${missing}`
  const why = missing === null ? 'which are needed without "watch"' : 'which "watch" now names'
  const add =
    missing === null ? "" : `Run "daybook watch add ${missing} --chain ${word}" to index it from now on. Or stop`
  return new StoreError({
    message: `The index lacks ${what}, ${why}: ${name}. ${add === "" ? "Stop" : add} the service, run "daybook reindex --all --chain ${word}" and start it again; or restore the previous "watch".`,
    isRetryable: false,
    cause: undefined,
  })
}

/** Text after a writer opens an index for requested wallets. Added wallets are kept. */
export const claimed = (text: string | null, wanted: ReadonlySet<string> | null): string | null => {
  if (wanted === null) return null
  const added: Wallets = text === null ? new Map() : addedOf(fromText(text))
  return toText(new Map([...[...wanted].map((wallet) => [wallet, null] as const), ...added]))
}

/**
 * Wallets for which a writer's blocks are made: those for which it was opened and those that were added; `null` for all. An undefined
 * `wanted` stands for those of the index.
 */
export const listOf = (
  text: string | null,
  wanted: ReadonlySet<string> | null | undefined,
): ReadonlySet<string> | null => {
  if (wanted === null || (wanted === undefined && text === null)) return null
  const stored: Wallets = text === null ? new Map() : fromText(text)
  return new Set(wanted === undefined ? stored.keys() : [...wanted, ...addedOf(stored).keys()])
}

/** Whether two lists of wallets are equal. */
export const isSame = (one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean =>
  one === null || other === null
    ? one === other
    : one.size === other.size && [...one].every((wallet) => other.has(wallet))

/**
 * Text after blocks made for some wallets were stored. Other wallets are complete from `from` on at the earliest; the search of their past
 * restarts, because it has not seen these blocks.
 */
export const stored = (text: string | null, madeFor: ReadonlySet<string> | null, from: number): string | null => {
  if (text === null || madeFor === null) return text
  const wallets = fromText(text)
  if ([...wallets.keys()].every((wallet) => madeFor.has(wallet))) return text
  return toText(
    new Map(
      [...wallets].map(([wallet, own]) => [
        wallet,
        madeFor.has(wallet) ? own : addedAt(Math.max(own?.from ?? 0, from), null),
      ]),
    ),
  )
}

/** Text after the blocks from `lowest` on were removed: their replacements have the transactions of every wallet. */
export const unwound = (text: string | null, lowest: number): string | null => {
  if (text === null) return null
  const wallets = fromText(text)
  return toText(
    new Map([...wallets].map(([wallet, own]) => [wallet, own && addedAt(Math.min(own.from, lowest), own.searchedTo)])),
  )
}

/** Text after the past of wallets was searched further. A wallet whose search restarted, or that was removed, is left unchanged. */
const searched = (wallets: Map<string, Added | null>, { from, to, wallets: named }: Searched) => {
  const found = named.filter((wallet) => {
    const own = wallets.get(wallet) ?? null
    return own !== null && (own.searchedTo ?? from) === from && from < to
  })
  for (const wallet of found) wallets.set(wallet, addedAt(wallets.get(wallet)!.from, to))
  return { text: toText(wallets), changed: found }
}

/** Text after a change, and the changed wallets; `next` is the block after the head. */
export const changed = (
  text: string,
  change: WatchChange,
  next: number,
): { readonly text: string; readonly changed: ReadonlyArray<string> } => {
  const { _tag, wallets: named } = change
  const wallets = new Map(fromText(text))
  if (_tag === "Searched") return searched(wallets, change)
  const isAdd = _tag === "Add"
  const found = [...new Set(named)].filter((wallet) =>
    isAdd ? !wallets.has(wallet) : (wallets.get(wallet) ?? null) !== null,
  )
  for (const wallet of found) {
    if (isAdd) wallets.set(wallet, addedAt(next, null))
    else wallets.delete(wallet)
  }
  return { text: toText(wallets), changed: found }
}
