/** Prints every token transfer to or from a wallet as CSV, including those in transactions sent by others. */
import { createRestClient, Wei } from "@daybook/rest/promise"

const { DAYBOOK_BASE_URL = "", DAYBOOK_API_KEY = "", DAYBOOK_ADDRESS: address = "" } = process.env
const rest = createRestClient({ baseUrl: DAYBOOK_BASE_URL, apiKey: DAYBOOK_API_KEY })

/** Quotes a cell, and prevents spreadsheets from treating a token name as a formula. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

console.log("time,transaction,log,kind,token,symbol,id,amount,counterparty")
const query = { address, kind: ["erc20", "erc721", "erc1155"], order: "ASC" } as const
for await (const row of rest.movementsStream(query)) {
  const amount = row.kind === "erc20" ? Wei.formatUnits(row.amount, row.token?.decimals ?? 0) : String(row.amount)
  const cells = [row.block_timestamp.toISOString(), row.transaction_hash, row.log_index, row.kind, row.asset]
  console.log([...cells, cell(row.token?.symbol ?? ""), row.token_id ?? "", amount, row.counterparty ?? ""].join(","))
}
