/**
 * The envelope of Etherscan's API: HTTP status 200 for every answer, and texts that clients compare. Pure.
 *
 * Source: decision 0070.
 */
import * as Data from "effect/Data"
import type { Headers } from "../http/Response.ts"
import { stackless } from "../http/Stackless.ts"
import type { Lazy } from "../rest/JsonText.ts"

/** What is answered in the place of a result. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  readonly result: string | null | ReadonlyArray<never>
  readonly headers?: Headers
}> {}

/** What the answer to a request is. */
export type ActionResult =
  | { readonly _tag: "Result"; readonly result: unknown }
  /** Rows; none is an answer with a message of its own. */
  | {
      readonly _tag: "Rows"
      readonly rows: ReadonlyArray<unknown>
      /** Of the rows as texts, about. */
      readonly bytes: number
      readonly none: string
      readonly headers: Headers
    }
  /** A text in the envelope of JSON-RPC. */
  | { readonly _tag: "JsonRpc"; readonly bytes: Uint8Array }

/** A result that is not a list of rows. */
export const ofResult = (result: unknown): ActionResult => ({ _tag: "Result", result })

/** An error that clients take for one, with its text as the result. */
export const notOk = (result: string, headers: Headers = {}): Refused =>
  stackless(() => new Refused({ message: "NOTOK", result, headers }))

/** An answer without a result, which clients distinguish from an error by its message. */
export const none = (message: string, result: Refused["result"] = null): Refused =>
  stackless(() => new Refused({ message, result }))

/** The service cannot answer now; clients ask again. */
export const busy = (message: string, headers: Headers = {}): Refused =>
  notOk(`Free API access is temporarily unavailable: ${message}`, headers)

/** Too much of a caller waits. */
export const queueFull = (what: string, max: number): Refused => busy(`${max} ${what} wait already.`)

/** The index does not have what is asked for. */
export const notIndexed = (what: string): Refused => notOk(`Not indexed: ${what}`)

/** A parameter that cannot be read. */
export const invalid = (name: string, expected: string): Refused =>
  notOk(`Error! Invalid ${name}: expected ${expected}`)

/** The name of a module is missing or not known. */
export const unknownModule = (): Refused => notOk("Error! Missing Or invalid Module name")

/** The name of an action of a module is missing or not known. */
export const unknownAction = (): Refused => notOk("Error! Missing Or invalid Action name")

/** A list has no rows. */
export const noTransactions = "No transactions found"
export const noRecords = "No records found"

/** What clients answer by a smaller range. */
export const tooMuch: Refused = none("Query Timeout occured. Please select a smaller result dataset")

/** The envelope of a result. */
export const ofSuccess = <A>(result: A) => ({ status: "1", message: "OK", result })

/** The body of rows, which are written one by one. */
export const bodyOf = ({ none: message, rows }: Extract<ActionResult, { readonly _tag: "Rows" }>): Lazy<unknown> =>
  rows.length === 0 ? { status: "0", message, result: rows } : ofSuccess(rows)

/** The body of an answer without a result. */
export const refusalOf = ({ message, result }: Refused): string => JSON.stringify({ status: "0", message, result })
