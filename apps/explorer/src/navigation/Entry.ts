/**
 * Entries of the browser's history. Each has a key that identifies it when the user navigates back to it, and the scroll position at which
 * its page was left. Positions are kept until the document is reloaded.
 */

/** How a history entry is made. */
export interface Change {
  /** Changes the URL of the current entry instead of adding one. */
  readonly replace?: boolean | undefined
  /** Keeps the scroll position instead of starting at the top. */
  readonly keepsPosition?: boolean | undefined
}

/** Scroll positions by key, in pixels from the top of the page. */
const positions = new Map<string, number>()

let made = 0

const makeKey = (): string => `${performance.timeOrigin}-${made++}`

const keyOf = (state: unknown): string =>
  typeof state === "object" && state !== null && "key" in state && typeof state.key === "string" ? state.key : ""

/** The key of the current entry. */
export const key = (): string => keyOf(history.state)

let current = key()

const leave = (): void => {
  positions.set(current, window.scrollY)
}

/** The scroll position at which the current entry was left; 0 for a new one. */
export const position = (): number => positions.get(key()) ?? 0

/** Returns the state of the next entry, after saving the position of the current one. */
export const next = ({ keepsPosition = false, replace = false }: Change): { readonly key: string } => {
  leave()
  if (!replace) current = makeKey()
  if (keepsPosition) positions.set(current, window.scrollY)
  return { key: current }
}

/** Gives the current entry a key if it has none. */
const enter = (): void => {
  if (key() === "") history.replaceState({ key: makeKey() }, "")
  current = key()
}

/** Takes over scroll restoration from the browser, which would scroll before the rows are drawn. Called once, before the first page is drawn. */
export const start = (): void => {
  enter()
  history.scrollRestoration = "manual"
  addEventListener("popstate", () => {
    leave()
    enter()
  })
}
