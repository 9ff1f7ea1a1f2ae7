/**
 * Exports as comma-separated values, one line per movement, preceded by the column names. Texts that a spreadsheet would interpret as a
 * formula start with an apostrophe. Pure.
 *
 * Source: RFC 4180.
 */
import * as TextFields from "./TextFields.ts"
import type { Entry } from "./ExportEntry.ts"
import type { ExportFormat } from "./ExportFormat.ts"

/** The columns, in order. */
export const columns = [
  "chain_id",
  "wallet",
  "block_number",
  "block_timestamp",
  "block_hash",
  "transaction_hash",
  "transaction_index",
  "group",
  "log_index",
  "kind",
  "asset",
  "token_id",
  "symbol",
  "counterparty",
  "counterparty_label",
  "amount",
  "amount_in_smallest_unit",
  "failed",
  "flags",
] as const

/**
 * Neutralizes text chosen by others, so that no spreadsheet executes it; some also accept full-width signs. A program that splits lines at
 * a semicolon or a tab starts a cell after these, even within quotes that do not start its own cell.
 */
const harmless = (text: string): string => {
  const split = text.replaceAll(/([;\t\r\n])(?=["\s]*[=+\-@＝＋－＠])/g, "$1'")
  return /^(["\s]*[=+\-@＝＋－＠]|[\t\r\n])/.test(split) ? `'${split}` : split
}

const quoted = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const lineOf = (fields: ReadonlyArray<string>): string => `${fields.map(quoted).join(",")}\r\n`

const textOf = (value: string | number | null): string => (value === null ? "" : String(value))

const fieldsOf = (entry: Entry): Readonly<Record<(typeof columns)[number], string>> => {
  const { asset, movement } = entry
  return {
    chain_id: String(asset.chainId),
    wallet: movement.wallet,
    block_number: String(entry.blockNumber),
    block_timestamp: new Date(entry.timestamp * 1000).toISOString(),
    block_hash: entry.blockHash,
    transaction_hash: textOf(entry.transactionHash),
    transaction_index: textOf(entry.transactionIndex),
    group: TextFields.groupOf(entry),
    log_index: textOf(movement.logIndex),
    kind: movement.kind,
    asset: movement.asset,
    token_id: textOf(movement.tokenId),
    symbol: harmless(textOf(asset.symbol)),
    counterparty: textOf(movement.counterparty),
    counterparty_label: harmless(textOf(entry.counterpartyLabel)),
    amount: TextFields.amountOf(movement.amount, asset),
    amount_in_smallest_unit: movement.amount.toString(),
    failed: String(movement.isFailed),
    flags: entry.flags.join(" "),
  }
}

/** Makes the format. */
export const make = (): ExportFormat => ({
  head: () => lineOf(columns),
  entry: (entry) => {
    const fields = fieldsOf(entry)
    return lineOf(columns.map((name) => fields[name]))
  },
  tail: () => "",
})
