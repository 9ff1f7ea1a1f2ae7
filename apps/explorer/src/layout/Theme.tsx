/** Dark or light theme: the system's, or the one that the user chose. */
import { useSyncExternalStore } from "react"
import * as Kept from "../service/Kept.ts"

const name = "daybook.theme"
const dark = matchMedia("(prefers-color-scheme: dark)")
const listeners = new Set<() => void>()

type Theme = "dark" | "light"

const read = (): Theme => {
  const chosen = Kept.browser.getItem(name)
  return chosen === "dark" || chosen === "light" ? chosen : dark.matches ? "dark" : "light"
}

const apply = (): void => {
  const chosen = Kept.browser.getItem(name)
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen
  else delete document.documentElement.dataset["theme"]
  for (const listener of listeners) listener()
}

const choose = (theme: Theme): void => {
  // The system's theme is not stored, so that later changes of it are followed.
  if (theme === (dark.matches ? "dark" : "light")) Kept.browser.removeItem(name)
  else Kept.browser.setItem(name, theme)
  apply()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  dark.addEventListener("change", listener)
  return () => {
    listeners.delete(listener)
    dark.removeEventListener("change", listener)
  }
}

apply()

/** The current theme, updated when it changes. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, read)

/** Switches between dark and light. */
export const ThemeButton = () => {
  const theme = useTheme()
  const other = theme === "dark" ? "light" : "dark"
  return (
    <button type="button" className="icon-button" aria-label={`Use the ${other} theme`} onClick={() => choose(other)}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {theme === "dark" ? (
          <path d="M10 6.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6ZM10 1.5v1.8M10 16.7v1.8M1.5 10h1.8M16.7 10h1.8M4 4l1.3 1.3M14.7 14.7 16 16M4 16l1.3-1.3M14.7 5.3 16 4" />
        ) : (
          <path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z" />
        )}
      </svg>
    </button>
  )
}
