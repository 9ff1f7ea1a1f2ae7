import { createRestClient } from "@daybook/rest/promise"
import { address, apiKey, baseUrl, chain } from "./service.ts"

const rest = createRestClient({ baseUrl, apiKey, timeout: 10_000 })
const page = await rest.walletTransactions({ address, chain, limit: 5 }, { signal: AbortSignal.timeout(10_000) })
const value: bigint | undefined = page.result[0]?.value
if (typeof value !== "bigint") throw new Error("Transaction missing.")

const hashes: Array<string> = []
for await (const transaction of rest.walletTransactionsStream({ address, chain, limit: 5 })) {
  hashes.push(transaction.hash)
  if (hashes.length === 8) break
}
if (hashes.length !== 8 || hashes[0] !== page.result[0]?.hash) throw new Error("The iterable differs from the page.")

const refused = await createRestClient({ baseUrl, apiKey: "not-a-key" })
  .walletTransactions({ address, chain })
  .then(
    () => "accepted",
    (error: unknown) => (typeof error === "object" && error !== null && "_tag" in error ? error._tag : "untagged"),
  )
if (refused !== "Unauthorized") throw new Error(`Unexpected result for an invalid key: ${String(refused)}.`)
console.log(`${hashes.length} transactions`)
