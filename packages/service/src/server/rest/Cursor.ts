/**
 * Cursor of a paged query, as opaque text that the client sends back. It holds the complete state, so any replica can read it at any time;
 * it grants nothing beyond its bearer's key. Pure.
 *
 * Source: decision 0011.
 */
import { hash } from "node:crypto"
import type { Order } from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import * as Movement from "../../ledger/Movement.ts"
import type { Bound, Range } from "../../query/Range.ts"
import type { Continuation } from "../../query/WalletPage.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"

/** Filters besides the range: parameters by name, as text. */
export type Filter = Readonly<Record<string, string>>

/** Content of pages: transactions by scope, movements, or user operations. Cursors store the position in this list. */
const lists = ["direct", "all", "movements", "user operations"] as const

/** Content of pages: transactions by scope, movements, or user operations. */
export type List = (typeof lists)[number]

/** The query that a page belongs to, and where it starts. */
export interface Cursor {
  readonly list: List
  /** EIP-155 id. */
  readonly chainId: number
  /** Lower case. */
  readonly wallet: string
  readonly order: Order
  /** As requested. */
  readonly range: Range
  /** Empty if there are no filters besides the range. */
  readonly filter: Filter
  /** Number of the page to which this cursor leads. */
  readonly page: number
  readonly continuation: Continuation
}

const version = 1
const walletBytes = 20
const hashBytes = 32
const checksumBytes = 8
const maxCharacters = 2_000

/** First byte of an end of the range. */
const tag = { open: 0, block: 1, date: 2, dateBefore1970: 3 } as const

const prefix = Buffer.from("daybook cursor ")

const checksum = (bytes: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([prefix, bytes]), "buffer").subarray(0, checksumBytes)

