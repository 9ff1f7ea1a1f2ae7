/**
 * The atomic transactions of a block of Avalanche, which import native currency from another chain of its network, or export it there.
 * Neither transactions nor traces state them. Pure.
 *
 * Source: Avalanche, Coreth atomic transaction format; decision 0048.
 */
import type { WalletRows } from "./WalletRows.ts"

/** What one account receives from another chain, or sends there. */
interface Transfer {
  readonly account: string
  /** Id of the asset. */
  readonly asset: string
  /** In a billionth of the native currency; negative for an export. */
  readonly amount: bigint
}

/** Fields of an encoding, one after the other; behind its end they are 0. */
class Fields {
  readonly #hex: string
  #at: number

  constructor(hex: string, at: number) {
    this.#hex = hex
    this.#at = at
  }

  bytes(count: number): string {
    const from = this.#at
    this.#at += 2 * count
    return `0x${this.#hex.slice(from, this.#at).padEnd(2 * count, "0")}`
  }

  number(count: number): number {
    return Number(this.bytes(count))
  }

  /** The elements of a list, which begins with their number. One that the encoding lacks is read from behind its end, and ends the list. */
  list<A>(element: () => A): ReadonlyArray<A> {
    const count = this.number(wordBytes)
    const found: Array<A> = []
    while (found.length < count && this.#at <= this.#hex.length) found.push(element())
    return found
  }

  isAtEnd(): boolean {
    return this.#at === this.#hex.length
  }
}

const [wordBytes, amountBytes, accountBytes, idBytes, signatureBytes] = [4, 8, 20, 32, 65]
const [importType, exportType] = [0, 1]

/** Accounts of the C-Chain of an atomic transaction, each with what changes there. */
const readAccounts = (fields: Fields, isExport: boolean): ReadonlyArray<Transfer> =>
  fields.list(() => {
    const account = fields.bytes(accountBytes)
    const amount = BigInt(fields.bytes(amountBytes))
    const asset = fields.bytes(idBytes)
    if (isExport) fields.bytes(amountBytes)
    return { account, asset, amount: isExport ? -amount : amount }
  })

const skipInput = (fields: Fields): void => {
  fields.bytes(idBytes + wordBytes + idBytes + wordBytes + amountBytes)
  fields.list(() => fields.bytes(wordBytes))
}

const skipOutput = (fields: Fields): void => {
  fields.bytes(idBytes + wordBytes + amountBytes + amountBytes + wordBytes)
  fields.list(() => fields.bytes(accountBytes))
}

const skipCredential = (fields: Fields): void => {
  fields.bytes(wordBytes)
  fields.list(() => fields.bytes(signatureBytes))
}

/** A transaction; `null` for one of another type. */
const readTransaction = (fields: Fields): ReadonlyArray<Transfer> | null => {
  const type = fields.number(wordBytes)
  if (type !== importType && type !== exportType) return null
  fields.bytes(wordBytes + idBytes + idBytes)
  if (type === importType) fields.list(() => skipInput(fields))
  const transfers = readAccounts(fields, type === exportType)
  if (type === exportType) fields.list(() => skipOutput(fields))
  fields.list(() => skipCredential(fields))
  return transfers
}

const versionCharacters = "0x0000".length

/** One transaction, as blocks before Apricot Phase 5 have it, or a list of them. */
const forms = [
  (fields: Fields) => [readTransaction(fields)],
  (fields: Fields) => fields.list(() => readTransaction(fields)),
] as const

/** What atomic transactions transfer; `null` for another encoding. */
export const transfersIn = (data: string): ReadonlyArray<Transfer> | null => {
  if (!data.startsWith("0x0000")) return null
  for (const form of forms) {
    const fields = new Fields(data.toLowerCase(), versionCharacters)
    const read = form(fields)
    if (fields.isAtEnd() && read.every((transfers) => transfers !== null)) return read.flat()
  }
  return null
}

const gwei = 10n ** 9n

/** Adds what the accounts receive and send in an asset; rows are marked where that cannot be read. */
export const add = (rows: WalletRows, data: string, asset: string | null): void => {
  const transfers = asset === null ? null : transfersIn(data)
  if (transfers === null) rows.incomplete()
  for (const { account, amount, asset: own } of transfers ?? []) {
    if (own !== asset) continue
    if (amount > 0n) rows.role(account, "mint_recipient")
    rows.change({ wallet: account, kind: "irregular", amount: amount * gwei })
  }
}
