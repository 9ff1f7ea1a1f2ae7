/**
 * Content of a Model Context Protocol request, from its headers and body: messages to answer, nothing to answer, or why it is rejected.
 * Pure. The service keeps no sessions: each request states its own version.
 *
 * Source: decision 0074; Model Context Protocol, transports and versioning.
 */
import * as Issue from "@daybook/schema/Issue"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"

/** Protocol versions whose clients start with `initialize`, newest first. */
const initialized = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const

/** The version whose requests are self-contained. */
export const selfContained = "2026-07-28"

const versions: ReadonlyArray<string> = [selfContained, ...initialized]

/** Version of a request that does not state one. Source: Model Context Protocol 2025-06-18, transports. */
const versionByDefault = "2025-03-26"

/** The version whose requests may be batches. */
const batchVersion = "2025-03-26"

/** Maximum number of messages in a batch, each of which costs a call. */
const maxBatch = 16

/** A request to answer. */
export interface Message {
  readonly id: number | string
  readonly method: string
  readonly params: unknown
}

/** An error in wire form. */
export interface McpError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Content of a request. */
export type McpRequest =
  | {
      readonly _tag: "Messages"
      readonly messages: ReadonlyArray<Message>
      readonly isBatch: boolean
      readonly version: string
    }
  /** Notifications or responses, to which no reply is expected. */
  | { readonly _tag: "Notifications" }
  | { readonly _tag: "Refused"; readonly id: number | string | null; readonly error: McpError }

type Headers = Readonly<Record<string, string | undefined>>
type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const isId = (id: unknown): id is number | string => typeof id === "string" || typeof id === "number"

const refused = (code: number, message: string, id: unknown = null, data?: unknown): McpRequest => ({
  _tag: "Refused",
  id: isId(id) ? id : null,
  error: { code, message, data },
})

const mismatch = (header: string, expected: string, id: unknown): McpRequest =>
  refused(
    McpSchema.HEADER_MISMATCH_ERROR_CODE,
    `Header mismatch: ${header} is not the ${expected} of the message. Send the same value.`,
    id,
  )

const unsupported = (requested: string, id: unknown): McpRequest =>
  refused(
    McpSchema.UNSUPPORTED_PROTOCOL_VERSION_ERROR_CODE,
    `Unsupported protocol version ${Issue.quote(requested)}. Use one of ${versions.join(", ")}.`,
    id,
    { supported: versions, requested: requested.slice(0, 64) },
  )

const metaKey = "io.modelcontextprotocol/protocolVersion"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

const claimOf = (message: Fields | undefined): unknown => fieldsOf(fieldsOf(message?.["params"])?.["_meta"])?.[metaKey]

/** Method parameter that a request repeats in a header. */
const namedBy: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
}

/** Why a request that states its own version is rejected; `undefined` if it is not. */
const selfContainedIssue = (version: string | undefined, message: Fields): McpRequest | undefined => {
  const { id, params } = message
  const meta = fieldsOf(fieldsOf(params)?.["_meta"])
  const claim = claimOf(message)
  if (version === undefined || (claim !== undefined && claim !== version)) {
    return mismatch("Mcp-Protocol-Version", "protocol version", id)
  }
  if (version !== selfContained) return unsupported(version, id)
  if (claim === undefined || fieldsOf(meta?.[capabilitiesKey]) === undefined) {
    const expected = `_meta with ${metaKey} and ${capabilitiesKey}`
    return refused(McpSchema.INVALID_PARAMS_ERROR_CODE, `Invalid params "_meta": expected ${expected}.`, id)
  }
  return undefined
}

/** Why the headers of such a request, which repeat its method and target, are rejected; `undefined` if they are not. */
const headersIssue = (headers: Headers, { id, method, params }: Fields): McpRequest | undefined => {
  if (headers["mcp-method"] !== method) return mismatch("Mcp-Method", "method", id)
  const key = Object.hasOwn(namedBy, String(method)) ? namedBy[String(method)] : undefined
  if (key === undefined) return undefined
  const name = headers["mcp-name"]
  const isNamed = name !== undefined && McpServer.decodeNameHeader(name) === fieldsOf(params)?.[key]
  return isNamed ? undefined : mismatch("Mcp-Name", key, id)
}