const varint = (value: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

const hexBytes = (text: string): Buffer => Buffer.from(text.slice(2), "hex")

const boundBytes = (bound: Bound): ReadonlyArray<number> => {
  if (bound._tag === "Open") return [tag.open]
  if (bound._tag === "Block") return [tag.block, ...varint(bound.block)]
  return [bound.date < 0 ? tag.dateBefore1970 : tag.date, ...varint(Math.abs(bound.date))]
}

/** The part, counted from 1, and the filter. */
const selectionBytes = ({ continuation: { after }, filter }: Cursor): Buffer => {
  const text = Buffer.from(new URLSearchParams(filter).toString())
  return Buffer.concat([
    Buffer.from([...varint(after.part === undefined ? 0 : after.part + 1), ...varint(text.length)]),
    text,
  ])
}

/** Formats a cursor. */
export const toText = (cursor: Cursor): string => {
  const { chainId, continuation, list, order, page, range, wallet } = cursor
  const { after, afterHash, from, serial, to, top } = continuation
  const numbers = [
    version,
    lists.indexOf(list),
    order === "ASC" ? 0 : 1,
    ...boundBytes(range.from),
    ...boundBytes(range.to),
    ...[chainId, from, to, page, after.block, after.index, top.number].flatMap(varint),
  ]
  const bytes = Buffer.concat([
    Buffer.from(numbers),
    hexBytes(wallet),
    hexBytes(afterHash),
    hexBytes(top.hash),
    selectionBytes(cursor),
    Buffer.from(varint(serial)),
  ])
  return Buffer.concat([bytes, checksum(bytes)]).toString("base64url")
}

/** Reads bytes in order; past their end it reads 0, which the length check rejects. */
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
  const bound = (): Bound => {
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

const numberOf = (bound: Bound): number =>
  bound._tag === "Open" ? 0 : bound._tag === "Block" ? bound.block : bound.date

const previous = "the cursor of the previous page, unchanged"

const read = (bytes: Buffer): Cursor | undefined => {
  const { bound, byte, hex, isAtEnd, number, text } = reader(bytes)
  if (byte() !== version) return undefined
  const list = lists[byte()]
  const order: Order = byte() === 0 ? "ASC" : "DESC"
  const range = { from: bound(), to: bound() }
  const [chainId, from, to, page] = [number(), number(), number(), number()]
  const [block, index, topNumber] = [number(), number(), number()]
  const wallet = hex(walletBytes)
  const [afterHash, topHash] = [hex(hashBytes), hex(hashBytes)]
  const part = number()
  const filter = Object.fromEntries(new URLSearchParams(text()))
  const serial = number()
  const counts = [chainId, from, to, page, block, index, topNumber, part, serial]
  const numbers = [...counts, numberOf(range.from), numberOf(range.to)]
  const isPlace = index <= Movement.blockLevelIndex
  if (list === undefined || !isAtEnd() || !isPlace || !numbers.every(Number.isSafeInteger)) return undefined
  const after = { block, index, part: part === 0 ? undefined : part - 1 }
  const top = { number: topNumber, hash: topHash }
  return {
    list,
    chainId,
    wallet,
    order,
    range,
    filter,
    page,
    continuation: { from, to, after, afterHash, top, serial },
  }
}

/**
 * Parses a cursor.
 *
 * **Errors**
 * - `InvalidParameter`: the text is not a cursor, is damaged, or was made by another version.
 */
export const fromText = (text: string): Result.Result<Cursor, InvalidParameter> => {
  const all = Buffer.from(text.slice(0, maxCharacters), "base64url")
  if (all.toString("base64url") !== text || all.length <= checksumBytes) return invalid(previous, "other text")
  const bytes = all.subarray(0, -checksumBytes)
  if (!checksum(bytes).equals(all.subarray(-checksumBytes))) {
    return invalid(previous, "a damaged cursor or other text")
  }
  const cursor = read(bytes)
  return cursor === undefined ? invalid(previous, "a cursor of another version of the service") : Result.succeed(cursor)
}

/** A request that sends a cursor; parameters that it omits are taken from the cursor. */
export interface Query {
  readonly list: List
  readonly chainId: number
  readonly wallet: string
  readonly order: Order | undefined
  readonly range: Range
  readonly filter?: Filter | undefined
}

/** Name of a list in messages. */
const nameOf = (list: List): string => (list === "direct" || list === "all" ? `scope ${list}` : list)

/** Formats an instant for messages. */
export const formatDate = (millis: number): string => {
  const date = new Date(millis)
  return Number.isNaN(date.getTime()) ? `${millis} ms since 1970` : date.toISOString()
}

const formatBound = (bound: Bound): string => {
  if (bound._tag === "Open") return "none"
  return bound._tag === "Block" ? `block ${bound.block}` : formatDate(bound.date)
}

/** A bound that the request leaves open is taken from the cursor. */
const differs = (requested: Bound, own: Bound): boolean =>
  requested._tag !== "Open" && formatBound(requested) !== formatBound(own)

/**
 * Compares a cursor with the request that sends it.
 *
 * **Errors**
 * - `InvalidParameter`: it belongs to another list, chain, wallet, order, range or filter; the message names which.
 */
export const match = (cursor: Cursor, query: Query): Result.Result<Cursor, InvalidParameter> => {
  const other = (what: string, requested: string | number, own: string | number) =>
    invalid(`a cursor of ${what} ${requested}`, `one of ${what} ${own}`)
  if (query.list !== cursor.list) return invalid(`a cursor of ${nameOf(query.list)}`, `one of ${nameOf(cursor.list)}`)
  if (query.chainId !== cursor.chainId) return other("chain", query.chainId, cursor.chainId)
  if (query.wallet !== cursor.wallet) return other("wallet", query.wallet, cursor.wallet)
  if (query.order !== undefined && query.order !== cursor.order) return other("order", query.order, cursor.order)
  if (differs(query.range.from, cursor.range.from)) {
    return other("lower bound", formatBound(query.range.from), formatBound(cursor.range.from))
  }
  if (differs(query.range.to, cursor.range.to)) {
    return other("upper bound", formatBound(query.range.to), formatBound(cursor.range.to))
  }
  for (const [name, requested] of Object.entries(query.filter ?? {})) {
    const own = cursor.filter[name]
    if (own !== requested) return other(name, requested, own ?? "none")
  }
  return Result.succeed(cursor)
}
