/**
 * Rows for a store of any size: those of the recorded chain, repeated with new numbers, hashes and wallets, so that documents have
 * realistic sizes. One busy wallet takes part in a twentieth of all transactions.
 */
import { createHash } from "node:crypto"
import type { BlockRows, TransactionRow } from "../../../packages/service/src/block/BlockRows.ts"

/** Bytes that stand for a text. */
export const digest = (text: string, bytes: number): string =>
  `0x${createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, bytes * 2)}`

export const busyWallet = digest("busy", 20)

/** The hash of a block. */
export const blockHash = (number: number): string => digest(number < 0 ? "before" : `block ${number}`, 32)

/** The time of a block, in seconds since 1970. */
export const timestamp = (number: number): number => 1_700_000_000 + number * 12

/** Wallet of a transaction. The number of wallets is a hundredth of the transactions so far, so histories grow with the chain. */
export const walletOf = (serial: number): string =>
  digest(`wallet ${Math.imul(serial, 0x9e3779b1) % Math.max(1, Math.floor(serial / 100))}`, 20)

const senderAndRecipient = /"from_address":"[^"]*","to_address":(?:null|"[^"]*")/

/** Replaces the hashes of a transaction and of its block in a text by others of the same length. */
const renamed = (text: string, names: ReadonlyArray<readonly [before: string, after: string]>): string =>
  names.reduce((renamed, [before, after]) => renamed.replaceAll(before, after), text)

/** Document of a row with other wallets and another block number, of unchanged length. */
const documentOf = (body: string, number: number, [from, to]: ReadonlyArray<string>): string =>
  body
    .replaceAll(/"block_number":"[^"]*"/g, `"block_number":"${number}"`)
    .replace(senderAndRecipient, `"from_address":"${from}","to_address":"${to ?? from}"`)
    .replace(/"receipt_contract_address":"[^"]*"/, '"receipt_contract_address":""')

/** Makes blocks, each the child of the previous one. `serial` is the number of transactions before the block. */
export type NextBlock = (parent: BlockRows | undefined, serial: number) => BlockRows

export const make = (templates: ReadonlyArray<BlockRows>): NextBlock => {
  const withTransactions = templates.filter(({ transactions }) => transactions.length > 0)
  return (parent, serial) => {
    const number = parent === undefined ? 0 : parent.number + 1
    const template = withTransactions[number % withTransactions.length]!
    const hash = blockHash(number)
    const transactions = template.transactions.map((row, index): TransactionRow => {
      const at = serial + index
      const from = at % 20 === 0 ? busyWallet : walletOf(at)
      const transaction = digest(`transaction ${at}`, 32)
      const addresses = [...new Set([from, walletOf(at + 7)])]
      const names = [[row.hash, transaction] as const, [template.hash, hash] as const]
      const body = documentOf(renamed(row.body, names), number, addresses)
      const internal = row.internal === null ? null : renamed(row.internal, names)
      return { ...row, index, hash: transaction, body, internal, addresses }
    })
    const parentHash = parent?.hash ?? blockHash(number - 1)
    return { ...template, number, hash, parentHash, timestamp: timestamp(number), transactions }
  }
}
