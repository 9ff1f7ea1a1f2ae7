/**
 * Where a walk through a wallet's history stands, as opaque text that the client hands back. It holds everything, so any replica
 * reads it at any time; it grants nothing that its bearer's key does not. Pure.
 *
 * Source: decision 0011.
 */
import { hash } from "node:crypto"
import type { Bound, Order } from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import type { BlockRef } from "../../store/BlockRows.ts"
import type { Position } from "../../store/ChainReader.ts"
import type { Issue } from "../Issue.ts"

/** One end of the range as it was asked for: a block number, or an instant in milliseconds since 1970. */
export type RequestedBound = Bound<number, number>

/** Where a walk stands, and which walk it is. */
export interface Cursor {
  /** EIP-155 id. */
  readonly chainId: number
  /** Lower case. */
  readonly wallet: string
  readonly order: Order
  readonly askedFrom: RequestedBound
  readonly askedTo: RequestedBound
  /** First block of the walk, inclusive. */
  readonly from: number
  /** Last block of the walk, inclusive. */
  readonly to: number
  /** Number of the page that this cursor leads to. */
  readonly page: number
  /** The last row that was given, and the hash of its block. */
  readonly position: Position & { readonly hash: string }
  /** The highest block of the walk: blocks after it are not in its list. */
  readonly top: BlockRef
}

const version = 1
const walletBytes = 20
const hashBytes = 32
const checksumBytes = 8

/** How an end of the range begins in the bytes. */
const tag = { open: 0, block: 1, date: 2, dateBefore1970: 3 } as const

const checksum = (bytes: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from("daybook cursor"), bytes]), "buffer").subarray(0, checksumBytes)

const varint = (value: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

const hex = (text: string): Buffer => Buffer.from(text.slice(2), "hex")

const askedBytes = (asked: RequestedBound): ReadonlyArray<number> => {
  if (asked._tag === "Open") return [tag.open]
  if (asked._tag === "Block") return [tag.block, ...varint(asked.block)]
  return [asked.date < 0 ? tag.dateBefore1970 : tag.date, ...varint(Math.abs(asked.date))]
}

/** Writes a cursor. */
export const toText = (cursor: Cursor): string => {
  const { chainId, wallet, order, askedFrom, askedTo, from, to, page, position, top } = cursor
  const numbers = [
    version,
    order === "ASC" ? 0 : 1,
    ...askedBytes(askedFrom),
    ...askedBytes(askedTo),
    ...[chainId, from, to, page, position.block, position.index, top.number].flatMap(varint),
  ]
  const bytes = Buffer.concat([Buffer.from(numbers), hex(wallet), hex(position.hash), hex(top.hash)])
  return Buffer.concat([bytes, checksum(bytes)]).toString("base64url")
}

/** Reads bytes in order; anything past their end reads as 0, which the length check below refuses. */
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
  const text = (length: number) => `0x${bytes.subarray(at, (at += length)).toString("hex")}`
  const asked = (): RequestedBound => {
    const first = byte()
    if (first === tag.block) return { _tag: "Block", block: number() }
    if (first !== tag.date && first !== tag.dateBefore1970) return { _tag: "Open" }
    return { _tag: "Date", date: first === tag.date ? number() : -number() }
  }
  return { byte, number, text, asked, isAtEnd: () => at === bytes.length }
}

const refuse = (why: string): Result.Result<never, Issue> =>
  Result.fail({
    parameter: "cursor",
    message: `cursor ${why}; accepted: the "cursor" of the page before, unchanged, or none for the first page.`,
  })

const longestCharacters = 1_000

/**
 * Reads a cursor.
 *
 * **Errors**
 * - `Problem`: the text is none of ours, is damaged, or was made by another version.
 */
export const fromText = (text: string): Result.Result<Cursor, Issue> => {
  if (text === "") return refuse("is empty")
  const all = Buffer.from(text.slice(0, longestCharacters), "base64url")
  if (all.toString("base64url") !== text || all.length <= checksumBytes) return refuse("is not one of this service")
  const bytes = all.subarray(0, -checksumBytes)
  if (!checksum(bytes).equals(all.subarray(-checksumBytes))) return refuse("is damaged, or not one of this service")
  const { asked, byte, isAtEnd, number, text: read } = reader(bytes)
  if (byte() !== version) return refuse("was made by another version of the service")
  const order = byte() === 0 ? "ASC" : "DESC"
  const [askedFrom, askedTo] = [asked(), asked()]
  const [chainId, from, to, page] = [number(), number(), number(), number()]
  const [block, index, topNumber] = [number(), number(), number()]
  const wallet = read(walletBytes)
  const position = { block, index, hash: read(hashBytes) }
  const cursor = { chainId, wallet, order, askedFrom, askedTo, from, to, page, position } as const
  const whole: Cursor = { ...cursor, top: { number: topNumber, hash: read(hashBytes) } }
  return isAtEnd() ? Result.succeed(whole) : refuse("is damaged")
}

/** What a request says about its walk; what it leaves out is taken from the cursor. */
export interface Walk {
  readonly chainId: number
  readonly wallet: string
  readonly order: Order | undefined
  readonly from: RequestedBound
  readonly to: RequestedBound
}

const sayAsked = (asked: RequestedBound): string => {
  if (asked._tag === "Open") return "none"
  return asked._tag === "Block" ? `block ${asked.block}` : new Date(asked.date).toISOString()
}

const isOther = (asked: RequestedBound, of: RequestedBound): boolean =>
  asked._tag !== "Open" && sayAsked(asked) !== sayAsked(of)

/**
 * Holds a cursor against the request that brings it.
 *
 * **Errors**
 * - `Problem`: it belongs to another chain, wallet, order or range; says which.
 */
export const fit = (cursor: Cursor, walk: Walk): Result.Result<Cursor, Issue> => {
  const differs = (what: string, here: string, there: string) =>
    refuse(`belongs to another request: its ${what} is ${there}, not ${here}`)
  if (walk.chainId !== cursor.chainId) return differs("chain", String(walk.chainId), String(cursor.chainId))
  if (walk.wallet !== cursor.wallet) return differs("address", walk.wallet, cursor.wallet)
  if (walk.order !== undefined && walk.order !== cursor.order) return differs("order", walk.order, cursor.order)
  if (isOther(walk.from, cursor.askedFrom)) {
    return differs("lower bound", sayAsked(walk.from), sayAsked(cursor.askedFrom))
  }
  if (isOther(walk.to, cursor.askedTo)) return differs("upper bound", sayAsked(walk.to), sayAsked(cursor.askedTo))
  return Result.succeed(cursor)
}
