/**
 * Checksum of a stored row: 32 bits over its key, its columns and the CRC-32 of its bytes. It is written with the row and compared whenever
 * the row is read. It detects every change of up to 32 adjacent bits in one column, and all but one in four billion of any other damage. It
 * is not a signature: anyone who can write the file can write a checksum.
 *
 * Source: decision 0034.
 */
import { crc32 } from "node:zlib"
import { StoreError } from "../StoreError.ts"

/** A column of a row. */
export type Value = number | string | Uint8Array | SharedBytes | null

/** Bytes that many rows share, used in place of a column: their CRC-32 is computed once. */
export class SharedBytes {
  readonly bytes: Uint8Array
  readonly length: number
  readonly crc: number

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.length = bytes.length
    this.crc = crc32(bytes)
  }
}

const start = 0x2545f491
const perWord = 2 ** 32

/** Adds a word. For a given checksum every word yields a different result, and for a given word every checksum does. */
const add = (checksum: number, word: number): number => {
  const mixed = Math.imul(checksum ^ word, 0x85ebca6b)
  const folded = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return folded ^ (folded >>> 13)
}

const addNumber = (checksum: number, value: number): number =>
  add(add(checksum, value | 0), Math.floor(value / perWord) | 0)

/** Adds a column. */
const addValue = (checksum: number, value: Value): number => {
  if (typeof value === "number") return addNumber(checksum, value)
  if (value === null) return add(checksum, 1)
  const crc = value instanceof SharedBytes ? value.crc : crc32(value)
  return addNumber(add(checksum, crc), value.length * 4 + (typeof value === "string" ? 2 : 3))
}

/** Checksum of a row that continues the checksum of its first columns: for rows that share them. */
export const following = (before: number, values: ReadonlyArray<Value>): number => {
  let checksum = before
  for (const value of values) checksum = addValue(checksum, value)
  return checksum | 0
}

/** Checksum of a row as a signed 32-bit number, which takes four bytes in a file. */
export const fromValues = (values: ReadonlyArray<Value>): number => following(start, values)

/**
 * Whether a row matches its checksum; also false for columns of a type that the program does not write. `before` is the checksum of columns
 * that precede the values.
 */
export const isOf = (values: ReadonlyArray<unknown>, checksum: unknown, before = start): boolean =>
  values.every(isValue) && following(before, values) === checksum

const isValue = (value: unknown): value is Value =>
  value === null || typeof value === "number" || typeof value === "string" || value instanceof Uint8Array

/** Error for a damaged block. */
export const damaged = (name: string, block: number, what: string): StoreError =>
  new StoreError({
    message: `Stored block damaged: block ${block} of ${name}, ${what}. Run "daybook repair".`,
    isRetryable: false,
    damagedBlock: block,
    cause: undefined,
  })
