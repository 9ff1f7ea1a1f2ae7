/** The tip of the selected chain: data on screen is read again when it moves, and not before. */
import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import type { createRestClient } from "@daybook/rest/promise"

type Fetch = NonNullable<Parameters<typeof createRestClient>[0]["fetch"]>

let current: string | undefined

/** The tip of a chain as a text that every block and every reorg changes; undefined while unknown. */
export const tipOf = (status: ChainStatus | undefined): string | undefined =>
  status === undefined || status.head === null
    ? undefined
    : [
        status.chain,
        status.head,
        status.indexed?.to,
        status.finalized,
        status.counts?.blocks,
        status.counts?.reorgs,
      ].join(" ")

/** Sets the tip of the selected chain. */
export const set = (tip: string | undefined): void => void (current = tip)

/** Whether moves of the tip are observed, so that nothing has to be read again before one. */
export const isKnown = (): boolean => current !== undefined

/** Maximum length of a cached response, in characters, and maximum number of cached responses. */
const maxCharacters = 50_000
const maxKept = 8

interface Kept {
  readonly tip: string
  readonly text: string
  readonly init: ResponseInit
}

const copyOf = ({ init, text }: Kept): Response => new Response(text, init)

/**
 * Makes a `fetch` that repeats the previous response to a request while the tip is the same: followed histories request their newest row
 * each second.
 */
export const fetchOnce = (send: Fetch, tip = () => current): Fetch => {
  const kept = new Map<string, Kept>()
  return async (url, init) => {
    const before = tip()
    const known = kept.get(url)
    if (init.method === "GET" && known !== undefined && known.tip === before) return copyOf(known)
    const response = await send(url, init)
    kept.delete(url)
    if (init.method !== "GET" || before === undefined || response.status !== 200) return response
    if (!(response instanceof Response)) return response
    const text = await response.text()
    const answer: Kept = { tip: before, text, init: { status: 200, headers: response.headers } }
    if (text.length <= maxCharacters) kept.set(url, answer)
    for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest)
    return copyOf(answer)
  }
}
