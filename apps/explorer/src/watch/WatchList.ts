/** The addresses that the user watches, with their labels. Stored only in this browser. */
import { useSyncExternalStore } from "react"
import * as Kept from "../service/Kept.ts"

/** A watched address. */
export interface Watched {
  /** In lower case. */
  readonly address: string
  /** The user's label; empty for none. */
  readonly label: string
}

const name = "daybook.watchList"

/** Maximum length of a label, in characters. */
export const maxLabel = 64

/** Maximum number of addresses. */
export const maxWatched = 200

const listeners = new Set<() => void>()

const isWatched = (value: unknown): value is Watched =>
  typeof value === "object" &&
  value !== null &&
  "address" in value &&
  "label" in value &&
  typeof value.address === "string" &&
  /^0x[0-9a-f]{40}$/.test(value.address) &&
  typeof value.label === "string" &&
  value.label.length <= maxLabel

/** Reads a stored list; invalid entries are dropped. */
export const parse = (text: string | null): ReadonlyArray<Watched> => {
  if (text === null) return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isWatched).slice(0, maxWatched) : []
  } catch {
    return []
  }
}

let [text, list]: [string | null, ReadonlyArray<Watched>] = [null, []]

const read = (): ReadonlyArray<Watched> => {
  const stored = Kept.browser.getItem(name)
  if (stored !== text) [text, list] = [stored, parse(stored)]
  return list
}

const write = (next: ReadonlyArray<Watched>): void => {
  Kept.browser.setItem(name, JSON.stringify(next))
  for (const listener of listeners) listener()
}

/** Adds an address to a list, or changes the label of one that is in it. A full list is returned unchanged. */
export const added = (watched: ReadonlyArray<Watched>, entry: Watched): ReadonlyArray<Watched> => {
  const others = watched.filter((one) => one.address !== entry.address)
  return others.length >= maxWatched ? watched : [...others, entry]
}

/** Watches an address, or changes its label. A full list stays unchanged. */
export const watch = (address: string, label: string): void =>
  write(added(read(), { address: address.toLowerCase(), label: label.trim().slice(0, maxLabel) }))

/** Stops watching an address. */
export const unwatch = (address: string): void => write(read().filter((one) => one.address !== address.toLowerCase()))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

/** The list, updated when this or another tab changes it. */
export const useWatchList = (): ReadonlyArray<Watched> => useSyncExternalStore(subscribe, read)

/** The user's label of an address; undefined for none. */
export const useWatchLabel = (address: string): string | undefined => {
  const label = useWatchList().find((one) => one.address === address)?.label
  return label === "" ? undefined : label
}
