/** `examples/src/viem-transfers.ts` with viem's own transport, and moralis for the history. */
import Moralis from "moralis"
import { createPublicClient, erc20Abi, formatEther, getAddress, http, parseEventLogs } from "viem"
import { mainnet } from "viem/chains"

const { MORALIS_API_KEY = "", MORALIS_ADDRESS = "", NODE_URL = "" } = process.env
await Moralis.start({ apiKey: MORALIS_API_KEY })
const client = createPublicClient({ chain: mainnet, transport: http(NODE_URL, { batch: true }) })

const address = getAddress(MORALIS_ADDRESS)
console.log(formatEther(await client.getBalance({ address })))
let page = await Moralis.EvmApi.wallets.getWalletHistory({ address, chain: "0x1", order: "ASC" })
for (;;) {
  for (const { hash } of page.result) {
    const { logs } = await client.getTransactionReceipt({ hash: hash as `0x${string}` })
    for (const { args } of parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }))
      console.log(hash, args.from, args.to, args.value)
  }
  if (!page.hasNext()) break
  page = await page.next()
}
