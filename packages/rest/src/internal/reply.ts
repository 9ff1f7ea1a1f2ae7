/** Tells what an answer of the wallet operation means: a page, or one of the errors. Pure. */
import * as ApiError from "@daybook/schema/ApiError"
import * as WalletPage from "@daybook/schema/WalletPage"
import * as WalletTransaction from "@daybook/schema/WalletTransaction"
import { InvalidResponse, RateLimited, Unauthorized } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { shorten } from "@daybook/transport/internal/Redaction"
import * as Result from "effect/Result"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { BadRow } from "../Client.ts"
import { BadRequest, Forbidden, NotFound, QuotaExceeded, StaleCursor, Unavailable } from "../RestError.ts"
import { faultOf } from "./fault.ts"

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

const decodePage = SchemaParser.decodeUnknownResult(WalletPage.WalletPage)
const decodeRow = SchemaParser.decodeUnknownResult(WalletTransaction.WalletTransaction)
const decodeError = SchemaParser.decodeUnknownResult(ApiError.ApiError)
const decodeBare = SchemaParser.decodeUnknownResult(ApiError.BareMessage)

const parse = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/** What a body that is not of the interface looks like. */
const glimpse = (reply: Reply): string => {
  const text = shorten(reply.scrub(reply.text.slice(0, 4096)), 80)
  if (text === "") return "empty"
  return /^<(!doctype|html|head|body)\b/i.test(text) ? `an HTML page: ${text}` : text
}

const invalidStatus = (reply: Reply, detail: string | undefined): InvalidResponse =>
  new InvalidResponse({
    ...reply,
    reason: "status",
    path: "status",
    received: `${reply.status} with the text: ${detail ?? glimpse(reply)}`,
    expected: "a status of the wallet operation",
    isRetryable: reply.status >= 500 || reply.status === 408 || reply.status === 425,
  })

/** Texts by which hosted providers tell that a plan is used up, on statuses that mean something else. */
const usedUp = [
  /\b(quota|usage|credits|compute units|plan limit|daily limit|monthly limit)\b.{0,100}\b(consumed|exceeded|exhausted|reached|used up|depleted)\b/i,
  /\b(consumed|exceeded|exhausted|reached|used up|run out of|out of)\b.{0,100}\b(quota|usage|credits|compute units|plan limit|daily limit|monthly limit)\b/i,
]

const parameterNames = /\b(address|chain|from_block|to_block|from_date|to_date|cursor|include|limit|order)\b/g

/** The one parameter that a text names; undefined when it names none, or several. */
const parameterIn = (text: string | undefined): string | undefined => {
  const [name, ...others] = new Set(text?.match(parameterNames) ?? [])
  return others.length === 0 ? name : undefined
}

/** What a status means when the body has no code of the contract. */
const byStatus = (reply: Reply, detail: string | undefined): ReplyError => {
  const refusal = { ...reply, detail }
  const isUsedUp = detail !== undefined && usedUp.some((text) => text.test(detail))
  switch (reply.status) {
    case 400:
    case 422:
      return new BadRequest({ ...refusal, parameter: parameterIn(detail) })
    case 401:
      return isUsedUp ? new QuotaExceeded(refusal) : new Unauthorized(refusal)
    case 402:
      return new QuotaExceeded(refusal)
    case 403:
      return isUsedUp ? new QuotaExceeded(refusal) : new Forbidden(refusal)
    case 404:
      return new NotFound(refusal)
    case 429:
      return new RateLimited(refusal)
    case 503:
      return new Unavailable(refusal)
    default:
      return invalidStatus(reply, detail)
  }
}

/** What an error of the contract means; its `code` is what counts. */
const byCode = (reply: Reply, error: ApiError.ApiError): ReplyError => {
  const clean = (text: string, characters = 500) => shorten(reply.scrub(text), characters)
  const detail = clean(error.message)
  const refusal = { ...reply, requestId: reply.requestId ?? clean(error.requestId, 100), detail }
  switch (error._tag) {
    case "BadRequest": {
      const parameter = error.parameter === undefined ? undefined : clean(error.parameter, 40)
      return new BadRequest({ ...refusal, code: error.code, parameter })
    }
    case "Unauthorized":
      return new Unauthorized(refusal)
    case "Forbidden":
      return new Forbidden(refusal)
    case "NotFound":
      return new NotFound(refusal)
    case "StaleCursor":
      return new StaleCursor({ ...refusal, resumeFromBlock: error.resumeFromBlock })
    case "RateLimited":
      return new RateLimited(refusal)
    case "Unavailable":
      return new Unavailable(refusal)
    case "MethodNotAllowed":
    case "PayloadTooLarge":
    case "Internal":
      return invalidStatus(refusal, detail)
  }
}

