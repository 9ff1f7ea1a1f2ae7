/**
 * Reads the answer to a request: which reply belongs to which call, and whether it is one at all. Nothing here is matched by position.
 * A reply that does not say which call it answers is never given to a call.
 */
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import { describeWhole, firstProblem } from "./problem.ts"

/** One call as it is sent. */
export interface RequestItem {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

/** What one reply says. `Absent` is a call that the batch does not answer. */
export type ResponseItem =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Error"; readonly error: JsonRpc.ErrorObject }
  | { readonly _tag: "Words"; readonly words: string; readonly wrong: Wrong }
  | { readonly _tag: "Absent"; readonly wrong: Wrong }
  | { readonly _tag: "Wrong"; readonly wrong: Wrong }

/** What is not as the interface says. */
export interface Wrong {
  readonly path: string
  /** As `describeWhole` has it: what is shown is shorter and without keys. */
  readonly received: string
  readonly expected: string
}

const wrong = (path: string, received: string, expected: string): ResponseItem => ({
  _tag: "Wrong",
  wrong: { path, received, expected },
})

const readError = SchemaParser.decodeUnknownResult(JsonRpc.ErrorObject)

/** True for an object that is not an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The text of a request. */
export const requestText = (call: RequestItem): string =>
  `{"jsonrpc":"2.0","id":${call.id},"method":${JSON.stringify(call.method)},"params":${JSON.stringify(call.params)}}`

const versionFault = (reply: Readonly<Record<string, unknown>>, path: string): ResponseItem | undefined =>
  reply["jsonrpc"] === "2.0" ? undefined : wrong(`${path}jsonrpc`, describeWhole(reply["jsonrpc"]), '"2.0"')

/** Words of a failure in a shape that is not JSON-RPC: `error` as text, or the shape of block explorers. */
const wordsOf = (reply: Readonly<Record<string, unknown>>): string | undefined => {
  const { error, status, message, result } = reply
  if (typeof error === "string") return typeof message === "string" ? `${error}: ${message}` : error
  const isExplorer = !("jsonrpc" in reply) && typeof message === "string" && (status === "0" || status === 0)
  if (isExplorer) return typeof result === "string" ? `${message}: ${result}` : message
  return !("jsonrpc" in reply) && !("result" in reply) && !("error" in reply) && typeof message === "string"
    ? message
    : undefined
}

/**
 * Reads an error object. Its id may be null or missing, because a server that could not read a request cannot echo its id,
 * and gateways that refuse a call leave the envelope out.
 */
const readFailure = (reply: Readonly<Record<string, unknown>>, path: string): ResponseItem => {
  if ("result" in reply) {
    return wrong(
      path === "" ? "body" : path.slice(0, -1),
      "a result and an error at once",
      "either a result or an error",
    )
  }
  if ("jsonrpc" in reply) {
    const fault = versionFault(reply, path)
    if (fault !== undefined) return fault
  }
  const error = readError(reply["error"])
  if (Result.isSuccess(error)) return { _tag: "Error", error: error.success }
  const issue = firstProblem(error.failure, reply["error"], describeWhole)
  return wrong(`${path}error${issue.path}`, issue.received, issue.expected)
}

const readReply = (reply: Readonly<Record<string, unknown>>, id: number, path: string): ResponseItem => {
  const words = wordsOf(reply)
  if (words !== undefined) {
    const expected = "a JSON-RPC reply"
    return {
      _tag: "Words",
      words,
      wrong: { path: path === "" ? "body" : path.slice(0, -1), received: describeWhole(words), expected },
    }
  }
  const isFailure = "error" in reply
  const own = reply["id"]
  if (own !== id && !(isFailure && own == null)) {
    return wrong(`${path}id`, describeWhole(own), `${id}, the id of the call`)
  }
  if (isFailure) return readFailure(reply, path)
  const fault = versionFault(reply, path)
  if (fault !== undefined) return fault
  return "result" in reply
    ? { _tag: "Value", value: reply["result"] }
    : wrong(`${path}result`, "missing", "a result or an error")
}

/** What the answer to a single call says. */
export const readSingle = (body: unknown, id: number): ResponseItem =>
  isObject(body) ? readReply(body, id, "") : wrong("body", describeWhole(body), "a JSON-RPC reply, which is an object")

/** How many replies of a batch cannot be told to belong to a call, in words. */
const strays = (replies: ReadonlyArray<unknown>, ids: ReadonlySet<unknown>): string => {
  const count = replies.filter((reply) => !isObject(reply) || !ids.has(reply["id"])).length
  return count === 0 ? "" : `, and ${count} repl${count === 1 ? "y" : "ies"} of no known call`
}

/** What the answer to a batch says of each call, in the order of the calls. */
export const readBatch = (body: unknown, calls: ReadonlyArray<RequestItem>): ReadonlyArray<ResponseItem> => {
  if (!Array.isArray(body)) {
    const said =
      isObject(body) && "id" in body && body["id"] !== null && !("error" in body)
        ? wrong("body", "one reply", `an array of ${calls.length} replies`)
        : isObject(body) && ("error" in body || wordsOf(body) !== undefined)
          ? readForAll(body)
          : wrong("body", describeWhole(body), `an array of ${calls.length} replies`)
    return calls.map(() => said)
  }
  const replies: ReadonlyArray<unknown> = body
  const byId = new Map<unknown, Array<Readonly<Record<string, unknown>>>>()
  for (const reply of replies) {
    if (!isObject(reply)) continue
    const same = byId.get(reply["id"])
    if (same === undefined) byId.set(reply["id"], [reply])
    else same.push(reply)
  }
  const stray = strays(replies, new Set(calls.map((call) => call.id)))
  return calls.map(({ id }) => {
    const own = byId.get(id) ?? []
    const [first] = own
    const path = `reply ${id}`
    if (first === undefined) {
      const expected = "one reply for each call"
      return { _tag: "Absent", wrong: { path, received: `missing among ${replies.length} replies${stray}`, expected } }
    }
    return own.length > 1
      ? wrong(path, `there ${own.length} times`, "one reply for each call")
      : readReply(first, id, `${path}.`)
  })
}

/** One error for a whole batch, whatever its id. */
const readForAll = (body: Readonly<Record<string, unknown>>): ResponseItem => readReply({ ...body, id: null }, -1, "")
