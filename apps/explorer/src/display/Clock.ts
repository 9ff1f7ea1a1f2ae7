/** The time for ages on screen: one timer for all of them. */
import { useSyncExternalStore } from "react"

const everyMillis = 5_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

const tick = () => {
  now = Date.now()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(tick, everyMillis)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Milliseconds since 1970, a few seconds old at most. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

/** Sets the clock to the current time, for use when something new appears on screen. */
export const refreshNow = tick
