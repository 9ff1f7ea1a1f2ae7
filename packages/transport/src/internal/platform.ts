/** The `fetch` of clients that are given none, where the platform's own is the best there is. */
import type { Fetch } from "../Http.ts"

export const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init)