const bareText = (json: unknown): string | undefined => {
  const bare = decodeBare(json)
  if (Result.isFailure(bare)) return undefined
  const { message } = bare.success
  const text = typeof message === "string" ? message : message.join("; ")
  return text.trim() === "" ? undefined : text
}

const failureOf = (reply: Reply): ReplyError => {
  const json = parse(reply.text)
  if (Result.isFailure(json)) return byStatus(reply, undefined)
  const known = decodeError(json.success)
  if (Result.isSuccess(known)) return byCode(reply, known.success)
  const text = bareText(json.success)
  return byStatus(reply, text === undefined ? undefined : shorten(reply.scrub(text)))
}

/** A page, and the rows of it that could not be read. */
export interface Decoded {
  readonly page: WalletPage.WalletPage
  readonly badRows: ReadonlyArray<BadRow>
}

/** What a row looks like without anything that must not be shown. */
const shownRow = (reply: Reply, row: unknown): unknown => JSON.parse(reply.scrub(JSON.stringify(row)))

const hashOf = (row: unknown): string | undefined => {
  const hash: unknown = typeof row === "object" && row !== null ? Reflect.get(row, "hash") : undefined
  return typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : undefined
}

const faultIn = (reply: Reply, issue: SchemaIssue.Issue, answer: unknown) => {
  const { received, expected, path } = faultOf(issue, answer)
  return { path, received: shorten(reply.scrub(received), 80), expected: shorten(expected, 80) }
}

/** Reads each row by itself; undefined when it is not the rows that are at fault. */
const decodeRows = (reply: Reply, json: unknown): Decoded | undefined => {
  if (typeof json !== "object" || json === null || !("result" in json)) return undefined
  const rows: ReadonlyArray<unknown> = Array.isArray(json.result) ? json.result : [json.result]
  const rest = decodePage({ ...json, result: [] })
  if (Result.isFailure(rest)) return undefined
  const result: Array<WalletTransaction.WalletTransaction> = []
  const badRows: Array<BadRow> = []
  for (const [at, row] of rows.entries()) {
    const decoded = decodeRow(row)
    if (Result.isSuccess(decoded)) result.push(decoded.success)
    else {
      const { path, ...fault } = faultIn(reply, decoded.failure, row)
      const place = path === "body" ? `result[${at}]` : `result[${at}].${path}`
      badRows.push({ at, hash: hashOf(row), path: place, ...fault, row: shownRow(reply, row) })
    }
  }
  return { page: Object.assign({}, rest.success, { result }), badRows }
}

/** The page of an answer, or the error that it stands for. A tolerant reader keeps the good rows of a page. */
export const decode = (reply: Reply, isTolerant: boolean): Result.Result<Decoded, ReplyError> => {
  if (reply.status < 200 || reply.status > 299) return Result.fail(failureOf(reply))
  const json = parse(reply.text)
  if (Result.isFailure(json)) {
    const expected = "a wallet page as JSON"
    return Result.fail(
      new InvalidResponse({ ...reply, reason: "content", path: "body", received: glimpse(reply), expected }),
    )
  }
  const page = decodePage(json.success)
  if (Result.isSuccess(page)) return Result.succeed({ page: page.success, badRows: [] })
  const kept = isTolerant ? decodeRows(reply, json.success) : undefined
  if (kept !== undefined) return Result.succeed(kept)
  return Result.fail(
    new InvalidResponse({ ...reply, reason: "content", ...faultIn(reply, page.failure, json.success) }),
  )
}

/** How far the index behind a page reaches, by its headers; all `null` from servers that do not tell. */
export const indexCoverage = (headers: Readonly<Record<string, string>>) => {
  const block = (name: string): bigint | null => {
    const text = headers[name]?.trim() ?? ""
    return /^\d{1,78}$/.test(text) ? BigInt(text) : null
  }
  return {
    indexedFrom: block("daybook-indexed-from"),
    indexedTo: block("daybook-indexed-to"),
    finalizedTo: block("daybook-finalized-to"),
  }
}
