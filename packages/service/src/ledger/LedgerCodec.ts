/**
 * Stored form of a ledger: the rows of a block as one byte array, which threads can send to each other. The body of each row holds its
 * roles and movements. Numbers have seven bits per byte. Pure.
 *
 * Source: decision 0048.
 */
import * as Movement from "./Movement.ts"
import type { Candidate, LedgerRow } from "./WalletRows.ts"

const addressBytes = 20

/** Maximum number of bytes of an integer that is exact as a `number`. */
const exactBytes = 6

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const hexOf = (bytes: Uint8Array): string => bufferOf(bytes).toString("hex")

/** Values of hex digits by character code; other characters have a value too large for a digit. */
const digitValues = new Uint16Array(128).fill(256)
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  digitValues[digit.charCodeAt(0)] = value
  digitValues[digit.toUpperCase().charCodeAt(0)] = value
}

const digitAt = (text: string, at: number): number => digitValues[text.charCodeAt(at)] ?? 256

/** The used first bytes of a buffer. */
interface Written {
  readonly bytes: Buffer
  readonly length: number
}

/** A buffer that grows as it is written. */
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

  /** Writes hex digits of whole bytes, from an index of a text; false for any other character. */
  #hex(text: string, start: number): boolean {
    this.#reserve((text.length - start) / 2)
    const bytes = this.#bytes
    let end = this.#length
    for (let at = start; at < text.length; at += 2) {
      const value = digitAt(text, at) * 16 + digitAt(text, at + 1)
      if (value >= 256) return false
      bytes[end++] = value
    }
    this.#length = end
    return true
  }

  address(address: string): void {
    if (address.length === 2 + 2 * addressBytes && this.#hex(address, 2)) return
    throw new TypeError(`Invalid address: expected 20 bytes in hex, received ${JSON.stringify(address)}.`)
  }

  bigint(value: bigint): void {
    const digits = value === 0n ? "" : value.toString(16)
    this.number(Math.ceil(digits.length / 2))
    this.#hex(digits.length % 2 === 0 ? digits : `0${digits}`, 0)
  }

  /** Writes the contents of another writer, preceded by their length. */
  counted({ bytes, length }: Written): void {
    this.number(length)
    this.#reserve(length)
    bytes.copy(this.#bytes, this.#length, 0, length)
    this.#length += length
  }

  toBytes(): Uint8Array {
    // Not a Node buffer, because creating views of one takes longer.
    const bytes = new Uint8Array(this.#length)
    bytes.set(this.#bytes.subarray(0, this.#length))
    return bytes
  }

  clear(): void {
    this.#length = 0
  }

  /** Contents so far; valid until the next write. */
  written(): Written {
    return { bytes: this.#bytes, length: this.#length }
  }
}

/** Reads what a writer wrote; throws a `RangeError` beyond its end. */
class Reader {
  readonly #bytes: Uint8Array
  /** A view of the bytes; undefined until text is made from some. */
  #buffer: Buffer | undefined
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

  /** Skips bytes; returns the index of the first. */
  #skip(count: number): number {
    const start = this.#at
    const end = start + count
    if (end > this.#bytes.length) throw new RangeError("The row ends early.")
    this.#at = end
    return start
  }

  bytes(count: number): Uint8Array {
    const start = this.#skip(count)
    return this.#bytes.subarray(start, this.#at)
  }

  #hex(count: number): string {
    const start = this.#skip(count)
    this.#buffer ??= bufferOf(this.#bytes)
    return `0x${this.#buffer.toString("hex", start, this.#at)}`
  }

  address(): string {
    return this.#hex(addressBytes)
  }

  /** Reads a number of at most `exactBytes` bytes, the most significant first. */
  #exact(count: number): bigint {
    const start = this.#skip(count)
    let value = 0
    for (let at = start; at < this.#at; at++) value = value * 0x100 + this.#bytes[at]!
    return BigInt(value)
  }

  /** Most amounts are two exact numbers, from which a bigint is made faster than from text. */
  bigint(): bigint {
    const count = this.number()
    if (count <= exactBytes) return this.#exact(count)
    if (count > 2 * exactBytes) return BigInt(this.#hex(count))
    const high = this.#exact(count - exactBytes)
    return (high << BigInt(8 * exactBytes)) | this.#exact(exactBytes)
  }
}

/** Bits of the first byte of a movement, above its kind. */
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
    wallet,
    counterparty,
    asset,
    tokenId,
    kind,
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
  one.wallet === other.wallet ? one.index - other.index : one.wallet < other.wallet ? -1 : 1

const none: ReadonlyArray<Candidate> = []

/** A movement of amount 0, which represents a candidate. */
const withoutAmount = { amount: 0n, counterparty: null, isFailed: false, logIndex: null }

/** Packs the rows of a block, ordered by wallet. */
export const pack = (rows: ReadonlyArray<LedgerRow>): Uint8Array => {
  const writer = new Writer()
  const body = new Writer()
  for (const { candidates = none, index, movements, roles, wallet } of rows.toSorted(order)) {
    body.clear()
    body.number(roles)
    for (const movement of movements) writeMovement(body, movement)
    for (const candidate of candidates) writeMovement(body, { ...withoutAmount, ...candidate, wallet })
    writer.address(wallet)
    writer.number(index)
    writer.counted(body.written())
  }
  return writer.toBytes()
}

/** Unpacks the rows of a ledger; their bytes are views. */
export const unpack = (bytes: Uint8Array): ReadonlyArray<PackedRow> => {
  const reader = new Reader(bytes)
  const rows: Array<PackedRow> = []
  while (!reader.isAtEnd) {
    const wallet = reader.bytes(addressBytes)
    const index = reader.number()
    rows.push({ wallet, index, body: reader.bytes(reader.number()) })
  }
  return rows
}

/** Decodes the body of a row; throws a `RangeError` for malformed bytes. */
export const decodeBody = (wallet: string, body: Uint8Array): Pick<LedgerRow, "candidates" | "roles" | "movements"> => {
  const reader = new Reader(body)
  const roles = reader.number()
  const movements: Array<Movement.Movement> = []
  const candidates: Array<Candidate> = []
  while (!reader.isAtEnd) {
    const movement = readMovement(reader, wallet)
    if (movement.amount !== 0n) movements.push(movement)
    else candidates.push({ asset: movement.asset, kind: movement.kind, tokenId: null })
  }
  return candidates.length === 0 ? { roles, movements } : { roles, movements, candidates }
}

/** Rows of some wallets in a packed ledger, in order of index. */
export const rowsOf = (bytes: Uint8Array, wallets: ReadonlySet<string>): ReadonlyArray<LedgerRow> =>
  unpack(bytes)
    .flatMap(({ body, index, wallet }): ReadonlyArray<LedgerRow> => {
      const address = `0x${hexOf(wallet)}`
      return wallets.has(address) ? [{ wallet: address, index, ...decodeBody(address, body) }] : []
    })
    .toSorted((one, other) => one.index - other.index)

/** Roles in the body of a row; throws a `RangeError` for malformed bytes. */
export const rolesOf = (body: Uint8Array): number => new Reader(body).number()

/** Packs the positions of a block's rows, ordered by wallet: for each wallet, the indexes of its rows. */
export const packPlaces = (rows: ReadonlyArray<Pick<PackedRow, "wallet" | "index">>): Uint8Array => {
  const writer = new Writer()
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const { wallet } = rows[from]!
    while (to < rows.length && Buffer.compare(rows[to]!.wallet, wallet) === 0) to++
    writer.bytes(wallet)
    writer.number(to - from)
    for (let at = from; at < to; at++) writer.number(rows[at]!.index)
  }
  return writer.toBytes()
}

/** Wallets in packed positions, as lower-case hex text. */
export const walletsOfPlaces = function* (bytes: Uint8Array): Generator<string, void> {
  const reader = new Reader(bytes)
  while (!reader.isAtEnd) {
    const wallet = reader.bytes(addressBytes)
    for (let left = reader.number(); left > 0; left--) reader.number()
    yield `0x${hexOf(wallet)}`
  }
}

/** Unpacks positions. */
export const unpackPlaces = function* (bytes: Uint8Array): Generator<Omit<PackedRow, "body">, void> {
  const reader = new Reader(bytes)
  while (!reader.isAtEnd) {
    const wallet = reader.bytes(addressBytes)
    for (let left = reader.number(); left > 0; left--) yield { wallet, index: reader.number() }
  }
}
