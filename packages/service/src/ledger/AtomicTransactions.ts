/**
 * Atomic transactions of an Avalanche block, which import native currency from another chain of its network or export it there. Neither
 * transactions nor traces show them. Pure.
 *
 * Source: Avalanche, Coreth atomic transaction format; decision 0048.
 */
import type { WalletRows } from "./WalletRows.ts"

/** Amount that an account imports from another chain, or exports to it. */
interface Transfer {
  readonly account: string
  /** Id of the asset. */
  readonly asset: string
  /** In billionths of the native currency; negative for an export. */
  readonly amount: bigint
}

/** Reads the fields of an encoding in sequence; beyond its end they are 0. */
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

  /** Elements of a list, preceded by their count. An element beyond the end of the encoding ends the list. */
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

/** C-Chain accounts of an atomic transaction, each with its change. */
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

/** A transaction; `null` for any other type. */
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

/** A single transaction, as in blocks before Apricot Phase 5, or a list of transactions. */
const forms = [
  (fields: Fields) => [readTransaction(fields)],
  (fields: Fields) => fields.list(() => readTransaction(fields)),
] as const

/** Transfers of atomic transactions; `null` if the encoding is malformed. */
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

/** Adds what the accounts import and export in an asset; marks the rows if it cannot be read. */
export const add = (rows: WalletRows, data: string, asset: string | null): void => {
  const transfers = asset === null ? null : transfersIn(data)
  if (transfers === null) rows.incomplete()
  for (const { account, amount, asset: own } of transfers ?? []) {
    if (own !== asset) continue
    if (amount > 0n) rows.role(account, "mint_recipient")
    rows.change({ wallet: account, kind: "irregular", amount: amount * gwei })
  }
}
