/** A Worker with clients at module scope, shared by all incoming requests. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

const rest = createRestClient({ baseUrl: DAYBOOK_URL, apiKey: "key" })
const rpc = createRpcClient({ url: `${DAYBOOK_URL}/rpc` })

export default {
  async fetch() {
    const query = { address: `0x${"1".repeat(40)}`, chain: "eth" }
    const rows = (await rest.walletTransactions(query)).result
    for await (const row of rest.walletTransactionsStream(query)) rows.push(row)
    return new Response(`${rows.length} rows, block ${await rpc.eth_blockNumber()}`)
  },
}
