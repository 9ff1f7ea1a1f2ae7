/**
 * Reads JSON-RPC requests and writes responses as text, so that ids and results are passed on unchanged. Pure.
 *
 * Source: docs/interface.md#2.6, docs/interface.md#2.7; JSON-RPC 2.0; decision 0016.
 */
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"

/** Why a request or a call fails, in the form that is sent. */
export interface Failure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** One item of a body: a call, with the text of its id (undefined for a notification), or something else. */
export type Item =
  | {
      readonly _tag: "Call"
      readonly id: string | undefined
      readonly method: string
      readonly params: ReadonlyArray<unknown>
    }
  | { readonly _tag: "Invalid"; readonly id: string; readonly failure: Failure }

/** A body: one call, a batch, or nothing that can be read. */
export type Body =
  | { readonly _tag: "Single"; readonly item: Item }
  | { readonly _tag: "Batch"; readonly items: ReadonlyArray<Item> }
  | { readonly _tag: "Invalid"; readonly failure: Failure }

/** Id of a response if the request's id cannot be read. */
const noId = "null"

/** True for text with an id that JavaScript may write differently: a long number, or one with a fraction. */
const hasUnusualId = (text: string): boolean =>
  /"(?:i|\\u0069)(?:d|\\u0064)"\s*:\s*(?!\d{1,15}\s*[,}])[-\d]/i.test(text)

/** Parses JSON, and keeps the text of each number under the key `id`. */
const parse = (text: string): readonly [value: unknown, idTexts: WeakMap<object, string>] => {
  const idTexts = new WeakMap<object, string>()
  // Sound: engines pass the source of a primitive to a reviver (JSON.parse source text access); the library's types lack it.
  const reviver = function (this: object, key: string, value: unknown, { source }: { readonly source: string }) {
    if (key === "id" && typeof value === "number") idTexts.set(this, source)
    return value
  } as (this: unknown, key: string, value: unknown) => unknown
  return [hasUnusualId(text) ? JSON.parse(text, reviver) : JSON.parse(text), idTexts]
}

const invalidRequest = (issue: Issue.Issue, code: number = JsonRpc.code.invalidRequest): Failure => ({
  code,
  message: Issue.format("JSON-RPC request", issue),
})

interface Members {
  readonly id?: unknown
  readonly jsonrpc?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readItem = (value: unknown, idTexts: WeakMap<object, string>): Item => {
  const invalid = (path: string, expected: string, received: unknown, id = noId, code?: number): Item => ({
    _tag: "Invalid",
    id,
    failure: invalidRequest({ path, expected, received: Issue.describe(received) }, code),
  })
  if (!isObject(value)) return invalid("", "an object with jsonrpc, id, method and params", value)
  const { id: received, jsonrpc, method, params } = value
  if (received !== undefined && typeof received !== "string" && typeof received !== "number") {
    return invalid("id", "a number or a string", received)
  }
  const id = received === undefined ? undefined : (idTexts.get(value) ?? JSON.stringify(received))
  if (jsonrpc !== "2.0") return invalid("jsonrpc", `"2.0"`, jsonrpc, id)
  if (typeof method !== "string") return invalid("method", "the name of a method", method, id)
  // Geth also accepts null for no parameters.
  if (params === undefined || params === null || Array.isArray(params))
    return { _tag: "Call", id, method, params: params ?? [] }
  if (!isObject(params)) return invalid("params", "an array", params, id)
  // A notification gets no response, whatever its parameters.
  if (id === undefined) return { _tag: "Call", id, method, params: [] }
  return invalid("params", "an array (parameters by position)", params, id, JsonRpc.code.invalidParams)
}

/** Failure for a body that is not JSON. */
export const notJson = (text: string): Failure => {
  const received = text === "" ? "an empty body" : "a body that is not JSON"
  return invalidRequest({ path: "", expected: "JSON", received }, JsonRpc.code.parseError)
}

/** Parses the body of a request. */
export const read = (text: string): Body => {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(text)
  } catch {
    return { _tag: "Invalid", failure: notJson(text) }
  }
  const [value, idTexts] = parsed
  if (!Array.isArray(value)) return { _tag: "Single", item: readItem(value, idTexts) }
  if (value.length === 0) {
    const issue = { path: "", expected: "at least one call in a batch", received: "an empty array" }
    return { _tag: "Invalid", failure: invalidRequest(issue) }
  }
  return { _tag: "Batch", items: value.map((item: unknown) => readItem(item, idTexts)) }
}

/** Text that precedes a result; a brace follows the result. */
export const successHead = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":`

/** Bytes of a response with a result. */
export const successBytes = (id: string, result: Uint8Array): Uint8Array => {
  const head = successHead(id)
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(head) + result.length + 1)
  bytes.set(result, bytes.write(head, 0))
  bytes.write("}", bytes.length - 1)
  return bytes
}

/** Text of a response with an error. */
export const failure = (id: string | undefined, { code, data, message }: Failure): string => {
  const error = JSON.stringify({ code, message, data })
  return `{"jsonrpc":"2.0","id":${id ?? noId},"error":${error}}`
}
