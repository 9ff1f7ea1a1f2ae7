/** Looks for one row in the first pages of a wallet's transactions. */
import type { RestPromiseClient, WalletTransaction } from "@daybook/rest/promise"

/** How far to look. */
interface Search {
  readonly matches: (row: WalletTransaction) => boolean
  /** Most pages that are requested. */
  readonly maxPages: number
  readonly signal: AbortSignal
}

/** The first row that matches; `null` where none of the pages has one. */
export const find = async (
  client: RestPromiseClient,
  query: Parameters<RestPromiseClient["walletTransactions"]>[0],
  { matches, maxPages, signal }: Search,
): Promise<WalletTransaction | null> => {
  let page = await client.walletTransactions(query, { signal })
  for (let count = 1; ; count++) {
    const row = page.result.find(matches)
    if (row !== undefined) return row
    const next = count < maxPages ? await page.next() : null
    if (next === null) return null
    page = next
  }
}
