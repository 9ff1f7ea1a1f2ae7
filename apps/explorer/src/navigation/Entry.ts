/**
 * Entries of the browser's history. Each has a key, by which it is known again when a person goes back to it, and the position at which its
 * page was left.
 */

/** How an entry of the history is made. */
export interface Change {
  /** The entry on screen stays the same one, with another URL. */
  readonly replace?: boolean | undefined
  /** The new page begins where the one on screen is, rather than at its top. */
  readonly keepsPosition?: boolean | undefined
}

/** Pixels from the top of the page by key. */
const positions = new Map<string, number>()

let made = 0

const makeKey = (): string => `${performance.timeOrigin}-${made++}`

const keyOf = (state: unknown): string | undefined =>
  typeof state === "object" && state !== null && "key" in state && typeof state.key === "string" ? state.key : undefined

/** The key of the entry on screen; undefined for one that only leads to a part of its page. */
export const key = (): string | undefined => keyOf(history.state)

let current = key()

const leave = (): void => {
  if (current !== undefined) positions.set(current, window.scrollY)
}

/** The position at which the entry on screen was left; 0 for a new one. */
export const position = (): number => positions.get(key() ?? "") ?? 0

/** The state of the entry that comes next, once the one on screen was left. */
export const next = ({ keepsPosition = false, replace = false }: Change): { readonly key: string } => {
  leave()
  if (!replace || current === undefined) current = makeKey()
  if (keepsPosition) positions.set(current, window.scrollY)
  return { key: current }
}

/** Takes over from the browser, which would move a page before its rows are there. Called once, before the first page is drawn. */
export const start = (): void => {
  if (current === undefined) history.replaceState(next({}), "")
  addEventListener("popstate", () => {
    leave()
    current = key()
  })
  history.scrollRestoration = "manual"
  addEventListener("pageshow", () => {
    history.scrollRestoration = "manual"
  })
  // A page that is loaded again is moved by the browser.
  addEventListener("pagehide", () => {
    history.scrollRestoration = "auto"
  })
}
