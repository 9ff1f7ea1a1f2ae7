/** Sums the ether that a wallet sent, by recipient. Tested by `sent.test.ts`. */
import type { RestPromiseClient } from "@daybook/rest/promise"

export const sentTo = async (rest: RestPromiseClient, given: string): Promise<ReadonlyMap<string, bigint>> => {
  const address = given.toLowerCase() // as rows have it
  const sums = new Map<string, bigint>()
  for await (const row of rest.walletTransactionsStream({ address, order: "ASC" })) {
    const { from_address: from, receipt_status: status, to_address: to, value } = row
    if (from !== address || status !== 1 || to === null || value === 0n) continue
    sums.set(to, (sums.get(to) ?? 0n) + value)
  }
  return sums
}
