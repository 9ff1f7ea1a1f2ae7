/** `examples/src/fees-per-month.ts` with moralis, which does not report blob fees. */
import Moralis from "moralis"
import { formatEther, parseEther } from "viem"

const { MORALIS_API_KEY = "", MORALIS_ADDRESS = "" } = process.env
await Moralis.start({ apiKey: MORALIS_API_KEY })
const address = MORALIS_ADDRESS.toLowerCase()

const months = new Map<string, bigint>()
let page = await Moralis.EvmApi.wallets.getWalletHistory({ address, chain: "0x1", order: "ASC" })
for (;;) {
  for (const { blockTimestamp, fromAddress, transactionFee } of page.result) {
    if (fromAddress.lowercase !== address) continue
    const month = blockTimestamp.slice(0, 7)
    months.set(month, (months.get(month) ?? 0n) + parseEther(transactionFee ?? "0"))
  }
  if (!page.hasNext()) break
  page = await page.next()
}
for (const [month, fees] of months) console.log(month, formatEther(fees))
