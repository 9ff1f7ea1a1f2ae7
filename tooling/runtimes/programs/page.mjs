/** A web page that calls both clients and shows their results as its title. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

const rest = createRestClient({ baseUrl: DAYBOOK_URL, apiKey: "key" })
const rpc = createRpcClient({ url: `${DAYBOOK_URL}/rpc` })
const query = { address: `0x${"1".repeat(40)}`, chain: "eth" }
const rows = (await rest.walletTransactions(query)).result
for await (const row of rest.walletTransactionsStream(query)) rows.push(row)
document.title = `${rows.length} rows, block ${await rpc.eth_blockNumber()}`
