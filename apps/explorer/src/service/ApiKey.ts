/** The API key that a person entered, for as long as the tab is open. It is never part of a URL. */
import { useSyncExternalStore } from "react"

const name = "daybook.apiKey"

/** What a service that needs no key takes for none. */
export const openKey = "explorer"

const listeners = new Set<() => void>()

/** The key, or `null` while there is none. */
export const read = (): string | null => sessionStorage.getItem(name)

/** Keeps a key; `null` forgets it. */
export const write = (key: string | null): void => {
  if (key === null) sessionStorage.removeItem(name)
  else sessionStorage.setItem(name, key)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The key, as it changes. */
export const useApiKey = (): string | null => useSyncExternalStore(subscribe, read)
