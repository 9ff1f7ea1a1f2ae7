/** Decodes the response of an operation: a page, or an error. Pure. */
import { visible } from "@daybook/schema/VisibleText"
import * as ApiError from "@daybook/schema/ApiError"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as RestOperation from "@daybook/schema/RestOperation"
import { InvalidResponse, RateLimited, Unauthorized } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { stringify } from "@daybook/transport/internal/JsonText"
import { searchable, shorten } from "@daybook/transport/internal/Redaction"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { BadRow } from "../Client.ts"
import * as Cursor from "./Cursor.ts"
import type { EncodedQuery, Operation, Page, RowPosition, SingleOperation } from "../Operation.ts"
import { BadRequest, Forbidden, NotFound, QuotaExceeded, StaleCursor, Unavailable } from "../RestError.ts"

export type ReplyError =
  | InvalidResponse
  | RateLimited
  | Unauthorized
  | BadRequest
  | Forbidden
  | NotFound
  | StaleCursor
  | QuotaExceeded
  | Unavailable

/** A decoded page and its invalid rows. */
export interface Decoded<P> {
  readonly page: P
  readonly badRows: ReadonlyArray<BadRow>
}

const decodeError = SchemaParser.decodeUnknownResult(ApiError.ApiError)
const decodeBare = SchemaParser.decodeUnknownResult(ApiError.BareMessage)

/** Describes a body that does not conform to the interface. */
const describeBody = (reply: Reply): string => {
  const text = shorten(reply.scrub(searchable(reply.text)), 80)
  if (text === "") return "an empty body"
  return /^<(!doctype|html|head|body)\b/i.test(text) ? `an HTML page: ${text}` : text
}

const invalidStatus = (reply: Reply, detail: string | undefined): InvalidResponse =>
  new InvalidResponse({
    ...reply,
    reason: "status",
    path: "status",
    expected: "a status of the interface",
    received: `${reply.status} with the text: ${detail ?? describeBody(reply)}`,
    isRetryable: reply.status >= 500 || reply.status === 408 || reply.status === 425,
  })

/** Texts by which hosted providers report an exceeded quota under statuses with other meanings. */
const quotaExceeded = [
  /\b(quota|usage|credits|compute units|plan limit|daily limit|monthly limit)\b.{0,100}\b(consumed|exceeded|exhausted|reached|used up|depleted)\b/i,
  /\b(consumed|exceeded|exhausted|reached|used up|run out of|out of)\b.{0,100}\b(quota|usage|credits|compute units|plan limit|daily limit|monthly limit)\b/i,
]

/** The parameter that a message names; undefined if it names none or several. */
const parameterIn = (text: string | undefined, names: ReadonlySet<string>): string | undefined => {
  const [name, ...others] = new Set((text?.match(/\w+/g) ?? []).filter((word) => names.has(word)))
  return others.length === 0 ? name : undefined
}

/** Error of a status, if the body has no code of the contract. */
const byStatus = (reply: Reply, detail: string | undefined, names: ReadonlySet<string>): ReplyError => {
  const facts = { ...reply, detail }
  const isQuota = detail !== undefined && quotaExceeded.some((text) => text.test(detail))
  switch (reply.status) {
    case 400:
    case 422:
      return new BadRequest({ ...facts, parameter: parameterIn(detail, names) })
    case 401:
      return isQuota ? new QuotaExceeded(facts) : new Unauthorized(facts)
    case 402:
      return new QuotaExceeded(facts)
    case 403:
      return isQuota ? new QuotaExceeded(facts) : new Forbidden(facts)
    case 404:
      return new NotFound(facts)
    case 429:
      return new RateLimited(facts)
    case 503:
      return new Unavailable(facts)
    default:
      return invalidStatus(reply, detail)
  }
}

/** Error of a body that conforms to the contract, by its `code`. */
const byCode = (reply: Reply, error: ApiError.ApiError): ReplyError => {
  const clean = (text: string, characters = 500) => shorten(reply.scrub(text), characters)
  const detail = clean(error.message)
  const facts = { ...reply, requestId: reply.requestId ?? clean(error.requestId, 100), detail }
  switch (error._tag) {
    case "BadRequest": {
      const parameter = error.parameter === undefined ? undefined : clean(error.parameter, 40)
      return new BadRequest({ ...facts, code: error.code, parameter })
    }
    case "Unauthorized":
      return new Unauthorized(facts)
    case "Forbidden":
      return new Forbidden(facts)
    case "NotFound":
      return new NotFound({ ...facts, isPathKnown: !detail.startsWith("Path not found") })
    case "StaleCursor":
      return new StaleCursor({ ...facts, resumeFromBlock: error.resumeFromBlock })
    case "RateLimited":
      return new RateLimited(facts)
    case "Unavailable":
      return new Unavailable(facts)
    case "MethodNotAllowed":
    case "PayloadTooLarge":
    case "Internal":
      return invalidStatus(facts, detail)
  }
}

