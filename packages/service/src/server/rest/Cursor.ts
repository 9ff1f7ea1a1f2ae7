/**
 * The cursor of a paged query, as opaque text that the client sends back. It holds the whole state, so any replica reads it at any
 * time; it grants nothing that its bearer's key does not. Pure.
 *
 * Source: decision 0011.
 */
import { hash } from "node:crypto"
import type { Bound, Order } from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import type { BlockRef } from "../../block/BlockRows.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"

/** One end of the range as requested: a block number, or an instant in milliseconds since 1970. */
export type RequestedBound = Bound<number, number>

/** Position of a row in its projection. */
export type Position = readonly [block: number, index: number]

/** What selects rows beside the range: parameters by name as text. */
export type Filter = Readonly<Record<string, string>>

/** Where the next page begins, and which query it belongs to. */
export interface Cursor {
  /** EIP-155 id. */
  readonly chainId: number
  /** Lower case. */
  readonly wallet: string
  readonly order: Order
  readonly requestedFrom: RequestedBound
  readonly requestedTo: RequestedBound
  /** First block of the range, inclusive. */
  readonly from: number
  /** Last block of the range, inclusive. */
  readonly to: number
  /** Number of the page that this cursor leads to. */
  readonly page: number
  /** The last row that was sent, or searched. */
  readonly position: Position
  /** The last part of that row that was sent, where it is sent in parts and more may follow. */
  readonly part?: number
  /** Left out where nothing but the range selects rows. */
  readonly filter?: Filter
  /** Hash of the block of that row. */
  readonly positionHash: string
  /** The highest block of the list: later blocks are not part of it. */
  readonly top: BlockRef
  /** Serial of the state that the page was read of; `finalSerial` in a cursor of a final list. */
  readonly serial: number
}

/**
 * Serial in the cursor of a list whose top block is final, so that the cursor is the same whenever its page is read. Each state that has
 * the block answers it, and one that has not reached the block is behind.
 */
export const finalSerial = Number.MAX_SAFE_INTEGER

const version = 1
const walletBytes = 20
const hashBytes = 32
const checksumBytes = 8
const maxCharacters = 2_000

/** First byte of an end of the range. */
const tag = { open: 0, block: 1, date: 2, dateBefore1970: 3 } as const

const checksum = (projection: string, bytes: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from(`daybook cursor ${projection} `), bytes]), "buffer").subarray(
    0,
    checksumBytes,
  )

const varint = (value: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

const hexBytes = (text: string): Buffer => Buffer.from(text.slice(2), "hex")

const boundBytes = (bound: RequestedBound): ReadonlyArray<number> => {
  if (bound._tag === "Open") return [tag.open]
  if (bound._tag === "Block") return [tag.block, ...varint(bound.block)]
  return [bound.date < 0 ? tag.dateBefore1970 : tag.date, ...varint(Math.abs(bound.date))]
}

/** The part, counted from 1, and the filter. */
const selectionBytes = ({ filter = {}, part }: Cursor): Buffer => {
  const text = Buffer.from(new URLSearchParams(filter).toString())
  return Buffer.concat([Buffer.from([...varint(part === undefined ? 0 : part + 1), ...varint(text.length)]), text])
}

/** Writes a cursor of a projection. */
export const toText = (projection: string, cursor: Cursor): string => {
  const { chainId, from, order, page, position, positionHash, requestedFrom, requestedTo, to, top, wallet } = cursor
  const numbers = [
    version,
    order === "ASC" ? 0 : 1,
    ...boundBytes(requestedFrom),
    ...boundBytes(requestedTo),
    ...[chainId, from, to, page, ...position, top.number].flatMap(varint),
  ]
  const bytes = Buffer.concat([
    Buffer.from(numbers),
    hexBytes(wallet),
    hexBytes(positionHash),
    hexBytes(top.hash),
    selectionBytes(cursor),
    Buffer.from(varint(cursor.serial)),
  ])
  return Buffer.concat([bytes, checksum(projection, bytes)]).toString("base64url")
}

/** Reads bytes in order; past their end it reads 0, which the check of the length refuses. */
const reader = (bytes: Buffer) => {
  let at = 0
  const byte = () => bytes[at++] ?? 0
  const number = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const next = byte()
      value += (next & 127) * factor
      if (next < 128 || factor > Number.MAX_SAFE_INTEGER) return value
    }
  }
  const hex = (length: number) => `0x${bytes.subarray(at, (at += length)).toString("hex")}`
  const bound = (): RequestedBound => {
    const first = byte()
    if (first === tag.block) return { _tag: "Block", block: number() }
    if (first !== tag.date && first !== tag.dateBefore1970) return { _tag: "Open" }
    return { _tag: "Date", date: first === tag.date ? number() : -number() }
  }
  const text = () => {
    const length = number()
    return bytes.subarray(at, (at += length)).toString()
  }
  return { byte, number, hex, bound, text, isAtEnd: () => at === bytes.length }
}

