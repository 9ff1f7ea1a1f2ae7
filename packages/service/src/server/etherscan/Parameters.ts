/**
 * Parameters of a request, from the query and then the form. Names may be in any case, values may be surrounded by spaces, and an empty
 * value counts as absent. Pure.
 *
 * Source: decision 0070.
 */
import * as Address from "@daybook/schema/Address"
import * as Hash from "@daybook/schema/Hash"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import * as Envelope from "./Envelope.ts"
import type { Form } from "./Form.ts"

/** Values by lower-case name. */
export type Parameters = ReadonlyMap<string, string>

type Read<A> = Result.Result<A, Envelope.Refused>

/** Names of Blockscout, and those of Etherscan with the same meaning. */
const blockscoutNames = [
  ["chain_id", "chainid"],
  ["start_block", "startblock"],
  ["end_block", "endblock"],
] as const

/**
 * Parses the text of a query, and a form; if a name is repeated, the first value counts. A name of Blockscout is read as the one of
 * Etherscan, unless that one was sent too.
 */
export const parse = (query: string, form: Form): Parameters => {
  const found = new Map<string, string>()
  for (const [name, text] of [...new URLSearchParams(query), ...form]) {
    const key = name.toLowerCase()
    const value = text.trim()
    if (value !== "" && !found.has(key)) found.set(key, value)
  }
  for (const [name, renamed] of blockscoutNames) {
    const value = found.get(name)
    if (value !== undefined && !found.has(renamed)) found.set(renamed, value)
    found.delete(name)
  }
  return found
}

/** Block of a state: a number, or a tag such as `latest`, the default. The node validates it. */
export const tag = (parameters: Parameters): string => parameters.get("tag") ?? "latest"

/** Address in lower case, from a text of 20 bytes. */
export const addressOf = (text: string): Read<string> => {
  const address = Address.fromText(text)
  return address === undefined ? Result.fail(Envelope.notOk("Error! Invalid address format")) : Result.succeed(address)
}

/** Address in a parameter; a missing one is rejected like a malformed one. */
export const address = (parameters: Parameters, name = "address"): Read<string> => addressOf(parameters.get(name) ?? "")

/** Address in a parameter, if present. */
export const addressIfSent = (parameters: Parameters, name: string): Read<string | undefined> =>
  parameters.has(name) ? address(parameters, name) : Result.succeed(undefined)

const isHash = SchemaParser.is(Hash.Hash)

/** The hash of a transaction. */
export const transactionHash = (parameters: Parameters): Read<string> => {
  const text = parameters.get("txhash")?.toLowerCase() ?? ""
  return isHash(text) ? Result.succeed(text) : Result.fail(Envelope.notOk("Error! Invalid transaction hash"))
}

/** Largest number that is compared with block numbers; a larger one is above all blocks too. */
const clamp = (text: string): number => Math.min(Number(text), Number.MAX_SAFE_INTEGER)

/** A decimal number, or else a default. */
export const number = (parameters: Parameters, name: string, otherwise: number): Read<number> => {
  const text = parameters.get(name)
  if (text === undefined) return Result.succeed(otherwise)
  return /^\d{1,30}$/.test(text) ? Result.succeed(clamp(text)) : Result.fail(Envelope.invalid(name, "decimal digits"))
}

/** A required decimal number. */
export const required = (parameters: Parameters, name: string): Read<number> =>
  parameters.has(name) ? number(parameters, name, 0) : Result.fail(Envelope.invalid(name, "decimal digits"))

/** A block number, or a default if it is absent or `latest`. */
export const block = (parameters: Parameters, name: string, otherwise: number): Read<number> =>
  parameters.get(name)?.toLowerCase() === "latest" ? Result.succeed(otherwise) : number(parameters, name, otherwise)

/** Blocks, rows and order of a list. */
export interface ListParameters {
  readonly from: number
  /** Above all blocks if the list is open-ended. */
  readonly to: number
  readonly order: "ASC" | "DESC"
  /** Number of rows before the page. */
  readonly skipped: number
  /** Number of rows on the page. */
  readonly limit: number
}

/** Maximum number of rows on a page. */
const maxRows = 10_000

/** Filters that must not be ignored, because the list would then be longer than requested. */
const otherFilters = [
  "from",
  "to",
  "fromto_opr",
  // Blockscout, whose older versions have the names without underscores.
  "filter_by",
  "filterby",
  "start_timestamp",
  "starttimestamp",
  "end_timestamp",
  "endtimestamp",
]

/** The parameters of a list. */
export const list = (parameters: Parameters): Read<ListParameters> =>
  Result.gen(function* () {
    const filter = otherFilters.find((name) => parameters.has(name))
    if (filter !== undefined) {
      return yield* Result.fail(Envelope.notOk(`Error! The parameter ${filter} is not supported for this action`))
    }
    // As a lower bound, "latest" must not be ignored either.
    const from = yield* number(parameters, "startblock", 0)
    const to = yield* block(parameters, "endblock", Number.MAX_SAFE_INTEGER)
    const page = Math.max(1, yield* number(parameters, "page", 1))
    const offset = yield* number(parameters, "offset", maxRows)
    const limit = offset === 0 ? maxRows : Math.min(offset, maxRows)
    const order = parameters.get("sort")?.toLowerCase() === "desc" ? "DESC" : "ASC"
    return { from, to, order, limit, skipped: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) }
  })
