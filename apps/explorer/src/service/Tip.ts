/** How far the selected chain is: what is on screen is read again when it moves, and not before. */
import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import type { createRestClient } from "@daybook/rest/promise"

type Fetch = NonNullable<Parameters<typeof createRestClient>[0]["fetch"]>

let current: string | undefined

/** The tip of a chain as a text that every block and every reorg changes; undefined while it is not known. */
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

/** Whether a move of the tip is seen, so that nothing has to be read again before it. */
export const isKnown = (): boolean => current !== undefined

/** Largest text that is kept, in characters, and most texts. */
const maxCharacters = 50_000
const maxKept = 8

interface Kept {
  readonly tip: string
  readonly text: string
  readonly init: ResponseInit
}

const copyOf = ({ init, text }: Kept): Response => new Response(text, init)

/**
 * Makes a `fetch` that answers a request which is repeated at the same tip with the response that it had: histories that are followed ask
 * for their newest row each second.
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