/** Message of a body `{ message }`, as sent by hosted providers. */
const bareMessage = (json: unknown): string | undefined => {
  const bare = decodeBare(json)
  if (Result.isFailure(bare)) return undefined
  const { message } = bare.success
  const text = typeof message === "string" ? message : message.join("; ")
  return text.trim() === "" ? undefined : text
}

const errorOf = (reply: Reply, names: ReadonlySet<string>): ReplyError => {
  const json = Json.parse(reply.text)
  const known = decodeError(json)
  if (Result.isSuccess(known)) return byCode(reply, known.success)
  const text = bareMessage(json)
  return byStatus(reply, text === undefined ? undefined : shorten(reply.scrub(text)), names)
}

/** Issue of a body that has a message in place of a page; undefined for any other. */
const messageIssue = ({ scrub }: Reply, json: unknown): Issue.Issue | undefined => {
  const text = bareMessage(json)
  // Sound: only an object has a message.
  return text === undefined || "result" in (json as object)
    ? undefined
    : { path: "body", expected: "a page", received: `the message: ${shorten(scrub(text))}` }
}

/** Makes the decoder for error responses of an operation. */
export const errors = (contract: RestOperation.RestOperation): ((reply: Reply) => ReplyError) => {
  const names = new Set([...Object.keys(contract.params.fields), ...RestOperation.parameterNames(contract)])
  return (reply) => errorOf(reply, names)
}

