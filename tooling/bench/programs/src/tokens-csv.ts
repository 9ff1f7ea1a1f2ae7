/** `examples/src/tokens-csv.ts` with moralis. */
import Moralis from "moralis"

const { MORALIS_API_KEY = "", MORALIS_ADDRESS = "" } = process.env
await Moralis.start({ apiKey: MORALIS_API_KEY })
const address = MORALIS_ADDRESS.toLowerCase()

/** Quotes a cell, and keeps spreadsheets from interpreting a token's name as a formula. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** The wallet's sides of a transfer: one, or both if it sent to itself. */
const sides = (from: string, to: string | undefined) => [
  ...(from === address ? [{ sign: "-", counterparty: to ?? "" }] : []),
  ...(to === address ? [{ sign: "", counterparty: from }] : []),
]

console.log("time,transaction,log,kind,token,symbol,id,amount,counterparty")
let page = await Moralis.EvmApi.wallets.getWalletHistory({ address, chain: "0x1", order: "ASC" })
for (;;) {
  for (const { blockTimestamp, erc20Transfers, hash, nftTransfers } of page.result) {
    for (const row of erc20Transfers) {
      for (const { counterparty, sign } of sides(row.fromAddress.lowercase, row.toAddress?.lowercase)) {
        const cells = [blockTimestamp, hash, row.logIndex, "erc20", row.address.lowercase, cell(row.tokenSymbol)]
        console.log([...cells, "", `${sign}${row.valueFormatted}`, counterparty].join(","))
      }
    }
    for (const row of nftTransfers) {
      for (const { counterparty, sign } of sides(row.fromAddress.lowercase, row.toAddress?.lowercase)) {
        const kind = row.contractType.toLowerCase()
        const cells = [blockTimestamp, hash, row.logIndex, kind, row.tokenAddress.lowercase, ""]
        console.log([...cells, row.tokenId, `${sign}${row.amount}`, counterparty].join(","))
      }
    }
  }
  if (!page.hasNext()) break
  page = await page.next()
}
