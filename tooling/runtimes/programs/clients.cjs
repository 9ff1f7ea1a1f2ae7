/** Calls both clients, loaded by require(). */
const { createRestClient } = require("@daybook/rest/promise")
const { createRpcClient } = require("@daybook/rpc/promise")

const url = process.env.DAYBOOK_URL
const rest = createRestClient({ baseUrl: url, apiKey: "key" })
const query = { address: `0x${"1".repeat(40)}`, chain: "eth" }
const main = async () => {
  const rows = (await rest.walletTransactions(query)).result
  for await (const row of rest.walletTransactionsStream(query)) rows.push(row)
  console.log(`${rows.length} rows, block ${await createRpcClient({ url: `${url}/rpc` }).eth_blockNumber()}`)
}
void main()
