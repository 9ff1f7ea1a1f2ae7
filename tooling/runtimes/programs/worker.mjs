/** A Worker whose clients stand at module scope, as the incoming requests share them. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

const rest = createRestClient({ baseUrl: DAYBOOK_URL, apiKey: "key" })
const rpc = createRpcClient({ url: `${DAYBOOK_URL}/rpc` })

export default {
  async fetch() {
    const page = await rest.walletTransactions({ address: `0x${"1".repeat(40)}`, chain: "eth" })
    return new Response(`${page.result.length} rows, block ${await rpc.eth_blockNumber()}`)
  },
}