const invalid = (expected: string, received: string): Result.Result<never, InvalidParameter> =>
  Result.fail(InvalidParameter.fromIssue({ path: "cursor", expected, received }))

const numberOf = (bound: RequestedBound): number =>
  bound._tag === "Open" ? 0 : bound._tag === "Block" ? bound.block : bound.date

const previous = "the cursor of the previous page, unchanged"

const read = (bytes: Buffer): Cursor | undefined => {
  const { bound, byte, hex, isAtEnd, number, text } = reader(bytes)
  if (byte() !== version) return undefined
  const order: Order = byte() === 0 ? "ASC" : "DESC"
  const [requestedFrom, requestedTo] = [bound(), bound()]
  const [chainId, from, to, page] = [number(), number(), number(), number()]
  const [block, index, topNumber] = [number(), number(), number()]
  const cursor = {
    chainId,
    order,
    requestedFrom,
    requestedTo,
    from,
    to,
    page,
    position: [block, index] as const,
    wallet: hex(walletBytes),
    positionHash: hex(hashBytes),
    top: { number: topNumber, hash: hex(hashBytes) },
  }
  const part = number()
  const filter = Object.fromEntries(new URLSearchParams(text()))
  const serial = number()
  const numbers = [
    chainId,
    from,
    to,
    page,
    block,
    index,
    topNumber,
    part,
    serial,
    ...[requestedFrom, requestedTo].map(numberOf),
  ]
  if (!isAtEnd() || !numbers.every(Number.isSafeInteger)) return undefined
  return {
    ...cursor,
    serial,
    ...(part === 0 ? {} : { part: part - 1 }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  }
}

/**
 * Reads a cursor of a projection.
 *
 * **Errors**
 * - `InvalidParameter`: the text is no cursor of this projection, is damaged, or was made by another version.
 */
export const fromText = (projection: string, text: string): Result.Result<Cursor, InvalidParameter> => {
  if (text === "") return invalid(previous, "an empty string")
  const all = Buffer.from(text.slice(0, maxCharacters), "base64url")
  if (all.toString("base64url") !== text || all.length <= checksumBytes) return invalid(previous, "another text")
  const bytes = all.subarray(0, -checksumBytes)
  if (!checksum(projection, bytes).equals(all.subarray(-checksumBytes))) {
    return invalid(previous, "a damaged cursor or another text")
  }
  const cursor = read(bytes)
  return cursor === undefined ? invalid(previous, "a cursor of another version of the service") : Result.succeed(cursor)
}

/** The query of a request; what is left out is taken from the cursor. */
export interface Query {
  readonly chainId: number
  readonly wallet: string
  readonly order: Order | undefined
  readonly from: RequestedBound
  readonly to: RequestedBound
  readonly filter?: Filter
}

/** An instant as a message shows it. */
export const formatDate = (millis: number): string => {
  const date = new Date(millis)
  return Number.isNaN(date.getTime()) ? `${millis} ms since 1970` : date.toISOString()
}

const formatBound = (bound: RequestedBound): string => {
  if (bound._tag === "Open") return "none"
  return bound._tag === "Block" ? `block ${bound.block}` : formatDate(bound.date)
}

/** A bound that the request leaves open is taken from the cursor. */
const differs = (requested: RequestedBound, own: RequestedBound): boolean =>
  requested._tag !== "Open" && formatBound(requested) !== formatBound(own)

/**
 * Compares a cursor with the request that sends it.
 *
 * **Errors**
 * - `InvalidParameter`: it belongs to another chain, wallet, order, range or filter; the message names which.
 */
export const match = (cursor: Cursor, query: Query): Result.Result<Cursor, InvalidParameter> => {
  const other = (what: string, requested: string | number, own: string | number) =>
    invalid(`a cursor of ${what} ${requested}`, `one of ${what} ${own}`)
  if (query.chainId !== cursor.chainId) return other("chain", query.chainId, cursor.chainId)
  if (query.wallet !== cursor.wallet) return other("wallet", query.wallet, cursor.wallet)
  if (query.order !== undefined && query.order !== cursor.order) return other("order", query.order, cursor.order)
  if (differs(query.from, cursor.requestedFrom)) {
    return other("lower bound", formatBound(query.from), formatBound(cursor.requestedFrom))
  }
  if (differs(query.to, cursor.requestedTo)) {
    return other("upper bound", formatBound(query.to), formatBound(cursor.requestedTo))
  }
  for (const [name, requested] of Object.entries(query.filter ?? {})) {
    const own = cursor.filter?.[name]
    if (own !== requested) return other(name, requested, own ?? "none")
  }
  return Result.succeed(cursor)
}
