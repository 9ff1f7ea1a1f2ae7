/** Default `fetch` of the clients outside Node: the global one, looked up at each request. */
import type { Fetch } from "../Fetch.ts"

export const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init)
