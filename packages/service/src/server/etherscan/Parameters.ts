/**
 * The parameters of a request: of the query, then of the form. Names may be in any case, and an empty value is as good as none. Pure.
 *
 * Source: decision 0070.
 */
import * as Address from "@daybook/schema/Address"
import * as Hash from "@daybook/schema/Hash"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import * as Envelope from "./Envelope.ts"
import type { Form } from "./Form.ts"

/** Values by names in lower case. */
export type Parameters = ReadonlyMap<string, string>

type Read<A> = Result.Result<A, Envelope.Refused>

/** Reads the text of a query, and a form; of a name that is sent twice, the first value counts. */
export const parse = (query: string, form: Form): Parameters => {
  const found = new Map<string, string>()
  for (const [name, value] of [...new URLSearchParams(query), ...form]) {
    const key = name.toLowerCase()
    if (value !== "" && !found.has(key)) found.set(key, value)
  }
  return found
}

/** The block of a state: a number, or a word such as `latest`, which it is by default. The node checks it. */
export const tag = (parameters: Parameters): string => parameters.get("tag") ?? "latest"

/** An address in lower case, from a text of 20 bytes. */
export const addressOf = (text: string): Read<string> => {
  const address = Address.fromText(text)
  return address === undefined ? Result.fail(Envelope.notOk("Error! Invalid address format")) : Result.succeed(address)
}

/** The address of a parameter; one that is missing is refused as one of another form. */
export const address = (parameters: Parameters, name = "address"): Read<string> => addressOf(parameters.get(name) ?? "")

/** The address of a parameter, where it has one. */
export const addressIfSent = (parameters: Parameters, name: string): Read<string | undefined> =>
  parameters.has(name) ? address(parameters, name) : Result.succeed(undefined)

const isHash = SchemaParser.is(Hash.Hash)

/** The hash of a transaction. */
export const transactionHash = (parameters: Parameters): Read<string> => {
  const text = parameters.get("txhash")?.toLowerCase() ?? ""
  return isHash(text) ? Result.succeed(text) : Result.fail(Envelope.notOk("Error! Invalid transaction hash"))
}

/** Largest number that is compared with those of blocks; a larger one is above all of them too. */
const clamp = (text: string): number => Math.min(Number(text), Number.MAX_SAFE_INTEGER)

/** A number in decimal digits, or else a default. */
export const number = (parameters: Parameters, name: string, otherwise: number): Read<number> => {
  const text = parameters.get(name)
  if (text === undefined) return Result.succeed(otherwise)
  return /^\d{1,30}$/.test(text) ? Result.succeed(clamp(text)) : Result.fail(Envelope.invalid(name, "decimal digits"))
}

/** A number in decimal digits, which must be sent. */
export const required = (parameters: Parameters, name: string): Read<number> =>
  parameters.has(name) ? number(parameters, name, 0) : Result.fail(Envelope.invalid(name, "decimal digits"))

/** The number of a block, or a default for none and for `latest`. */
export const block = (parameters: Parameters, name: string, otherwise: number): Read<number> =>
  parameters.get(name)?.toLowerCase() === "latest" ? Result.succeed(otherwise) : number(parameters, name, otherwise)

/** Blocks, rows and order of a list. */
export interface ListParameters {
  readonly from: number
  /** Above all blocks where the list has no end. */
  readonly to: number
  readonly order: "ASC" | "DESC"
  /** Rows before the page. */
  readonly skipped: number
  /** Rows of the page. */
  readonly limit: number
}

/** Most rows of a page. */
export const maxRows = 10_000

/** Filters that would give a longer list than asked for, if they were ignored. */
const otherFilters = ["from", "to", "fromto_opr", "filter_by", "start_timestamp", "end_timestamp"]

/** The parameters of a list. */
export const list = (parameters: Parameters): Read<ListParameters> =>
  Result.gen(function* () {
    const filter = otherFilters.find((name) => parameters.has(name))
    if (filter !== undefined) {
      return yield* Result.fail(Envelope.notOk(`Error! The parameter ${filter} is not supported for this action`))
    }
    const from = yield* block(parameters, "startblock", 0)
    const to = yield* block(parameters, "endblock", Number.MAX_SAFE_INTEGER)
    const page = Math.max(1, yield* number(parameters, "page", 1))
    const offset = yield* number(parameters, "offset", maxRows)
    const limit = offset === 0 ? maxRows : Math.min(offset, maxRows)
    const order = parameters.get("sort")?.toLowerCase() === "desc" ? "DESC" : "ASC"
    return { from, to, order, limit, skipped: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) }
  })
