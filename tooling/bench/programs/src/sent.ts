/** `examples/src/sent.ts` with moralis. */
import Moralis from "moralis"

export const sentTo = async (address: string): Promise<ReadonlyMap<string, bigint>> => {
  const sums = new Map<string, bigint>()
  let page = await Moralis.EvmApi.wallets.getWalletHistory({ address, chain: "0x1", order: "ASC" })
  for (;;) {
    for (const row of page.result) {
      const to = row.toAddress?.lowercase
      if (row.fromAddress.lowercase !== address || row.receiptStatus !== "1" || to === undefined || row.value === "0")
        continue
      sums.set(to, (sums.get(to) ?? 0n) + BigInt(row.value))
    }
    if (!page.hasNext()) return sums
    page = await page.next()
  }
}
