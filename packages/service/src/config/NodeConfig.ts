/**
 * One node of a chain in the configuration: its URL alone, or with the limits and headers of the calls to it.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Schema from "effect/Schema"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const isNodeUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const NodeUrl = Schema.String.check(
  Schema.makeFilter((text) => {
    if (isNodeUrl(text)) return true
    return `Expected an http or https URL${/^wss?:/i.test(text.trim()) ? " (WebSocket is not supported)" : ""}`
  }),
)

/** A node with the limits of the calls to it. */
const LimitedNode = Schema.Struct({
  /** URL of the node; may contain keys. */
  url: NodeUrl,
  /** Calls per second at most. Default: no limit. */
  perSecond: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** Requests that are open at once at most. Default: as many as the node handles well, at most 128. */
  concurrency: Schema.optionalKey(Count),
  /** Calls in one request at most. Default: as many as the node handles well, at most 1000. */
  maxBatchSize: Schema.optionalKey(Count),
  /** Sent with each request. `${NAME}` in a value is replaced by the environment variable of that name. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
})

/**
 * A node with the limits of the calls to it; never shown.
 */
export interface NodeOptions extends Schema.Schema.Type<typeof LimitedNode> {}

/**
 * A node: its URL, or the URL with limits.
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
 * The variables of the process, by name.
 */
export type Environment = Readonly<Record<string, string | undefined>>

const variable = /\$\{(\w+)\}/g

/**
 * The nodes of a chain with the variables in their headers replaced, and an issue for each variable that is not set.
 */
export const expand = (
  nodes: readonly [NodeConfig, ...ReadonlyArray<NodeConfig>],
  chain: string,
  environment: Environment,
): { readonly nodes: readonly [NodeConfig, ...ReadonlyArray<NodeConfig>]; readonly issues: ReadonlyArray<string> } => {
  const issues: Array<string> = []
  const expandNode = (node: NodeConfig, at: number): NodeConfig => {
    if (typeof node === "string" || node.headers === undefined) return node
    const headers = Object.entries(node.headers).map(([header, value]) => {
      const path = Issue.formatPath(["chains", chain, "rpc", at, "headers", header])
      const replaced = value.replaceAll(variable, (_, name: string) => {
        const found = environment[name]
        if (found !== undefined && found !== "") return found
        const expected = `the environment variable ${name} to be set`
        issues.push(Issue.format("configuration", { path, expected, received: "nothing" }))
        return ""
      })
      return [header, replaced] as const
    })
    return { ...node, headers: Object.fromEntries(headers) }
  }
  const [first, ...others] = nodes
  return { nodes: [expandNode(first, 0), ...others.map((node, at) => expandNode(node, at + 1))], issues }
}
