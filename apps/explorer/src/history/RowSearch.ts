/** Looks for one row in the first pages of a wallet's transactions. */
import type { RestPromiseClient, WalletTransaction } from "@daybook/rest/promise"

type Query = Parameters<RestPromiseClient["walletTransactions"]>[0]

/** Limits of a search. */
interface Search {
  readonly matches: (row: WalletTransaction) => boolean
  /** Maximum number of pages requested. */
  readonly maxPages: number
  readonly signal: AbortSignal
}

/** The first row that matches; `null` if no page has one. */
export const find = async (
  client: RestPromiseClient,
  query: Query,
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

/** A transaction in a block. Names the block's hash too, because a reorg may replace it by another block with the same number. */
export interface Place {
  readonly hash: string
  readonly sender: string
  readonly block: bigint
  readonly blockHash: string
}

/** Maximum number of pages of one sender's transactions in one block that are searched. */
const maxPagesOfBlock = 5

/** The row of a transaction; `null` if the service has not indexed its block, or if the row is beyond the pages that are searched. */
export const findInBlock = (
  client: RestPromiseClient,
  { block, blockHash, hash, sender }: Place,
  query: Pick<Query, "chain" | "include">,
  signal: AbortSignal,
): Promise<WalletTransaction | null> => {
  const matches = (row: WalletTransaction) => row.hash === hash && row.block_hash === blockHash
  const range = { address: sender, from_block: block, to_block: block, limit: 100 }
  return find(client, { ...query, ...range }, { matches, maxPages: maxPagesOfBlock, signal })
}
