/** The addresses that a person watches, with own labels. They are kept in this browser alone. */
import { useSyncExternalStore } from "react"
import * as Kept from "../service/Kept.ts"

/** A watched address. */
export interface Watched {
  /** In lower case. */
  readonly address: string
  /** Own label; empty for none. */
  readonly label: string
}

const name = "daybook.watchList"

/** Longest label, in characters. */
export const maxLabel = 64

/** Most addresses. */
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

/** Reads a stored list; what is not valid is left out. */
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

/** A list with one more address, or with another label of one that it has; the list itself where it is full. */
export const added = (watched: ReadonlyArray<Watched>, entry: Watched): ReadonlyArray<Watched> => {
  const others = watched.filter((one) => one.address !== entry.address)
  return others.length >= maxWatched ? watched : [...others, entry]
}

/** Watches an address, or changes its label. A full list is left as it is. */
export const watch = (address: string, label: string): void =>
  write(added(read(), { address: address.toLowerCase(), label: label.trim().slice(0, maxLabel) }))

/** Watches an address no longer. */
export const unwatch = (address: string): void => write(read().filter((one) => one.address !== address.toLowerCase()))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

/** The list, also as other tabs change it. */
export const useWatchList = (): ReadonlyArray<Watched> => useSyncExternalStore(subscribe, read)

/** Own label of an address; undefined for none. */
export const useWatchLabel = (address: string): string | undefined => {
  const label = useWatchList().find((one) => one.address === address)?.label
  return label === "" ? undefined : label
}
