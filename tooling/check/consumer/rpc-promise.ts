import { createRpcClient } from "@daybook/rpc/promise"
import { apiKey, chain, rpcUrl } from "./service.ts"

const rpc = createRpcClient({ rpcUrl, chain, apiKey, timeout: 10_000 })
const block = await rpc.eth_getBlockByNumber("latest", true)
if (block === null || block.hash === null) throw new Error("Block missing.")
const transaction = await rpc.eth_getTransactionByBlockHashAndIndex(block.hash, 0)
if (transaction?.hash !== block.transactions[0]?.hash) throw new Error("Received another transaction.")

const direct = createRpcClient({ url: `${rpcUrl}/${chain}/${apiKey}` })
const raw: unknown = await direct.request({ method: "eth_getBlockByNumber", params: ["0x0", false] })
if (typeof raw !== "object" || raw === null || !("number" in raw) || raw.number !== "0x0") {
  throw new Error("request does not return the wire JSON.")
}
console.log(`block ${String(block.number)}`)
