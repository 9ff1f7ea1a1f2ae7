/** Reads a balance through viem over this project's transport, and decodes the logs of a wallet's history with viem. */
import { createRestClient } from "@daybook/rest/promise"
import { daybookTransport } from "@daybook/rpc/viem"
import { createPublicClient, erc20Abi, formatEther, getAddress, parseEventLogs } from "viem"
import { mainnet } from "viem/chains"

const { DAYBOOK_BASE_URL = "", DAYBOOK_RPC_URL = "", DAYBOOK_API_KEY = "", DAYBOOK_ADDRESS = "" } = process.env
const transport = daybookTransport({ rpcUrl: DAYBOOK_RPC_URL, chain: "eth", apiKey: DAYBOOK_API_KEY })
const client = createPublicClient({ chain: mainnet, transport }) // wagmi: createConfig({ chains: [mainnet], transports: { 1: transport } })
const rest = createRestClient({ baseUrl: DAYBOOK_BASE_URL, apiKey: DAYBOOK_API_KEY })

const address = getAddress(DAYBOOK_ADDRESS)
console.log(formatEther(await client.getBalance({ address })))
for await (const { hash } of rest.walletTransactionsStream({ address, order: "ASC" })) {
  const { logs } = await client.getTransactionReceipt({ hash })
  for (const { args } of parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }))
    console.log(hash, args.from, args.to, args.value)
}