/** Shows values at a length at which a key in them is found and removed. The shown text is cut afterwards. */
const showWhole: Issue.Show = (value) => {
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value)
    return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 8).join(", ")}`
  }
  return JSON.stringify(typeof value === "string" ? visible(searchable(value)) : value)
}

/** First issue of a value, without any key. The path of the value itself is `body`. */
export const issueOf = (reply: Pick<Reply, "scrub">, error: SchemaIssue.Issue, value: unknown): Issue.Issue => {
  const [first] = Issue.fromError(error, value, showWhole)
  // Sound: an error has at least one issue.
  const { expected, path, received } = first as Issue.Issue
  return { path: path || "body", received: shorten(reply.scrub(received), 80), expected: shorten(expected, 80) }
}

/**
 * A row as JSON without any key. Text is returned instead if a removed key was not a whole string of the row, or if the row is nested too
 * deep.
 */
export const shownRow = (reply: Pick<Reply, "scrub">, row: unknown): unknown => {
  const clean = reply.scrub(stringify(row))
  return Json.parse(clean) ?? clean
}

/** Decodes the response to a query of an operation. With `keepsValidRows`, invalid rows of a page are reported and omitted. */
export type Decode<P> = (
  reply: Reply,
  keepsValidRows: boolean,
  parameters: EncodedQuery["parameters"],
) => Result.Result<Decoded<P>, ReplyError>

/** Decodes a page in which only rows are invalid. */
type DecodeRows<P> = (reply: Reply, json: unknown) => Decoded<P> | undefined

/** Makes the decoder of an operation that responds with one value. */
export const single = <Query, A>({ contract }: SingleOperation<Query, A>, decodeRows?: DecodeRows<A>): Decode<A> => {
  const decode = SchemaParser.decodeUnknownResult(contract.response)
  const { moreStatuses = [] } = contract
  const toError = errors(contract)

  return (reply, keepsValidRows) => {
    const isSuccess = reply.status >= 200 && reply.status <= 299
    if (!isSuccess && !moreStatuses.includes(reply.status)) return Result.fail(toError(reply))
    const json = Json.parse(reply.text)
    if (json === undefined && isSuccess) {
      const [expected, received] = ["a page as JSON", describeBody(reply)]
      return Result.fail(new InvalidResponse({ ...reply, reason: "content", path: "body", expected, received }))
    }
    const page = decode(json)
    if (Result.isSuccess(page)) return Result.succeed({ page: page.success, badRows: [] })
    if (!isSuccess) return Result.fail(toError(reply))
    const kept = keepsValidRows ? decodeRows?.(reply, json) : undefined
    if (kept !== undefined) return Result.succeed(kept)
    // Other values may have a message of their own.
    const issue = (decodeRows && messageIssue(reply, json)) ?? issueOf(reply, page.failure, json)
    return Result.fail(new InvalidResponse({ ...reply, reason: "content", ...issue }))
  }
}

/** Issue of a cursor that is too long for the next request; undefined for none. */
const longCursor = ({ length = 0 }: Partial<Pick<string, "length">>): Issue.Issue | undefined =>
  length <= Cursor.maxCharacters
    ? undefined
    : { path: "cursor", expected: `at most ${Cursor.maxCharacters} characters`, received: `${length} characters` }

/** Index of a valid row on the page as received. */
const receivedAt = (at: number, badRows: ReadonlyArray<BadRow>): number =>
  badRows.reduce((index, bad) => (bad.at <= index ? index + 1 : index), at)

/** Issue of the first row outside the requested blocks, as sent by a server that ignores them; undefined for none. */
const rowOutside = (
  { from_block: from = "0", to_block: to }: EncodedQuery["parameters"],
  rows: ReadonlyArray<RowPosition>,
  badRows: ReadonlyArray<BadRow>,
): Issue.Issue | undefined => {
  const first = BigInt(from)
  const at = rows.findIndex(({ block }) => block < first || (to !== undefined && block > BigInt(to)))
  const row = rows[at]
  return (
    row && {
      path: `result[${receivedAt(at, badRows)}].block_number`,
      expected: `a block from ${from} to ${to ?? "the last one"}, as requested`,
      received: String(row.block),
    }
  )
}

/** Makes the decoder of an operation that responds with pages. */
export const make = <Query, Row, P extends Page<Row>>(operation: Operation<Query, Row, P>): Decode<P> => {
  const { contract, keyOf, locate, row } = operation
  const decodePage = SchemaParser.decodeUnknownResult(contract.response)
  const decodeRow = SchemaParser.decodeUnknownResult(row as Schema.Codec<Row>)

  const badRow = (reply: Reply, at: number, value: unknown, error: SchemaIssue.Issue): BadRow => {
    const { path: inRow, ...issue } = issueOf(reply, error, value)
    const path = inRow === "body" ? `result[${at}]` : `result[${at}].${inRow}`
    return { at, hash: keyOf(value), path, ...issue, row: shownRow(reply, value) }
  }

  const decode = single(operation, (reply, json) => {
    if (typeof json !== "object" || json === null || !("result" in json)) return undefined
    const rest = decodePage({ ...json, result: [] })
    if (Result.isFailure(rest)) return undefined
    const values: ReadonlyArray<unknown> = Array.isArray(json.result) ? json.result : [json.result]
    const result: Array<Row> = []
    const badRows: Array<BadRow> = []
    for (const [at, value] of values.entries()) {
      const decoded = decodeRow(value)
      if (Result.isSuccess(decoded)) result.push(decoded.success)
      else badRows.push(badRow(reply, at, value, decoded.failure))
    }
    return { page: Object.assign({}, rest.success, { result }), badRows }
  })

  return (reply, keepsValidRows, parameters) =>
    Result.flatMap(decode(reply, keepsValidRows, parameters), (decoded) => {
      const { badRows, page } = decoded
      const issue = longCursor(page.cursor ?? {}) ?? rowOutside(parameters, page.result.map(locate), badRows)
      if (issue === undefined) return Result.succeed(decoded)
      return Result.fail(new InvalidResponse({ ...reply, reason: "content", ...issue }))
    })
}

/** Fields of the index coverage, each reported in a header: `indexedFrom` in `daybook-indexed-from`. */
const coverageNames = [
  "indexedFrom",
  "indexedTo",
  "finalizedTo",
  "missingTransactions",
  "reconciledTo",
  "searchedTo",
  "directOnlyTo",
  "untracedTo",
  "unstatedTo",
] as const

/** Index coverage reported by the headers of a page; all `null` from servers that do not report it. */
export const indexCoverage = (headers: Readonly<Record<string, string>>) => {
  const read = (name: string): bigint | null => {
    const text = headers[`daybook-${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`]?.trim() ?? ""
    return /^\d{1,78}$/.test(text) ? BigInt(text) : null
  }
  // Sound: each of the names has a value.
  return Object.fromEntries(coverageNames.map((name) => [name, read(name)])) as Record<
    (typeof coverageNames)[number],
    bigint | null
  >
}
