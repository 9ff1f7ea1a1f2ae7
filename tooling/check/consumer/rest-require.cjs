const { createRestClient } = require("@daybook/rest/promise")
const { RestClient } = require("@daybook/rest")

if (typeof RestClient.make !== "function") throw new Error("The Effect API is missing under require.")
try {
  createRestClient({ baseUrl: "nowhere", apiKey: "key" })
  throw new Error("An invalid base URL was accepted.")
} catch (error) {
  if (error._tag !== "InvalidOption") throw error
}

const main = async () => {
  const { DAYBOOK_BASE_URL: baseUrl, DAYBOOK_API_KEY: apiKey, DAYBOOK_ADDRESS: address } = process.env
  if (baseUrl === undefined) return console.log("loaded")
  const rest = createRestClient({ baseUrl, apiKey })
  const query = { address, chain: "eth", limit: 5 }
  const page = await rest.walletTransactions(query)
  let count = 0
  for await (const { hash } of rest.walletTransactionsStream(query)) {
    if (count === 0 && hash !== page.result[0].hash) throw new Error("The stream differs from the page.")
    if (++count === 8) break
  }
  if (count !== 8) throw new Error("Transactions missing.")
  console.log(`${count} transactions`)
}
void main()
