/**
 * Entries of the browser's history. Each has a key, by which it is known again when a person goes back to it, and the position at which its
 * page was left. Positions are kept until the document is loaded again.
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

const keyOf = (state: unknown): string =>
  typeof state === "object" && state !== null && "key" in state && typeof state.key === "string" ? state.key : ""

/** The key of the entry on screen. */
export const key = (): string => keyOf(history.state)

let current = key()

const leave = (): void => {
  positions.set(current, window.scrollY)
}

/** The position at which the entry on screen was left; 0 for a new one. */
export const position = (): number => positions.get(key()) ?? 0

/** The state of the entry that comes next, once the one on screen was left. */
export const next = ({ keepsPosition = false, replace = false }: Change): { readonly key: string } => {
  leave()
  if (!replace) current = makeKey()
  if (keepsPosition) positions.set(current, window.scrollY)
  return { key: current }
}

/** Gives the entry on screen a key, where it has none. */
const enter = (): void => {
  if (key() === "") history.replaceState({ key: makeKey() }, "")
  current = key()
}

/** Takes over from the browser, which would move a page before its rows are there. Called once, before the first page is drawn. */
export const start = (): void => {
  enter()
  history.scrollRestoration = "manual"
  addEventListener("popstate", () => {
    leave()
    enter()
  })
}
