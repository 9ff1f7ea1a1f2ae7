/** Prints what a wallet paid in fees, month by month, in ether. */
import { createRestClient, Wei } from "@daybook/rest/promise"

const { DAYBOOK_BASE_URL = "", DAYBOOK_API_KEY = "", DAYBOOK_ADDRESS: address = "" } = process.env
const rest = createRestClient({ baseUrl: DAYBOOK_BASE_URL, apiKey: DAYBOOK_API_KEY })

const months = new Map<string, bigint>()
for await (const { amount, block_timestamp } of rest.movementsStream({ address, kind: "fee", order: "ASC" })) {
  const month = block_timestamp.toISOString().slice(0, 7)
  months.set(month, (months.get(month) ?? 0n) - amount)
}
for (const [month, fees] of months) console.log(month, Wei.formatEther(fees))