type Item =
  | { readonly _tag: "Message"; readonly message: Message }
  | { readonly _tag: "Notification" }
  | { readonly _tag: "Invalid"; readonly refusal: McpRequest }

const itemOf = (value: unknown): Item => {
  const fields = fieldsOf(value)
  const invalid = (expected: string): Item => ({
    _tag: "Invalid",
    refusal: refused(McpSchema.INVALID_REQUEST_ERROR_CODE, `Invalid message: expected ${expected}.`, fields?.["id"]),
  })
  if (fields === undefined) return invalid("an object")
  const { error, id, jsonrpc, method, params, result } = fields
  if (jsonrpc !== "2.0") return invalid('"jsonrpc": "2.0"')
  const isResponse = method === undefined && (result === undefined) !== (error === undefined)
  if (isResponse) return { _tag: "Notification" }
  if (typeof method !== "string") return invalid('"method" with the name of a method')
  if (id === undefined) return { _tag: "Notification" }
  if (!isId(id)) return invalid('"id" with a text or a number')
  if (params !== undefined && fieldsOf(params) === undefined) return invalid('"params" with an object')
  return { _tag: "Message", message: { id, method, params: params ?? null } }
}

const ofItems = (items: ReadonlyArray<Item>, isBatch: boolean, version: string): McpRequest => {
  const invalid = items.find((item) => item._tag === "Invalid")
  if (invalid !== undefined) return invalid.refusal
  const messages = items.flatMap((item) => (item._tag === "Message" ? [item.message] : []))
  return messages.length === 0 ? { _tag: "Notifications" } : { _tag: "Messages", messages, isBatch, version }
}

const readBatch = (values: ReadonlyArray<unknown>, version: string): McpRequest => {
  const invalid = (expected: string) =>
    refused(McpSchema.INVALID_REQUEST_ERROR_CODE, `Invalid batch: expected ${expected}.`)
  if (version !== batchVersion) return invalid(`one message; only version ${batchVersion} has batches`)
  if (values.length === 0 || values.length > maxBatch) return invalid(`1 to ${maxBatch} messages`)
  const isAlone = (value: unknown) =>
    fieldsOf(value)?.["method"] === "initialize" || claimOf(fieldsOf(value)) !== undefined
  return values.some(isAlone)
    ? invalid("no message that must be sent alone")
    : ofItems(values.map(itemOf), true, version)
}

const readVersion = (
  stated: string | undefined,
  json: unknown,
  issueOf: (message: Fields) => McpRequest | undefined,
): McpRequest => {
  const version = stated ?? versionByDefault
  if (Array.isArray(json)) return versions.includes(version) ? readBatch(json, version) : unsupported(version, null)
  const fields = fieldsOf(json)
  // Its version is the one that it requests.
  const isInitialize = fields?.["method"] === "initialize" && claimOf(fields) === undefined
  if (isInitialize) return ofItems([itemOf(json)], false, versionByDefault)
  if (!versions.includes(version)) return unsupported(version, fields?.["id"])
  const item = itemOf(json)
  const isSelfContained = fields !== undefined && (version === selfContained || claimOf(fields) !== undefined)
  const issue =
    isSelfContained && item._tag === "Message" ? (selfContainedIssue(stated, fields) ?? issueOf(fields)) : undefined
  return issue ?? ofItems([item], false, version)
}

/** Reads a request from its headers, with lower-case names, and the JSON of its body. */
export const read = (headers: Headers, json: unknown): McpRequest =>
  readVersion(headers["mcp-protocol-version"], json, (message) => headersIssue(headers, message))

/** Reads a message of a connection without headers, given the negotiated version if any; a message may state its own. */
export const readWithoutHeaders = (version: string | undefined, json: unknown): McpRequest => {
  const claim = claimOf(fieldsOf(json))
  return readVersion(typeof claim === "string" ? claim : version, json, () => undefined)
}

/** Id of the request that a notification cancels; `undefined` for any other message. */
export const cancelled = (json: unknown): unknown => {
  const fields = fieldsOf(json)
  return fields?.["method"] === "notifications/cancelled" ? fieldsOf(fields["params"])?.["requestId"] : undefined
}
