/**
 * The stored form of a ledger: the rows of a block in one piece of bytes, as it is sent from thread to thread, and the body of each row,
 * which holds its roles and movements. A number has seven bits in each byte. Pure.
 *
 * Source: decision 0048.
 */
import * as Movement from "./Movement.ts"
import type { LedgerRow } from "./WalletRows.ts"

const addressBytes = 20

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

/** Grows as it is written. */
class Writer {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  number(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80)
    this.byte(rest)
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  /** Writes digits of whole bytes in hex; gives how many bytes they were. */
  #hex(digits: string): number {
    this.#reserve(digits.length / 2)
    const written = this.#bytes.write(digits, this.#length, "hex")
    this.#length += written
    return written
  }

  address(address: string): void {
    if (address.length === 2 + 2 * addressBytes && this.#hex(address.slice(2)) === addressBytes) return
    throw new TypeError(`Invalid address: expected 20 bytes in hex, received ${JSON.stringify(address)}.`)
  }

  bigint(value: bigint): void {
    const digits = value === 0n ? "" : value.toString(16)
    this.number(Math.ceil(digits.length / 2))
    this.#hex(digits.length % 2 === 0 ? digits : `0${digits}`)
  }

  toBytes(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  /** What was written, until more is. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Reads what a writer wrote; throws a `RangeError` beyond its end. */
class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError("The row ends early.")
    return value
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError("A number is too large.")
      if (byte < 0x80) return value
    }
  }

  bytes(count: number): Uint8Array {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new RangeError("The row ends early.")
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  address(): string {
    return `0x${hexOf(this.bytes(addressBytes))}`
  }

  bigint(): bigint {
    const count = this.number()
    return count === 0 ? 0n : BigInt(`0x${hexOf(this.bytes(count))}`)
  }
}

/** Bits of the first byte of a movement, above the number of its kind. */
const negative = 1 << 4
const failed = 1 << 5
const withCounterparty = 1 << 6
const withLog = 1 << 7

const tokens: ReadonlySet<Movement.Kind> = new Set(["erc20", "erc721", "erc1155"])
const withIds: ReadonlySet<Movement.Kind> = new Set(["erc721", "erc1155"])

const writeMovement = (writer: Writer, movement: Movement.Movement): void => {
  const { amount, asset, counterparty, isFailed, kind, logIndex, tokenId } = movement
  writer.byte(
    Movement.kinds.indexOf(kind) |
      (amount < 0n ? negative : 0) |
      (isFailed ? failed : 0) |
      (counterparty === null ? 0 : withCounterparty) |
      (logIndex === null ? 0 : withLog),
  )
  if (counterparty !== null) writer.address(counterparty)
  if (tokens.has(kind)) writer.address(asset)
  if (withIds.has(kind)) writer.bigint(BigInt(tokenId ?? 0))
  writer.bigint(amount < 0n ? -amount : amount)
  if (logIndex !== null) writer.number(logIndex)
}

const readMovement = (reader: Reader, wallet: string): Movement.Movement => {
  const bits = reader.byte()
  const kind = Movement.kinds[bits & 0xf]
  if (kind === undefined) throw new RangeError(`Unknown kind of movement: ${bits & 0xf}.`)
  const counterparty = (bits & withCounterparty) === 0 ? null : reader.address()
  const asset = tokens.has(kind) ? reader.address() : Movement.native
  const tokenId = withIds.has(kind) ? reader.bigint().toString() : null
  const amount = reader.bigint()
  return {
    ...{ wallet, counterparty, asset, tokenId, kind },
    amount: (bits & negative) === 0 ? amount : -amount,
    logIndex: (bits & withLog) === 0 ? null : reader.number(),
    isFailed: (bits & failed) !== 0,
  }
}

/** A row of a packed ledger. */
export interface PackedRow {
  /** 20 bytes. */
  readonly wallet: Uint8Array
  readonly index: number
  readonly body: Uint8Array
}

const order = (one: LedgerRow, other: LedgerRow): number =>
  one.wallet < other.wallet ? -1 : one.wallet > other.wallet ? 1 : one.index - other.index

/** Packs the rows of a block, in the order of their wallets. */
export const pack = (rows: ReadonlyArray<LedgerRow>): Uint8Array => {
  const writer = new Writer()
  const body = new Writer()
  for (const { index, movements, roles, wallet } of rows.toSorted(order)) {
    body.clear()
    body.number(roles)
    for (const movement of movements) writeMovement(body, movement)
    writer.address(wallet)
    writer.number(index)
    const bytes = body.view()
    writer.number(bytes.length)
    writer.bytes(bytes)
  }
  return writer.toBytes()
}

/** The rows of a packed ledger, whose bytes are views of it. */
export const unpack = function* (bytes: Uint8Array): Generator<PackedRow, void> {
  const reader = new Reader(bytes)
  while (!reader.isAtEnd) {
    const wallet = reader.bytes(addressBytes)
    const index = reader.number()
    yield { wallet, index, body: reader.bytes(reader.number()) }
  }
}

/** What the body of a row holds; throws a `RangeError` for bytes of another form. */
export const decodeBody = (wallet: string, body: Uint8Array): Pick<LedgerRow, "roles" | "movements"> => {
  const reader = new Reader(body)
  const roles = reader.number()
  const movements: Array<Movement.Movement> = []
  while (!reader.isAtEnd) movements.push(readMovement(reader, wallet))
  return { roles, movements }
}

/** The roles in the body of a row; throws a `RangeError` for bytes of another form. */
export const rolesOf = (body: Uint8Array): number => new Reader(body).number()

/** The places of the rows of a block: for each wallet, the indexes of its rows. */
export const packPlaces = (bytes: Uint8Array): Uint8Array => {
  const writer = new Writer()
  let previous: Uint8Array | null = null
  let indexes: Array<number> = []
  const flush = () => {
    if (previous === null) return
    writer.bytes(previous)
    writer.number(indexes.length)
    for (const index of indexes) writer.number(index)
  }
  for (const { index, wallet } of unpack(bytes)) {
    if (previous === null || Buffer.compare(previous, wallet) !== 0) {
      flush()
      previous = wallet
      indexes = []
    }
    indexes.push(index)
  }
  flush()
  return writer.toBytes()
}

/** The places in their packed form. */
export const unpackPlaces = function* (bytes: Uint8Array): Generator<Omit<PackedRow, "body">, void> {
  const reader = new Reader(bytes)
  while (!reader.isAtEnd) {
    const wallet = reader.bytes(addressBytes)
    for (let left = reader.number(); left > 0; left--) yield { wallet, index: reader.number() }
  }
}
