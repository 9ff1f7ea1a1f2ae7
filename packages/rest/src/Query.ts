/**
 * What a program asks of the wallet operation, in friendly types, and how it is written for the wire.
 * Everything wrong is found here, before a request is made, and named by its parameter.
 */
import * as Address from "@daybook/schema/Address"
import * as Chain from "@daybook/schema/Chain"
import * as Issue from "@daybook/schema/Issue"
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import type * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"

/**
 * One question to the wallet operation. Only the address is required; what is left out is decided by the server
 * (chain `eth`, order `DESC`, as far as blocks go, 100 rows a page).
 *
 * **Details**
 *
 * The range has a lower bound, `from_block` or `from_date`, and an upper bound, `to_block` or `to_date`; both ends belong to it.
 * When a block and a date are given for one end, the block is used.
 *
 * Source: docs/interface.md#4.1, rules 1 to 5.
 */
export interface Query {
  /**
   * The wallet: 20 bytes in hex, in any case. Rows have it in lower case: compare them with `Address.fromText(address)` of
   * `@daybook/schema/Address`, never with a checksummed text. Source: docs/interface.md#4.1.
   */
  readonly address: string
  /**
   * A chain by name (`"polygon amoy"`), identifier (`"0x13882"`) or number (`80002`). Known ones are sent in the interface's
   * spelling; others, and identifiers that two chains share, as given. Source: docs/interface.md#4.1.1; decision 0005.
   */
  readonly chain?: string | number | bigint | undefined
  /** First block. Beats `from_date`. */
  readonly from_block?: bigint | number | undefined
  /** Last block. Beats `to_date`. */
  readonly to_block?: bigint | number | undefined
  /** First instant: blocks at or after it. A text is sent as given and read by the server. */
  readonly from_date?: Date | DateTime.DateTime | string | undefined
  /** Last instant: blocks at or before it. A text is sent as given and read by the server. */
  readonly to_date?: Date | DateTime.DateTime | string | undefined
  /** The `cursor` of the page before; the rest of the query stays as it was, but `limit`. */
  readonly cursor?: string | undefined
  /** Asks for the calls inside each transaction. */
  readonly include?: "internal_transactions" | undefined
  /** Rows on a page, from 1; servers allow 100 or so. */
  readonly limit?: number | undefined
  /** `DESC` newest first, `ASC` oldest first. */
  readonly order?: "ASC" | "DESC" | undefined
}

/**
 * A query as it is sent: the wallet for the path, and the parameters in the interface's spelling.
 */
export interface Written {
  readonly address: Address.Address
  readonly parameters: typeof RestOperation.walletTransactions.query.Encoded
}

type Field<A> = Result.Result<A, Issue.Issue>

const invalid = (path: string, expected: string, value: unknown): Field<never> =>
  Result.fail({ path, expected, received: Issue.describe(value) })

const isWhole = (value: unknown): value is bigint | number =>
  typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && (value as number) >= 0

const addressOf = (value: unknown): Field<Address.Address> => {
  const address = typeof value === "string" ? Address.fromText(value.trim()) : undefined
  return address === undefined
    ? invalid("address", "20 bytes in hex, as in 0x and 40 digits", value)
    : Result.succeed(address)
}

const chainOf = (value: unknown): Field<string> => {
  if (typeof value === "string" ? value.trim() === "" : !isWhole(value)) {
    return invalid(
      "chain",
      `a name such as "polygon amoy", an identifier such as "0x13882" or a number such as 80002`,
      value,
    )
  }
  const given = value as string | number | bigint
  if (typeof given === "string" && /^\s*eip155:(?!\d+\s*$)/i.test(given)) {
    return invalid("chain", `a number after "eip155:", as in "eip155:80002"`, value)
  }
  const found = typeof given === "string" ? Chain.fromText(given) : Chain.fromId(given)
  const [chain] = found
  if (found.length === 1 && chain !== undefined && chain.identifier !== null) return Result.succeed(chain.name)
  return Result.succeed(typeof given === "string" ? given : `0x${given.toString(16)}`)
}

const blockOf =
  (parameter: string) =>
  (value: unknown): Field<string> =>
    isWhole(value)
      ? Result.succeed(value.toString())
      : invalid(parameter, "a block number: a bigint or a safe integer of at least 0", value)

const firstMillis = Date.parse("0000-01-01T00:00:00.000Z")
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/** The instant of a `Date` or of Effect's `DateTime`, told by its shape so that any copy of Effect will do. */
const millisOf = (value: unknown): number | undefined => {
  if (value instanceof Date) return value.getTime()
  if (typeof value !== "object" || value === null || !("epochMilliseconds" in value)) return undefined
  return typeof value.epochMilliseconds === "number" ? value.epochMilliseconds : undefined
}

