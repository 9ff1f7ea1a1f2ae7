/** Calls both clients, loaded by require(). */
const { createRestClient } = require("@daybook/rest/promise")
const { createRpcClient } = require("@daybook/rpc/promise")

const url = process.env.DAYBOOK_URL
const calls = [
  createRestClient({ baseUrl: url, apiKey: "key" }).walletTransactions({
    address: `0x${"1".repeat(40)}`,
    chain: "eth",
  }),
  createRpcClient({ url: `${url}/rpc` }).eth_blockNumber(),
]
Promise.all(calls).then(([page, block]) => console.log(`${page.result.length} rows, block ${block}`))
