/** A route of Next that calls both clients on the server. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

export const dynamic = "force-dynamic"

export const GET = async () => {
  const url = process.env.DAYBOOK_URL
  const rest = createRestClient({ baseUrl: url, apiKey: "key" })
  const rpc = createRpcClient({ url: `${url}/rpc` })
  const page = await rest.walletTransactions({ address: `0x${"1".repeat(40)}`, chain: "eth" })
  return new Response(`${page.result.length} rows, block ${await rpc.eth_blockNumber()}`)
}
