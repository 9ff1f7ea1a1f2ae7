/**
 * Reads path and query of the wallet operation by the contract's own fields, and says what is wrong with each parameter. Pure.
 *
 * Source: docs/interface.md#4.1; decisions 0007 and 0008.
 */
import * as Address from "@daybook/schema/Address"
import { quote } from "@daybook/schema/Issue"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { RequestedBound } from "./Cursor.ts"
import * as Dates from "./Dates.ts"
import { type Issue, wrong } from "../Issue.ts"

/** What a request asks for; `undefined` where it says nothing. */
export interface Parameters {
  readonly chain: string | undefined
  readonly from: RequestedBound
  readonly to: RequestedBound
  readonly cursor: string | undefined
  readonly include: boolean
  readonly limit: number
  readonly order: WalletQuery.Order | undefined
}

const { fields } = WalletQuery.WalletQuery
type Name = keyof typeof fields

const isName = (name: string): name is Name => Object.hasOwn(fields, name)
const known = Object.keys(fields).join(", ")

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The parameters of a raw query, each once; a list of one (`include[]`), as some clients write it, is that one. */
const split = (query: string): Result.Result<ReadonlyMap<Name, string>, Issue> => {
  const values = new Map<Name, string>()
  for (const part of query.split("&")) {
    if (part === "") continue
    const at = part.indexOf("=")
    const written = at < 0 ? part : part.slice(0, at)
    const name = decoded(written)?.replace(/^include\[\]$/, "include")
    if (name === undefined || !isName(name)) {
      const parameter = name ?? written
      const message = `${quote(parameter)} is not a parameter of this operation; accepted: ${known}.`
      return Result.fail({ parameter, message })
    }
    const value = at < 0 ? "" : decoded(part.slice(at + 1))
    if (value === undefined) {
      const message = `${name} is ${quote(part.slice(at + 1))}, which is not percent-encoded UTF-8; accepted: a % only before two hex digits.`
      return Result.fail({ parameter: name, message })
    }
    if (values.has(name)) {
      return Result.fail({ parameter: name, message: `${name} is given more than once; accepted: once.` })
    }
    values.set(name, value)
  }
  return Result.succeed(values)
}

type Read<A> = Result.Result<A, Issue>

const optional = <A>(value: string | undefined, read: (value: string) => Read<A>): Read<A | undefined> =>
  value === undefined ? Result.succeed(undefined) : read(value)

/** Reads a parameter by its field of the contract. */
const field = <A>(name: Name, schema: Schema.Codec<A, unknown>, accepted: string) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: string): Read<A> =>
    Result.mapError(value === "" ? Result.fail(undefined) : decode(value), () => wrong(name, value, accepted))
}

const blockNumber = "the number of a block in decimal digits"
const fromBlock = field("from_block", fields.from_block.schema, blockNumber)
const toBlock = field("to_block", fields.to_block.schema, blockNumber)
const include = field("include", fields.include.schema, "internal_transactions")
const order = field("order", fields.order.schema, "ASC or DESC")

const readLimit = (maxLimit: number) => {
  const accepted = `a whole number from 1 to ${maxLimit}`
  const read = field("limit", fields.limit.schema, accepted)
  return (value: string): Read<number> =>
    Result.flatMap(read(value), (limit) =>
      limit >= 1 && limit <= maxLimit ? Result.succeed(limit) : Result.fail(wrong("limit", value, accepted)),
    )
}

/** A block number that the store can hold; no chain is longer. */
const toNumber = (block: bigint | undefined): number | undefined =>
  block === undefined ? undefined : Number(block > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : block)

const sayAsked = (asked: RequestedBound): string =>
  asked._tag === "Block" ? String(asked.block) : asked._tag === "Date" ? new Date(asked.date).toISOString() : ""

/** The name of the parameter that an end of the range comes from. */
const nameOf = (end: "from" | "to", asked: RequestedBound): string =>
  `${end}_${asked._tag === "Date" ? "date" : "block"}`

const valueOf = (asked: RequestedBound): number =>
  asked._tag === "Block" ? asked.block : asked._tag === "Date" ? asked.date : 0

const inOrder = (from: RequestedBound, to: RequestedBound): Read<void> => {
  if (from._tag === "Open" || from._tag !== to._tag || valueOf(from) <= valueOf(to)) return Result.succeed(undefined)
  const [low, high] = [nameOf("from", from), nameOf("to", to)]
  const message = `${low} is ${sayAsked(from)}, above ${high}, which is ${sayAsked(to)}; accepted: ${low} at or below ${high}.`
  return Result.fail({ parameter: low, message })
}

/**
 * Reads the query of a request.
 *
 * **Errors**
 * - `Problem`: a parameter is unknown, given twice, or not accepted; also a date that a block number overrides.
 */
export const read = (query: string, maxLimit: number): Result.Result<Parameters, Issue> =>
  Result.gen(function* () {
    const values = yield* split(query)
    const from_block = toNumber(yield* optional(values.get("from_block"), fromBlock))
    const to_block = toNumber(yield* optional(values.get("to_block"), toBlock))
    const from_date = yield* optional(values.get("from_date"), (value) => Dates.read("from_date", value))
    const to_date = yield* optional(values.get("to_date"), (value) => Dates.read("to_date", value))
    const { from, to } = WalletQuery.bounds<number, number>({
      ...(from_block === undefined ? {} : { from_block }),
      ...(to_block === undefined ? {} : { to_block }),
      ...(from_date === undefined ? {} : { from_date }),
      ...(to_date === undefined ? {} : { to_date }),
    })
    yield* inOrder(from, to)
    return {
      chain: values.get("chain"),
      from,
      to,
      cursor: values.get("cursor"),
      include: (yield* optional(values.get("include"), include)) !== undefined,
      limit: (yield* optional(values.get("limit"), readLimit(maxLimit))) ?? maxLimit,
      order: yield* optional(values.get("order"), order),
    }
  })

const rememberedQueries = 1000
const longestRemembered = 200

/** `read` that remembers what it read: programs write the same few queries again and again. Those with a cursor differ. */
export const reader = (maxLimit: number): ((query: string) => Result.Result<Parameters, Issue>) => {
  const known = new Map<string, Result.Result<Parameters, Issue>>()
  return (query) => {
    const found = known.get(query)
    if (found !== undefined) return found
    const made = read(query, maxLimit)
    const isUsual = Result.isSuccess(made) && made.success.cursor === undefined && query.length <= longestRemembered
    if (isUsual && known.size < rememberedQueries) known.set(query, made)
    return made
  }
}

/** Reads the wallet from its segment of the path. */
export const readAddress = (segment: string): Result.Result<Address.Address, Issue> => {
  const text = decoded(segment.replaceAll("+", "%2B")) ?? segment
  const address = Address.fromText(text)
  return address === undefined
    ? Result.fail(wrong("address", text, "20 bytes in hex, which are 0x and 40 digits"))
    : Result.succeed(address)
}
