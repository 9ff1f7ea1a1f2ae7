/** Calls both clients on the service at DAYBOOK_URL. */
import process from "node:process"
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

const url = process.env.DAYBOOK_URL
const rest = createRestClient({ baseUrl: url, apiKey: "key" })
const rpc = createRpcClient({ url: `${url}/rpc` })
const page = await rest.walletTransactions({ address: `0x${"1".repeat(40)}`, chain: "eth" })
console.log(`${page.result.length} rows, block ${await rpc.eth_blockNumber()}`)
