/** A web page that calls both clients; its title is what they answered. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

const rest = createRestClient({ baseUrl: DAYBOOK_URL, apiKey: "key" })
const rpc = createRpcClient({ url: `${DAYBOOK_URL}/rpc` })
const page = await rest.walletTransactions({ address: `0x${"1".repeat(40)}`, chain: "eth" })
document.title = `${page.result.length} rows, block ${await rpc.eth_blockNumber()}`
