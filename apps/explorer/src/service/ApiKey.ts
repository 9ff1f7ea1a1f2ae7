/** The API key that the user entered, kept while the tab is open. It is never part of a URL. */
import { useSyncExternalStore } from "react"
import * as Kept from "./Kept.ts"

const name = "daybook.apiKey"

/** Placeholder key for a service that requires none. */
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

/** Forgets the key after the service rejected it. */
export const refuse = (): void => {
  if (read() === null) return
  refused = true
  Kept.tab.removeItem(name)
  announce()
}

/** Whether the last key was rejected. */
export const wasRefused = (): boolean => refused

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The key, updated when it changes. */
export const useApiKey = (): string | null => useSyncExternalStore(subscribe, read)
