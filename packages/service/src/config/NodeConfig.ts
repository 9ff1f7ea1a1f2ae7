/**
 * Configuration of one node of a chain: its URL alone, or with limits and headers for calls to it.
 */
import * as Schema from "effect/Schema"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const isNodeUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const NodeUrl = Schema.String.check(
  Schema.makeFilter((text) => {
    if (isNodeUrl(text)) return true
    return `Expected an http or https URL${/^wss?:/i.test(text.trim()) ? " (WebSocket is not supported)" : ""}`
  }),
)

const isSecret = (text: string): boolean => /^(0x)?[0-9a-f]{64}$/i.test(text)

const isToken = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

const Jwt = Schema.String.check(
  Schema.makeFilter(
    (text) => isSecret(text) || isToken(text) || "Expected a token of three parts, or a secret of 32 bytes in hex",
  ),
)

/** A node with the limits of the calls to it. */
const LimitedNode = Schema.Struct({
  /** URL of the node; may contain keys. */
  url: NodeUrl,
  /** Maximum number of calls per second. Default: no limit. */
  perSecond: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** Maximum number of open requests. Default: as many as the node handles well, at most 128. */
  concurrency: Schema.optionalKey(Count),
  /** Maximum number of calls in one request. Default: as many as the node handles well, at most 1000. */
  maxBatchSize: Schema.optionalKey(Count),
  /** Headers sent with each request. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** A token that is sent as `Authorization: Bearer`, or a secret of 32 bytes in hex, with which a token is signed for each request. */
  jwt: Schema.optionalKey(Jwt),
})

/**
 * A node with limits for calls to it; never shown.
 */
export interface NodeOptions extends Schema.Schema.Type<typeof LimitedNode> {}

/**
 * A node: its URL, or its URL with limits.
 */
export const NodeConfig = Schema.Union([NodeUrl, LimitedNode])

/**
 * A node of the configuration.
 */
export type NodeConfig = Schema.Schema.Type<typeof NodeConfig>

/**
 * The node with all of its options.
 */
export const toOptions = (node: NodeConfig): NodeOptions => (typeof node === "string" ? { url: node } : node)

/**
 * Limits of calls to a node; absent ones are not limited by the operator.
 */
export interface CallLimits extends Pick<NodeOptions, "concurrency" | "perSecond"> {}

/**
 * Secret with which tokens for a node are signed, without prefix; `undefined` if it has none.
 */
export const jwtSecret = ({ jwt }: NodeOptions): string | undefined =>
  jwt !== undefined && isSecret(jwt) ? jwt.replace(/^0x/i, "") : undefined

/**
 * Headers common to all requests, including the node's token.
 */
export const headersOf = ({ headers, jwt }: NodeOptions): Readonly<Record<string, string>> | undefined =>
  jwt === undefined || isSecret(jwt) ? headers : { ...headers, authorization: `Bearer ${jwt}` }
