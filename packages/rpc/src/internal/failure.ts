/** Turns what a reply says, together with its HTTP status, into the one error a caller decides by. */
import type * as JsonRpc from "@daybook/schema/JsonRpc"
import { InvalidResponse, RateLimited, Unauthorized } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { shorten } from "@daybook/transport/Redaction"
import * as ErrorKind from "../ErrorKind.ts"
import { type CallError, RpcError } from "../RpcError.ts"
import { waitAsked } from "./hint.ts"
import type { ResponseItem, Wrong } from "./wire.ts"

const maxMessageCharacters = 2_000

const passing = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 529])

const isPassing = (status: number): boolean => passing.has(status)

const isGood = (status: number): boolean => status >= 200 && status < 300

const scrubData = (data: unknown, scrub: (text: string) => string): unknown => {
  if (data === undefined || data === null) return data
  const text = JSON.stringify(data)
  const clean = scrub(text)
  if (clean === text) return data
  try {
    return JSON.parse(clean)
  } catch {
    return clean
  }
}

const fromErrorObject = (error: JsonRpc.ErrorObject, reply: Reply, method: string): CallError => {
  const { status } = reply
  const message = shorten(reply.scrub(error.message), maxMessageCharacters)
  const retryAfter = reply.retryAfter ?? waitAsked(error)
  const detail = shorten(`code ${error.code}: ${message}`, 300)
  const kind = ErrorKind.of(error)
  if (status === 429) return new RateLimited({ ...reply, retryAfter, detail })
  if (status === 401 || status === 403 || kind === "unauthorized") return new Unauthorized({ ...reply, detail })
  if (kind === "rateLimited") return new RateLimited({ ...reply, retryAfter, detail })
  const isGateway = kind === "unknown" && (status === 502 || status === 503 || status === 504)
  return new RpcError({
    ...reply,
    method,
    code: error.code,
    message,
    data: scrubData(error.data, reply.scrub),
    kind: status === 413 ? "tooLarge" : kind,
    isRetryable: status !== 413 && (ErrorKind.isRetryable(kind) || isGateway),
    retryAfter,
  })
}

const byStatus = (reply: Reply, detail: string | undefined): RateLimited | Unauthorized | undefined => {
  if (reply.status === 429) return new RateLimited({ ...reply, detail })
  return reply.status === 401 || reply.status === 403 ? new Unauthorized({ ...reply, detail }) : undefined
}

const nothingThere = new Set([404, 405, 410])

const checkUrl =
  "Check the RPC URL: calls go to {rpcUrl}/<chain>/<apiKey> where rpcUrl is given, and to url as it stands where url is."

const invalid = (wrong: Wrong, reply: Reply, isRetryable: boolean): InvalidResponse => {
  const { status } = reply
  const good = isGood(status)
  const text = shorten(reply.scrub(reply.text.slice(0, 4096)))
  return new InvalidResponse({
    ...reply,
    reason: good ? "content" : "status",
    path: good ? wrong.path : "status",
    received: good
      ? shorten(reply.scrub(wrong.received))
      : text === ""
        ? String(status)
        : `${status} with the text: ${text}`,
    expected: good ? wrong.expected : "a status from 200 to 299, or a JSON-RPC error",
    isRetryable: isRetryable || isPassing(status),
    advice: nothingThere.has(status) ? checkUrl : undefined,
  })
}

const fromWords = (words: string, wrong: Wrong, reply: Reply): CallError => {
  const detail = shorten(reply.scrub(words), 300)
  const special = byStatus(reply, detail)
  if (special !== undefined) return special
  const kind = ErrorKind.of({ code: 0, message: words })
  if (kind === "rateLimited") {
    return new RateLimited({ ...reply, retryAfter: reply.retryAfter ?? waitAsked({ message: words }), detail })
  }
  return kind === "unauthorized" ? new Unauthorized({ ...reply, detail }) : invalid(wrong, reply, kind === "internal")
}

/** The error of a call whose reply is no value. */
export const failureOf = (said: Exclude<ResponseItem, { _tag: "Value" }>, reply: Reply, method: string): CallError => {
  switch (said._tag) {
    case "Error":
      return fromErrorObject(said.error, reply, method)
    case "Words":
      return fromWords(said.words, said.wrong, reply)
    case "Absent":
      return byStatus(reply, undefined) ?? invalid(said.wrong, reply, true)
    case "Wrong":
      return byStatus(reply, undefined) ?? invalid(said.wrong, reply, false)
  }
}

/** What a body says that is not JSON: words of a gateway, a page, or JSON that breaks off. */
export const failureOfText = (reply: Reply): CallError => {
  const text = reply.text.trim()
  const isPage = text.startsWith("<")
  const isCut = text === "" || text.startsWith("{") || text.startsWith("[")
  const received = text === "" ? "empty" : text.slice(0, 4096)
  const wrong: Wrong = {
    path: "body",
    received: isPage
      ? `a page: ${received}`
      : isCut && text !== ""
        ? `JSON that breaks off or is malformed: ${received}`
        : received,
    expected: "a JSON-RPC reply",
  }
  if (isPage) {
    const special = byStatus(reply, undefined)
    if (special !== undefined) return special
    const isLimit = /error(?: code:?)? 1015|rate.?limited/i.test(text.slice(0, 20_000))
    return isLimit ? new RateLimited({ ...reply, detail: "a page says so" }) : invalid(wrong, reply, false)
  }
  return isCut ? (byStatus(reply, undefined) ?? invalid(wrong, reply, true)) : fromWords(text, wrong, reply)
}
