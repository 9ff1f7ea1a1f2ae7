/**
 * Second step of reading a response: matches replies to calls. Replies are matched by id and never by position; a reply without the id of a
 * call is never matched to one.
 */
import * as Hash from "@daybook/schema/Hash"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Quantity from "@daybook/schema/Quantity"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import { isObject } from "../error/JsonObject.ts"
import { describeWhole } from "./parse.ts"

/** One call as it is sent. */
export interface RequestItem {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

/**
 * What a response holds for one call.
 *
 * - `Error`: a JSON-RPC error object.
 * - `Message`: a failure in another form, such as that of a gateway or a block explorer.
 * - `Missing`: a batch response without a reply to the call.
 * - `Invalid`: a reply that is not a JSON-RPC reply to the call.
 */
export type ResponseItem =
  | { readonly _tag: "Value"; readonly value: unknown; readonly isBare: boolean }
  | { readonly _tag: "Error"; readonly error: JsonRpc.ErrorObject }
  | { readonly _tag: "Message"; readonly message: string; readonly issue: Issue.Issue }
  | { readonly _tag: "Missing"; readonly issue: Issue.Issue }
  | { readonly _tag: "Invalid"; readonly issue: Issue.Issue }

type Json = Readonly<Record<string, unknown>>

const invalid = (path: string, received: string, expected: string): ResponseItem => ({
  _tag: "Invalid",
  issue: { path, received, expected },
})

const decodeError = SchemaParser.decodeUnknownResult(JsonRpc.ErrorObject)

/** Path of a member of an object, as in `result.hash` and `result[3]`. */
export const join = (path: string, member: string): string =>
  path === "" || member === "" || member.startsWith("[") ? `${path}${member}` : `${path}.${member}`

const versionIssue = (reply: Json, path: string): ResponseItem | undefined =>
  reply["jsonrpc"] === "2.0"
    ? undefined
    : invalid(join(path, "jsonrpc"), describeWhole(reply["jsonrpc"]), JSON.stringify("2.0"))

/** Message of a failure that is not JSON-RPC: `error` as a string, or the form used by block explorers. */
const messageOf = (reply: Json): string | undefined => {
  const { error, status, message, result } = reply
  if (typeof error === "string") return typeof message === "string" ? `${error}: ${message}` : error
  const isExplorer = !("jsonrpc" in reply) && typeof message === "string" && (status === "0" || status === 0)
  if (isExplorer) return typeof result === "string" ? `${message}: ${result}` : message
  return !("jsonrpc" in reply) && !("result" in reply) && !("error" in reply) && typeof message === "string"
    ? message
    : undefined
}

/**
 * An error reply. Its id may be null or missing: a server that could not read a request cannot echo its id, and gateways that reject a call
 * omit the envelope.
 */
const matchError = (reply: Json, path: string): ResponseItem => {
  // Some gateways fill both members, as JSON-RPC 1.0 did. An error next to a null result is not ambiguous.
  if ("result" in reply && reply["result"] !== null) {
    return invalid(path === "" ? "body" : path, "a result and an error at once", "either a result or an error")
  }
  const version = "jsonrpc" in reply ? versionIssue(reply, path) : undefined
  if (version !== undefined) return version
  const error = decodeError(reply["error"])
  if (Result.isSuccess(error)) return { _tag: "Error", error: error.success }
  // Sound: a schema error has at least one issue.
  const [issue] = Issue.fromError(error.failure, reply["error"], describeWhole) as [Issue.Issue]
  return invalid(join(join(path, "error"), issue.path), issue.received, issue.expected)
}

const matchReply = (reply: Json, id: number, path: string): ResponseItem => {
  const message = messageOf(reply)
  if (message !== undefined) {
    const at = path === "" ? "body" : path
    return {
      _tag: "Message",
      message,
      issue: { path: at, received: describeWhole(message), expected: "a JSON-RPC reply" },
    }
  }
  // As in JSON-RPC 1.0, a null error next to a result does not count: nodes of Polygon CDK and others write both members.
  const isError = "error" in reply && !(reply["error"] === null && "result" in reply)
  const own = reply["id"]
  if (own !== id && !(isError && own == null)) {
    return invalid(join(path, "id"), describeWhole(own), `${id}, the id of the call`)
  }
  if (isError) return matchError(reply, path)
  const version = versionIssue(reply, path)
  if (version !== undefined) return version
  return "result" in reply
    ? { _tag: "Value", value: reply["result"], isBare: false }
    : invalid(join(path, "result"), "nothing", "a result or an error")
}

const decodeHash = SchemaParser.decodeUnknownResult(Hash.Hash)
const decodeIndex = SchemaParser.decodeUnknownResult(Quantity.SafeInteger)

const areEqual = (
  decode: (input: unknown) => Result.Result<unknown, unknown>,
  one: unknown,
  other: unknown,
): boolean => {
  const [first, second] = [decode(one), decode(other)]
  return Result.isSuccess(first) && Result.isSuccess(second) && first.success === second.success
}

/**
 * A transaction without an envelope, as the interface shows for one method; `undefined` for any other body. Without an id, the transaction
 * must be the requested one.
 *
 * Source: docs/interface.md#4.3; decision 0020.
 */
const matchBare = (body: Json, call: RequestItem): ResponseItem | undefined => {
  if (call.method !== "eth_getTransactionByBlockHashAndIndex" || !Array.isArray(call.params)) return undefined
  const isBare = !["jsonrpc", "id", "result", "error"].some((key) => key in body) && "hash" in body && "from" in body
  if (!isBare) return undefined
  const [hash, index]: ReadonlyArray<unknown> = call.params
  const mismatch = (key: string, requested: unknown): ResponseItem =>
    invalid(key, describeWhole(body[key]), `${Issue.describe(requested)}, as requested`)
  if (!areEqual(decodeHash, body["blockHash"], hash)) return mismatch("blockHash", hash)
  if (!areEqual(decodeIndex, body["transactionIndex"], index)) return mismatch("transactionIndex", index)
  return { _tag: "Value", value: body, isBare: true }
}

/** Item of a call that was sent alone. */
export const matchSingle = (body: unknown, call: RequestItem): ResponseItem =>
  isObject(body)
    ? (matchBare(body, call) ?? matchReply(body, call.id, ""))
    : invalid("body", describeWhole(body), "a JSON-RPC reply as an object")

/** A body that is one item for every call of a batch: an error of the whole request, or not a batch response at all. */
const matchForAll = (body: unknown, calls: number): ResponseItem => {
  const expected = `an array of ${calls} replies`
  if (!isObject(body)) return invalid("body", describeWhole(body), expected)
  if ("error" in body || messageOf(body) !== undefined) return matchReply({ ...body, id: null }, -1, "")
  return invalid("body", body["id"] == null ? describeWhole(body) : "one reply", expected)
}

const unmatched = (replies: ReadonlyArray<unknown>, ids: ReadonlySet<unknown>): string => {
  const count = replies.filter((reply) => !isObject(reply) || !ids.has(reply["id"])).length
  return count === 0 ? "" : ` and ${count} ${count === 1 ? "reply" : "replies"} with an unknown id`
}

/** Items of the calls of a batch, in call order. */
export const matchBatch = (body: unknown, calls: ReadonlyArray<RequestItem>): ReadonlyArray<ResponseItem> => {
  if (!Array.isArray(body)) {
    const item = matchForAll(body, calls.length)
    return calls.map(() => item)
  }
  const replies: ReadonlyArray<unknown> = body
  const byId = new Map<unknown, Array<Json>>()
  for (const reply of replies) {
    if (!isObject(reply)) continue
    const same = byId.get(reply["id"])
    if (same === undefined) byId.set(reply["id"], [reply])
    else same.push(reply)
  }
  const expected = "one reply to each call"
  const others = unmatched(replies, new Set(calls.map((call) => call.id)))
  return calls.map(({ id }) => {
    const [first, second] = byId.get(id) ?? []
    const path = `reply ${id}`
    if (first === undefined) {
      const received = `${replies.length} replies without it${others}`
      return { _tag: "Missing", issue: { path, received, expected } }
    }
    return second === undefined
      ? matchReply(first, id, path)
      : invalid(path, `${byId.get(id)?.length} replies with this id`, expected)
  })
}