const dateOf =
  (parameter: string) =>
  (value: unknown): Field<string> => {
    if (typeof value === "string" && value.trim() !== "") return Result.succeed(value)
    const millis = millisOf(value)
    return millis !== undefined && millis >= firstMillis && millis <= lastMillis
      ? Result.succeed(new Date(millis).toISOString())
      : invalid(parameter, "a Date or DateTime of the years 0000 to 9999, or a date as text such as 2024-01-31", value)
  }

const cursorOf = (value: unknown): Field<string> => {
  if (typeof value === "string" && value !== "") return Result.succeed(value)
  return invalid(
    "cursor",
    "the cursor of the page before (the last page has null; the first is asked without one)",
    value,
  )
}

const includeOf = (value: unknown): Field<"internal_transactions"> =>
  value === "internal_transactions" ? Result.succeed(value) : invalid("include", `"internal_transactions"`, value)

const limitOf = (value: unknown): Field<string> =>
  isWhole(value) && value > 0 ? Result.succeed(String(value)) : invalid("limit", "a whole number of at least 1", value)

const orderOf = (value: unknown): Field<WalletQuery.Order> => {
  const order = typeof value === "string" ? value.toUpperCase() : value
  return order === "ASC" || order === "DESC" ? Result.succeed(order) : invalid("order", `"ASC" or "DESC"`, value)
}

const writers = {
  chain: chainOf,
  from_block: blockOf("from_block"),
  to_block: blockOf("to_block"),
  from_date: dateOf("from_date"),
  to_date: dateOf("to_date"),
  cursor: cursorOf,
  include: includeOf,
  limit: limitOf,
  order: orderOf,
} satisfies { readonly [K in keyof Written["parameters"]]-?: (value: unknown) => Field<Written["parameters"][K]> }

/** Tells a range that ends before it begins, as far as that can be told here: two blocks, or two instants. */
const emptyRange = (query: Query): Issue.Issue | undefined => {
  const { from, to } = WalletQuery.bounds<bigint | number, unknown>({
    ...(query.from_block === undefined ? {} : { from_block: query.from_block }),
    ...(query.to_block === undefined ? {} : { to_block: query.to_block }),
    ...(query.from_date === undefined ? {} : { from_date: query.from_date }),
    ...(query.to_date === undefined ? {} : { to_date: query.to_date }),
  })
  if (from._tag === "Block" && to._tag === "Block" && from.block > to.block) {
    return { path: "from_block", expected: `at most to_block (${to.block})`, received: `${from.block}` }
  }
  if (from._tag !== "Date" || to._tag !== "Date") return undefined
  const [first, last] = [millisOf(from.date), millisOf(to.date)]
  if (first === undefined || last === undefined || first <= last) return undefined
  const [firstText, lastText] = [new Date(first).toISOString(), new Date(last).toISOString()]
  return { path: "from_date", expected: `at most to_date (${lastText})`, received: firstText }
}

/**
 * Writes a query for the wire, or tells the first thing that is wrong with it. Keys with `undefined` count as left out.
 *
 * **Example** (Asking with friendly types)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const address = "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
 * const written = Query.write({ address, chain: 80002, from_date: new Date(0), limit: 5 })
 * console.log(Result.getOrThrow(written).parameters) // { chain: 'polygon amoy', from_date: '1970-01-01T00:00:00.000Z', limit: '5' }
 * ```
 *
 * Source: docs/interface.md#4.1; decisions 0005 to 0008.
 */
export const write = (query: Query): Result.Result<Written, Issue.Issue> =>
  Result.gen(function* () {
    if (typeof query !== "object" || query === null) return yield* invalid("query", "an object with an address", query)
    const address = yield* addressOf(query.address)
    const parameters: Record<string, string> = {}
    for (const [name, value] of Object.entries(query)) {
      if (name === "address" || value === undefined) continue
      if (!Object.hasOwn(writers, name)) {
        const expected = `one of the keys address, ${Object.keys(writers).join(", ")}`
        return yield* Result.fail({ path: Issue.cut(name), expected, received: "an unknown key" })
      }
      // Sound: every own key of `writers` is one of its names.
      parameters[name] = yield* writers[name as keyof typeof writers](value)
    }
    const issue = emptyRange(query)
    if (issue !== undefined) return yield* Result.fail(issue)
    return { address, parameters }
  })
