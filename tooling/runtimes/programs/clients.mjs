/** Calls the service at DAYBOOK_URL with both clients. */
import process from "node:process"
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

const url = process.env.DAYBOOK_URL
const rest = createRestClient({ baseUrl: url, apiKey: "key" })
const rpc = createRpcClient({ url: `${url}/rpc` })
const query = { address: `0x${"1".repeat(40)}`, chain: "eth" }
const rows = (await rest.walletTransactions(query)).result
for await (const row of rest.walletTransactionsStream(query)) rows.push(row)
console.log(`${rows.length} rows, block ${await rpc.eth_blockNumber()}`)
