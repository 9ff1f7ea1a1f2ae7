/**
 * Generated history entries and ledger rows without documents: five per transaction, as in the recorded chain. Half of them belong to 1,000
 * busy wallets, the others to wallets whose number grows with the chain.
 */
import { crc32 } from "node:zlib"

/** Number of row ids per block. */
const perBlock = 1_048_576

const transactionsPerBlock = 20
const historiesPerTransaction = 2
const ledgersPerTransaction = 3
/** Number of entries and rows per transaction. */
export const perTransaction = historiesPerTransaction + ledgersPerTransaction

const busyWallets = 1000
/** Number of entries per quiet wallet. */
const perQuietWallet = 10
const shortestBody = 40
const longestBody = 120

/** Entries of an append. */
export interface Batch {
  readonly histories: ReadonlyArray<readonly [key: Uint8Array, id: number]>
  readonly ledgers: ReadonlyArray<readonly [wallet: Uint8Array, id: number, body: Uint8Array, checksum: number]>
}

/** A number without a pattern, deterministic for its input. */
const mixed = (value: number): number => {
  const first = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  const second = Math.imul(first ^ (first >>> 16), 0x45d9f3b)
  return (second ^ (second >>> 16)) >>> 0
}

const bytesOf = (wallet: number, bytes: number): Uint8Array => {
  const made = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += 4) made.writeUInt32BE(mixed(wallet * 8 + at), at)
  return made
}

/** The key of a wallet in a history. */
export const keyOf = (wallet: number): Uint8Array => bytesOf(wallet, 8)
/** The address of a wallet. */
export const addressOf = (wallet: number): Uint8Array => bytesOf(wallet, 20)

/** A busy wallet. */
export const busyWallet = (turn: number): number => mixed(turn) % busyWallets

/** A quiet wallet in a chain with a number of entries. */
export const quietWallet = (turn: number, entries: number): number =>
  busyWallets + (mixed(turn) % Math.max(1, Math.floor(entries / perQuietWallet / 2)))

const walletOf = (serial: number): number =>
  serial % 2 === 0 ? busyWallet(serial) : quietWallet(serial, Math.max(serial, 100_000))

const texts = Buffer.from(Array.from({ length: 4096 }, (_, at) => mixed(at) & 0xff))

const bodyOf = (serial: number): Uint8Array => {
  const random = mixed(serial)
  const start = random % (texts.length - longestBody)
  return texts.subarray(start, start + shortestBody + ((random >>> 16) % (longestBody - shortestBody)))
}

/** The row id of a transaction. */
export const idOf = (transaction: number): number =>
  Math.floor(transaction / transactionsPerBlock) * perBlock + (transaction % transactionsPerBlock)

/** Distinct wallets of a transaction; a wallet with a ledger also has a history. */
const walletsOf = (transaction: number): ReadonlyArray<number> => {
  const wallets = new Set<number>()
  for (let serial = transaction * perTransaction; wallets.size < ledgersPerTransaction; serial++) {
    wallets.add(walletOf(serial))
  }
  return [...wallets]
}

/** Entries of some transactions. */
export const make = (from: number, transactions: number): Batch => {
  const histories: Array<Batch["histories"][number]> = []
  const ledgers: Array<Batch["ledgers"][number]> = []
  for (let transaction = from; transaction < from + transactions; transaction++) {
    const id = idOf(transaction)
    for (const [at, wallet] of walletsOf(transaction).entries()) {
      if (at < historiesPerTransaction) histories.push([keyOf(wallet), id])
      const body = bodyOf(transaction * ledgersPerTransaction + at)
      ledgers.push([addressOf(wallet), id, body, crc32(body) | 0])
    }
  }
  return { histories, ledgers }
}
