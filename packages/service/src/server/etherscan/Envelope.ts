/**
 * Envelope of Etherscan's API: HTTP status 200 for every response, and texts that clients compare. Pure.
 *
 * Source: decision 0070.
 */
import * as Data from "effect/Data"
import type { StoreError } from "../../store/StoreError.ts"
import type { Headers } from "../http/Response.ts"
import { stackless } from "../http/Stackless.ts"
import { issueOf } from "../http/UnavailableLog.ts"
import type { Lazy } from "../rest/JsonText.ts"

/** A response in place of a result. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  readonly result: string | null | ReadonlyArray<never>
  readonly headers?: Headers
}> {}

/** Result of an action. */
export type ActionResult =
  | { readonly _tag: "Result"; readonly result: unknown }
  /** Rows; an empty list has a message of its own. */
  | {
      readonly _tag: "Rows"
      readonly rows: ReadonlyArray<unknown>
      /** Approximate size of the rows as text. */
      readonly bytes: number
      readonly none: string
      readonly headers: Headers
    }
  /** A text in a JSON-RPC envelope. */
  | { readonly _tag: "JsonRpc"; readonly bytes: Uint8Array }

/** A result that is not a list of rows. */
export const ofResult = (result: unknown): ActionResult => ({ _tag: "Result", result })

/** An error that clients recognise as one, with its text as the result. */
export const notOk = (result: string, headers: Headers = {}): Refused =>
  stackless(() => new Refused({ message: "NOTOK", result, headers }))

/** A response without a result, which clients distinguish from an error by its message. */
export const none = (message: string, result: Refused["result"] = null): Refused =>
  stackless(() => new Refused({ message, result }))

/** The service cannot answer at present; clients retry. */
export const busy = (message: string, headers: Headers = {}): Refused =>
  notOk(`Free API access is temporarily unavailable: ${message}`, headers)

/** The database cannot be read: at present, as `later` states, or until its operator acts. */
export const unreadable = (error: StoreError, later: string): Refused =>
  error.isRetryable ? busy(later) : notOk(`Error! ${issueOf(error)}`)

/** Too many requests of a caller are waiting. */
export const queueFull = (what: string, max: number): Refused => busy(`${max} ${what} are already waiting.`)

/** The index lacks what was requested. */
export const notIndexed = (what: string): Refused => notOk(`Not indexed: ${what}`)

/** A parameter is malformed. */
export const invalid = (name: string, expected: string): Refused =>
  notOk(`Error! Invalid ${name}: expected ${expected}`)

/** The module is missing or unknown. */
export const unknownModule = (): Refused => notOk("Error! Missing Or invalid Module name")

/** The action of a module is missing or unknown. */
export const unknownAction = (): Refused => notOk("Error! Missing Or invalid Action name")

/** A list has no rows. */
export const noTransactions = "No transactions found"
export const noRecords = "No records found"

/** Message to which clients react with a smaller range. */
export const tooMuch: Refused = none("Query Timeout occured. Please select a smaller result dataset")

/** The envelope of a result. */
export const ofSuccess = <A>(result: A) => ({ status: "1", message: "OK", result })

/** Body of a list of rows, written one by one. */
export const bodyOf = ({ none: message, rows }: Extract<ActionResult, { readonly _tag: "Rows" }>): Lazy<unknown> =>
  rows.length === 0 ? { status: "0", message, result: rows } : ofSuccess(rows)

/** Body of a response without a result. */
export const refusalOf = ({ message, result }: Refused): string => JSON.stringify({ status: "0", message, result })
