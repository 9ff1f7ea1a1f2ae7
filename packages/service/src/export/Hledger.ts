/**
 * Exports as an hledger journal: one balanced transaction per movement, or per transfer between exported wallets, with declared accounts
 * and commodities. Balance assertions at the end let `hledger check --strict` verify them. Pure.
 *
 * Source: hledger journal format.
 */
import * as TextFields from "./TextFields.ts"
import type { Asset, Closing, Entry } from "./ExportEntry.ts"
import type { ExportFormat } from "./ExportFormat.ts"

const counters: Readonly<Record<TextFields.Counter, string>> = {
  fees: "expenses:fees",
  rewards: "income:rewards",
  withdrawals: "income:withdrawals",
  bridge: "equity:bridge",
  opening: "equity:opening",
  transfers: "equity:transfers",
}

const accountOf = (chainId: number, wallet: string): string => `assets:chain${chainId}:${wallet}`

/** A commodity with a digit in its name must be quoted. */
const commodityOf = (asset: Asset): string => `"${TextFields.commodityOf(asset)}"`

const otherAccountOf = (entry: Entry): string => TextFields.otherAccountOf(entry, accountOf, counters)

/** A transfer between two exported wallets is one entry with the accounts of both. */
const entryOf = (entry: Entry): string => {
  const { asset, blockNumber, counterpartyLabel, movement, own, timestamp, transactionHash } = entry
  if (own === "received") return ""
  const { amount, counterparty, kind, tokenId, wallet } = movement
  const tags = [
    `block:${blockNumber}`,
    ...(transactionHash === null ? [] : [`transaction:${transactionHash}`]),
    `asset:${movement.asset}`,
    ...(tokenId === null ? [] : [`token:${tokenId}`]),
    ...(counterpartyLabel === null ? [] : [`label:${TextFields.labelOf(counterpartyLabel)}`]),
  ]
  const commodity = commodityOf(asset)
  return (
    `${TextFields.dayOf(timestamp)} * ${counterparty ?? "chain"} | ${kind}  ; ${tags.join(", ")}\n` +
    `    ${accountOf(asset.chainId, wallet)}  ${TextFields.amountOf(amount, asset)} ${commodity}\n` +
    `    ${otherAccountOf(entry)}\n\n`
  )
}

const balanceOf = ({ amount, asset, found, wallet }: Closing): string => {
  const commodity = commodityOf(asset)
  const isProved = found === amount || (found === null && amount === 0n)
  const state =
    found === null ? "the contract returns no balance" : `the chain has ${TextFields.amountOf(found, asset)}`
  const comment = isProved ? "" : `  ; not proved: ${state}`
  return `    ${accountOf(asset.chainId, wallet)}  0 ${commodity} = ${TextFields.amountOf(amount, asset)} ${commodity}${comment}\n`
}

/** Makes the format, which declares each commodity before its first use. */
export const make = (): ExportFormat => {
  const declared = new Set<string>()
  const declare = (asset: Asset): string => {
    const commodity = commodityOf(asset)
    if (declared.has(commodity)) return ""
    declared.add(commodity)
    return `commodity 1000.${"0".repeat(asset.decimals)} ${commodity}\n\n`
  }
  return {
    head: (accounts) =>
      [...Object.values(counters), ...accounts.map(({ chainId, wallet }) => accountOf(chainId, wallet))]
        .map((account) => `account ${account}\n`)
        .join("") + "\n",
    entry: (entry) => declare(entry.asset) + entryOf(entry),
    tail: ({ closings, timestamp }) => {
      if (closings.length === 0) return ""
      const declarations = closings.map(({ asset }) => declare(asset)).join("")
      return `${declarations}${TextFields.dayOf(timestamp)} * balances\n${closings.map(balanceOf).join("")}\n`
    },
  }
}
