/**
 * Exports as a beancount ledger: one balanced transaction per movement, or per transfer between exported wallets, and finally the balances,
 * so that `bean-check` verifies them. Pure.
 *
 * Source: Beancount language syntax.
 */
import * as TextFields from "./TextFields.ts"
import type { Closing, Entry } from "./ExportEntry.ts"
import type { ExportFormat } from "./ExportFormat.ts"

const counters: Readonly<Record<TextFields.Counter, string>> = {
  fees: "Expenses:Fees",
  rewards: "Income:Rewards",
  withdrawals: "Income:Withdrawals",
  bridge: "Equity:Bridge",
  opening: "Equity:Opening-Balances",
  transfers: "Equity:Transfers",
}

const firstDay = "1970-01-01"

const accountOf = (chainId: number, wallet: string): string => `Assets:Chain${chainId}:${wallet}`

/**
 * Beancount computes with 28 digits: transactions with more digits do not balance, and sums are rounded. They are written as comments.
 * Source: Python's decimal context.
 */
const exactBelow = 10n ** 28n

const isExact = (amount: bigint): boolean => amount < exactBelow && amount > -exactBelow

const inexact = "; more digits than beancount computes with"

const asComment = (text: string): string => `${inexact}\n${text.trimEnd().replaceAll(/^/gm, "; ")}\n\n`

const metadata = (name: string, value: string | null): string => (value === null ? "" : `  ${name}: "${value}"\n`)

const otherAccountOf = (entry: Entry): string => TextFields.otherAccountOf(entry, accountOf, counters)

/** A transfer between two exported wallets is one entry with the accounts of both. */
const entryOf = (entry: Entry): string => {
  const { asset, blockNumber, counterpartyLabel, movement, own, timestamp, transactionHash } = entry
  if (own === "received") return ""
  const { amount, counterparty, kind, tokenId, wallet } = movement
  const commodity = TextFields.commodityOf(asset)
  const number = TextFields.amountOf(amount, asset)
  const text =
    `${TextFields.dayOf(timestamp)} * "${counterparty ?? ""}" "${kind}"\n` +
    metadata("block", String(blockNumber)) +
    metadata("transaction", transactionHash) +
    metadata("asset", movement.asset) +
    metadata("token", tokenId) +
    metadata("label", counterpartyLabel === null ? null : TextFields.labelOf(counterpartyLabel)) +
    `  ${accountOf(asset.chainId, wallet)}  ${number} ${commodity}\n` +
    `  ${otherAccountOf(entry)}  ${TextFields.amountOf(-amount, asset)} ${commodity}\n\n`
  return isExact(amount) ? text : asComment(text)
}

const balanceOf = ({ amount, asset, found, largest, wallet }: Closing, day: string): string => {
  // Without a tolerance, beancount accepts a difference in the last written digit.
  const held = `${TextFields.amountOf(amount, asset)} ~ 0 ${TextFields.commodityOf(asset)}`
  const mark = isExact(largest) ? "" : `${inexact}: `
  const line = `${mark}${day} balance ${accountOf(asset.chainId, wallet)}  ${held}\n`
  if (found === amount || (found === null && amount === 0n)) return line
  const state =
    found === null ? "the contract returns no balance" : `the chain has ${TextFields.amountOf(found, asset)}`
  return `; not proved: ${state}\n${line}`
}

/** Makes the format. */
export const make = (): ExportFormat => ({
  head: (accounts) =>
    [...Object.values(counters), ...accounts.map(({ chainId, wallet }) => accountOf(chainId, wallet))]
      .map((account) => `${firstDay} open ${account}\n`)
      .join("") + "\n",
  entry: entryOf,
  tail: ({ closings, timestamp }) =>
    closings.map((closing) => balanceOf(closing, TextFields.dayAfter(timestamp))).join(""),
})
