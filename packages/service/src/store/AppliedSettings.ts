/**
 * Settings with which the blocks of an index were indexed, as ranges of blocks. A change applies to the next block and not to stored ones,
 * which the chain's status reports. Pure.
 */
import type { AppliedSetting, AppliedSettings } from "./StatusBoard.ts"

/** Name of a setting. */
type Name = AppliedSetting["name"]

/**
 * Settings in force, by name.
 */
export interface Settings extends Readonly<Record<Exclude<Name, "rows">, string>> {
  /** Which transactions of a block are stored. */
  readonly rows?: typeof rowsByRole | typeof allRows | undefined
}

/** Stored rows of a block in an index of some wallets: transactions in which a watched wallet has a role. */
export const rowsByRole = "roles"

/** Stored rows of a block in an index of every wallet. They remain complete if the index is later limited to some wallets. */
export const allRows = "all"

/** Stored rows of blocks from an earlier version: transactions whose sender, recipient or created contract is a watched wallet. */
const rowsByParty = "parties"

/**
 * Settings of an index of some wallets in which no block recorded whose transactions it has: an earlier version stored those up to `head`.
 */
const withEarlierRows = (before: AppliedSettings, { rows }: Settings, head: number | null): AppliedSettings =>
  rows !== rowsByRole || head === null || before.some(({ name }) => name === "rows")
    ? before
    : [...before, { name: "rows", value: rowsByParty }]

/**
 * The first stored blocks that only have the transactions of senders and recipients; undefined if there are none.
 */
export const storedByParty = (settings: AppliedSettings, stored: Stored): Range | undefined =>
  ranges(settings, "rows", stored).find(({ value }) => value === rowsByParty)

/**
 * A setting with a different value than for the previous blocks.
 */
export interface Change {
  readonly name: Name
  readonly before: string
  readonly now: string
  /** First block indexed with the new value. */
  readonly from: number
}

/**
 * Stored blocks that were indexed with the same value of a setting.
 */
export interface Range {
  readonly value: string
  readonly from: number
  readonly to: number
}

/** First and last stored block. */
export type Stored = Pick<Range, "from" | "to">

/**
 * Settings before any was recorded: only whether traces were stored is known.
 */
export const fromTraces = (traces: string | null): AppliedSettings =>
  traces === null ? [] : [{ name: "traces", value: traces === "off" ? "off" : "on" }]

/** Entries that apply to a stored block, of an index up to `head`. */
const storedOf = (entries: AppliedSettings, head: number | null): AppliedSettings =>
  head === null ? [] : entries.filter(({ from }) => from === undefined || from <= head)

/** Entries of one setting once the blocks above `head` have a value. */
const extended = (entries: AppliedSettings, { name, value }: AppliedSetting, head: number | null): AppliedSettings => {
  const stored = storedOf(entries, head)
  if (head === null || stored.length === 0) return [{ name, value }]
  return stored.at(-1)?.value === value ? stored : [...stored, { name, value, from: head + 1 }]
}

/**
 * The recorded settings once those in force apply to the blocks above `head`; `null` for an empty index.
 */
export const apply = (
  before: AppliedSettings,
  settings: Settings,
  head: number | null,
): { readonly settings: AppliedSettings; readonly changes: ReadonlyArray<Change> } => {
  const changes: Array<Change> = []
  const known = withEarlierRows(before, settings, head)
  const applied = (Object.keys(settings) as ReadonlyArray<Name>).flatMap((name) => {
    const value = settings[name]
    if (value === undefined) return []
    const entries = known.filter((setting) => setting.name === name)
    const last = entries.at(-1)
    if (head !== null && last !== undefined && last.value !== value) {
      changes.push({ name, before: last.value, now: value, from: head + 1 })
    }
    return extended(entries, { name, value }, head)
  })
  return { settings: applied, changes }
}

/** Entries of one setting once the blocks below `first` have the value in force. */
const prepended = (entries: AppliedSettings, first: number): AppliedSettings => {
  const value = entries.at(-1)!.value
  const at = entries.findLastIndex(({ from = 0 }) => from <= first)
  const [lowest, ...later] = entries.slice(Math.max(0, at))
  const { name } = lowest!
  return lowest!.value === value
    ? [{ name, value }, ...later]
    : [{ name, value }, { ...lowest!, from: first }, ...later]
}

/**
 * The recorded settings once those in force also apply to the blocks below the first one.
 */
export const prepend = (settings: AppliedSettings, first: number): AppliedSettings =>
  [...new Set(settings.map(({ name }) => name))].flatMap((name) =>
    prepended(
      settings.filter((setting) => setting.name === name),
      first,
    ),
  )

/**
 * The recorded settings after the blocks above `head` were removed: blocks that are indexed again have the settings in force.
 */
export const unwound = (settings: AppliedSettings, head: number | null): AppliedSettings =>
  [...new Set(settings.map(({ name }) => name))].flatMap((name) => {
    const entries = settings.filter((setting) => setting.name === name)
    // Sound: the name belongs to an entry.
    return extended(entries, entries.at(-1)!, head)
  })

/**
 * The stored blocks by value of a setting, lowest first; adjacent ranges have different values.
 */
export const ranges = (settings: AppliedSettings, name: Name, stored: Stored): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  const entries = settings.filter((setting) => setting.name === name)
  for (const [at, { from = 0, value }] of entries.entries()) {
    const until = (entries[at + 1]?.from ?? Number.POSITIVE_INFINITY) - 1
    const range = { value, from: Math.max(from, stored.from), to: Math.min(until, stored.to) }
    if (range.from > range.to) continue
    const last = found.at(-1)
    if (last?.value === value) found[found.length - 1] = { ...last, to: range.to }
    else found.push(range)
  }
  return found
}

/**
 * The last stored block with internal transactions; `null` if there is none.
 */
export const lastTraced = (settings: AppliedSettings, stored: Stored): number | null =>
  ranges(settings, "traces", stored).findLast(({ value }) => value === "on")?.to ?? null
