/** A library that exports the return values of the clients without naming a type. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"

export const rest = createRestClient({ baseUrl: "http://service.test", apiKey: "key" })
export const rpc = createRpcClient({ url: "http://node.test" })
export const page = async () => rest.walletTransactions({ address: "0x", chain: "eth" })
export const rows = async () => (await page()).result
export const logs = async () => (await rows()).flatMap((row) => row.logs)
export const internal = async () => (await rows()).flatMap((row) => row.internal_transactions ?? [])
export const events = async () => (await logs()).map((log) => log.decoded_event)
export const block = async () => rpc.eth_getBlockByNumber("latest", true)
export const header = async () => rpc.eth_getBlockByNumber("latest", false)
export const transactions = async () => (await block())?.transactions ?? []
export const withdrawals = async () => (await block())?.withdrawals
export const receipts = async () => rpc.eth_getBlockReceipts("latest")
export const receiptLogs = async () => (await receipts())?.flatMap((receipt) => receipt.logs)
export const fees = async () => rpc.eth_feeHistory(1, "latest", [])
export const traces = async () => rpc.trace_block("latest")
export const calls = async () => rpc.debug_traceTransaction("0x", { tracer: "callTracer" })
