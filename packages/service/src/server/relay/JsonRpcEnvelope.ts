/**
 * Reads JSON-RPC requests and writes responses as texts, so that an id and a result go back exactly as they came. Pure.
 *
 * Source: docs/interface.md#2.6, docs/interface.md#2.7; JSON-RPC 2.0; decision 0016.
 */
import * as JsonRpc from "@daybook/schema/JsonRpc"
import { quote } from "@daybook/schema/Issue"

/** Why a request or a call fails, as it is sent. */
export interface Failure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** One member of a body: a call, with the text of its id or none when it is a notification; or something else. */
export type Item =
  | {
      readonly _tag: "Call"
      readonly id: string | undefined
      readonly method: string
      readonly params: ReadonlyArray<unknown>
    }
  | { readonly _tag: "Wrong"; readonly id: string; readonly failure: Failure }

/** A body: one call, several, or nothing that could be read. */
export type Body =
  | { readonly _tag: "Single"; readonly item: Item }
  | { readonly _tag: "Batch"; readonly items: ReadonlyArray<Item> }
  | { readonly _tag: "Wrong"; readonly failure: Failure }

/** The text of an id that could not be read. */
const noId = "null"

const wrong = (code: number, message: string): Failure => ({ code, message })

const nameOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "an array"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`

/** Parses, and remembers how each number under the key `id` was written. */
const parse = (text: string): readonly [value: unknown, idTexts: WeakMap<object, string>] => {
  const idTexts = new WeakMap<object, string>()
  // Sound: engines give a reviver the source of a primitive (JSON.parse source text access); the library's types lag behind.
  const reviver = function (this: object, key: string, value: unknown, context?: { readonly source?: string }) {
    if (key === "id" && typeof value === "number" && context?.source !== undefined) idTexts.set(this, context.source)
    return value
  } as (this: unknown, key: string, value: unknown) => unknown
  return [JSON.parse(text, reviver), idTexts]
}

const itemOf = (value: unknown, idTexts: WeakMap<object, string>): Item => {
  const invalid = (message: string, id: string = noId): Item => ({
    _tag: "Wrong",
    id,
    failure: wrong(JsonRpc.code.invalidRequest, message),
  })
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid(`A request is ${nameOf(value)}; accepted: an object with jsonrpc, id, method and params.`)
  }
  const {
    id: received,
    jsonrpc,
    method,
    params,
  }: { id?: unknown; jsonrpc?: unknown; method?: unknown; params?: unknown } = value
  if (received !== undefined && typeof received !== "string" && typeof received !== "number") {
    return invalid(`id is ${nameOf(received)}; accepted: a number or a text.`)
  }
  const id = received === undefined ? undefined : (idTexts.get(value) ?? JSON.stringify(received))
  if (jsonrpc !== "2.0") {
    const what = typeof jsonrpc === "string" ? quote(jsonrpc) : jsonrpc === undefined ? "missing" : nameOf(jsonrpc)
    return invalid(`jsonrpc is ${what}; accepted: "2.0".`, id)
  }
  if (typeof method !== "string") {
    return invalid(
      `method is ${method === undefined ? "missing" : nameOf(method)}; accepted: the name of a method.`,
      id,
    )
  }
  if (params === undefined || Array.isArray(params)) return { _tag: "Call", id, method, params: params ?? [] }
  if (typeof params !== "object" || params === null)
    return invalid(`params is ${nameOf(params)}; accepted: an array, or none.`, id)
  if (id === undefined) return { _tag: "Call", id, method, params: [] }
  const failure = wrong(JsonRpc.code.invalidParams, "params is an object; accepted: an array by position, or none.")
  return { _tag: "Wrong", id, failure }
}

/** Reads the body of a request. */
export const read = (text: string): Body => {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(text)
  } catch {
    return {
      _tag: "Wrong",
      failure: wrong(JsonRpc.code.parseError, "The body is not JSON; accepted: a JSON-RPC 2.0 request."),
    }
  }
  const [value, idTexts] = parsed
  if (!Array.isArray(value)) return { _tag: "Single", item: itemOf(value, idTexts) }
  if (value.length === 0) {
    const message = "The batch is empty; accepted: at least one request."
    return { _tag: "Wrong", failure: wrong(JsonRpc.code.invalidRequest, message) }
  }
  return { _tag: "Batch", items: value.map((item: unknown) => itemOf(item, idTexts)) }
}

/** A response with a result, which is JSON text already. */
export const success = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

/** The bytes of a response with a result, which is JSON text or its bytes already. */
export const successBytes = (id: string, result: string | Uint8Array): Uint8Array => {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`
  const isText = typeof result === "string"
  const bytes = Buffer.allocUnsafeSlow(
    Buffer.byteLength(head) + (isText ? Buffer.byteLength(result) : result.length) + 1,
  )
  const start = bytes.write(head, 0)
  if (isText) bytes.write(result, start)
  else bytes.set(result, start)
  bytes.write("}", bytes.length - 1)
  return bytes
}

/** A response with an error. */
export const failure = (id: string | undefined, { code, data, message }: Failure): string => {
  const error = JSON.stringify(data === undefined ? { code, message } : { code, message, data })
  return `{"jsonrpc":"2.0","id":${id ?? noId},"error":${error}}`
}
