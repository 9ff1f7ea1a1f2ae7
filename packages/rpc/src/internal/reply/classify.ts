/**
 * Third step of reading a response: the error of a call, from its item or from the response text and HTTP status; and whether an error
 * rejects a batch because of its size.
 */
import type { Issue } from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import type * as JsonRpc from "@daybook/schema/JsonRpc"
import { InvalidResponse, RateLimited, Unauthorized } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { textOf } from "@daybook/transport/internal/JsonText"
import { searchable, shorten } from "@daybook/transport/internal/Redaction"
import * as ErrorKind from "../../ErrorKind.ts"
import { type CallError, RpcError } from "../../RpcError.ts"
import { batchEffectOf, kindOf, retryAfterOf } from "../error/Providers.ts"
import type { ResponseItem } from "./match.ts"

const maxMessageCharacters = 2_000
const maxDetailCharacters = 300

/** Statuses of transient failures. Source: RFC 9110; Cloudflare 520 to 525. */
const transientStatuses = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 529])

const gatewayStatuses = new Set([502, 503, 504])

const missingStatuses = new Set([404, 405, 410])

const urlAdvice =
  "Check the RPC URL: calls go to {rpcUrl}/<chain>/<apiKey> with the option rpcUrl, and to the URL itself with the option url."

const scrubData = (data: unknown, scrub: (text: string) => string): unknown => {
  const text = textOf(data)
  if (text === undefined) return undefined
  const clean = scrub(text)
  return clean === text ? data : (Json.parse(clean) ?? clean)
}

const classifyErrorObject = (error: JsonRpc.ErrorObject, reply: Reply, method: string): CallError => {
  const { status } = reply
  const message = shorten(reply.scrub(error.message), maxMessageCharacters)
  const detail = shorten(`code ${error.code}: ${message}`, maxDetailCharacters)
  const kind = kindOf({ ...error, method })
  // The message of a revert is that of the contract.
  const mayStateWait = kind !== "reverted" && kind !== "invalidParams"
  const retryAfter = reply.retryAfter ?? (mayStateWait || status === 429 ? retryAfterOf(error) : undefined)
  if (status === 429) return new RateLimited({ ...reply, retryAfter, detail })
  // A plan without old blocks, as at Chainstack, does not mean that the key is wrong.
  if (status === 401 || (status === 403 && kind !== "pruned") || kind === "unauthorized")
    return new Unauthorized({ ...reply, detail })
  if (kind === "rateLimited") return new RateLimited({ ...reply, retryAfter, detail })
  const isOfGateway = kind === "unknown" && gatewayStatuses.has(status)
  return new RpcError({
    ...reply,
    method,
    code: error.code,
    message,
    data: scrubData(error.data, reply.scrub),
    kind: status === 413 ? "tooLarge" : kind,
    isRetryable: status !== 413 && (ErrorKind.isRetryable(kind) || isOfGateway),
    retryAfter,
  })
}

const classifyStatus = (reply: Reply, detail: string | undefined): RateLimited | Unauthorized | undefined => {
  if (reply.status === 429) return new RateLimited({ ...reply, detail })
  return reply.status === 401 || reply.status === 403 ? new Unauthorized({ ...reply, detail }) : undefined
}

const invalidResponse = (issue: Issue, reply: Reply, isRetryable: boolean): InvalidResponse => {
  const { scrub, status } = reply
  const hasGoodStatus = status >= 200 && status < 300
  const text = shorten(scrub(searchable(reply.text)))
  return new InvalidResponse({
    ...reply,
    reason: hasGoodStatus ? "content" : "status",
    path: hasGoodStatus ? issue.path : "status",
    received: hasGoodStatus
      ? shorten(scrub(issue.received))
      : text === ""
        ? String(status)
        : `${status} with the text: ${text}`,
    expected: hasGoodStatus ? issue.expected : "a status from 200 to 299, or a JSON-RPC error",
    isRetryable: isRetryable || transientStatuses.has(status),
    advice: missingStatuses.has(status) ? urlAdvice : undefined,
  })
}

const classifyMessage = (message: string, issue: Issue, reply: Reply): CallError => {
  const detail = shorten(reply.scrub(message), maxDetailCharacters)
  const byStatus = classifyStatus(reply, detail)
  if (byStatus !== undefined) return byStatus
  const kind = kindOf({ code: 0, message })
  if (kind === "rateLimited") {
    return new RateLimited({ ...reply, retryAfter: reply.retryAfter ?? retryAfterOf({ message }), detail })
  }
  return kind === "unauthorized"
    ? new Unauthorized({ ...reply, detail })
    : invalidResponse(issue, reply, kind === "internal")
}

/** The error of a call whose item is not a value. */
export const classify = (item: Exclude<ResponseItem, { _tag: "Value" }>, reply: Reply, method: string): CallError => {
  switch (item._tag) {
    case "Error":
      return classifyErrorObject(item.error, reply, method)
    case "Message":
      return classifyMessage(item.message, item.issue, reply)
    case "Missing":
    case "Invalid":
      return classifyStatus(reply, undefined) ?? invalidResponse(item.issue, reply, item._tag === "Missing")
  }
}

/** The error of a response that is not JSON: a gateway's message, an HTML page, or truncated JSON. */
export const classifyText = (reply: Reply): CallError => {
  const text = reply.text.trim()
  const isPage = text.startsWith("<")
  const isCut = text === "" || text.startsWith("{") || text.startsWith("[")
  const shown = text === "" ? "nothing" : searchable(text)
  const kind = isPage ? "an HTML page: " : isCut && text !== "" ? "truncated or malformed JSON: " : ""
  const issue: Issue = { path: "body", received: `${kind}${shown}`, expected: "a JSON-RPC reply" }
  if (!isPage && !isCut) return classifyMessage(text, issue, reply)
  const byStatus = classifyStatus(reply, undefined)
  if (byStatus !== undefined) return byStatus
  const isLimit = isPage && /error(?: code:?)? 1015|rate.?limited/i.test(text.slice(0, 20_000))
  return isLimit
    ? new RateLimited({ ...reply, detail: "reported by an HTML page" })
    : invalidResponse(issue, reply, isCut && !missingStatuses.has(reply.status))
}

/** How to send the calls of a rejected batch. */
export interface BatchRejection {
  /** Maximum number of calls in each of the next requests. */
  readonly maxBatchSize: number
  /** Limit of the server for all later batches; undefined if only this batch was too large. */
  readonly detectedLimit: number | undefined
}

/** Limit named in a message: the largest number below the size of the batch. */
const limitIn = (message: string, calls: number): number | undefined => {
  const numbers = (message.match(/\d[\d,]*/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")))
  const below = numbers.filter((number) => number >= 1 && number < calls)
  return below.length === 0 ? undefined : Math.max(...below)
}

/** Rejection of a batch by one error for all of its calls; `undefined` if the error concerns the calls and not the batch. */
export const batchRejectionOf = (error: CallError, calls: number): BatchRejection | undefined => {
  const isTooLarge = "status" in error && error.status === 413
  const effect = error._tag === "RpcError" ? batchEffectOf(error) : undefined
  if (effect === "one") return { maxBatchSize: 1, detectedLimit: 1 }
  if (isTooLarge || effect === "fewer") {
    const namesBatch = /\bbatch/i.test(error.message)
    const limit = (namesBatch ? limitIn(error.message, calls) : undefined) ?? Math.max(1, calls >> 1)
    return { maxBatchSize: limit, detectedLimit: isTooLarge || namesBatch ? limit : undefined }
  }
  return effect === "unread" ? { maxBatchSize: 1, detectedLimit: undefined } : undefined
}
