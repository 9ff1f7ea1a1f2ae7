/** The API key that a person entered, for as long as the tab is open. It is never part of a URL. */
import { useSyncExternalStore } from "react"
import * as Kept from "./Kept.ts"

const name = "daybook.apiKey"

/** What a service that needs no key takes for none. */
export const openKey = "explorer"

let refused = false

const listeners = new Set<() => void>()

/** The key, or `null` while there is none. */
export const read = (): string | null => Kept.tab.getItem(name)

const announce = (): void => {
  for (const listener of listeners) listener()
}

/** Keeps a key. */
export const write = (key: string): void => {
  refused = false
  Kept.tab.setItem(name, key)
  announce()
}

/** Forgets the key, which the service does not accept. */
export const refuse = (): void => {
  if (read() === null) return
  refused = true
  Kept.tab.removeItem(name)
  announce()
}

/** The last key was not accepted. */
export const wasRefused = (): boolean => refused

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The key, as it changes. */
export const useApiKey = (): string | null => useSyncExternalStore(subscribe, read)
