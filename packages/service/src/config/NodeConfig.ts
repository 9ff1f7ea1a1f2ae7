/**
 * One node of a chain in the configuration: its URL alone, or with the limits and headers of the calls to it.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Schema from "effect/Schema"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const isNodeUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const variable = /\$\{(\w+)\}/g

const hasVariable = (text: string): boolean => text.match(variable) !== null

const NodeUrl = Schema.String.check(
  Schema.makeFilter((text) => {
    // It is checked once the variables are replaced.
    if (isNodeUrl(text) || hasVariable(text)) return true
    return `Expected an http or https URL${/^wss?:/i.test(text.trim()) ? " (WebSocket is not supported)" : ""}`
  }),
)

/** A node with the limits of the calls to it. */
const LimitedNode = Schema.Struct({
  /** URL of the node; may contain keys. `${NAME}` is replaced by the environment variable of that name. */
  url: NodeUrl,
  /** Calls per second at most. Default: no limit. */
  perSecond: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** Requests that are open at once at most. Default: as many as the node handles well, at most 128. */
  concurrency: Schema.optionalKey(Count),
  /** Calls in one request at most. Default: as many as the node handles well, at most 1000. */
  maxBatchSize: Schema.optionalKey(Count),
  /** Sent with each request. `${NAME}` in a value is replaced by the environment variable of that name. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /**
   * A token that is sent as `Authorization: Bearer`, or a secret of 32 bytes in hex, by which a token is signed for each request.
   * `${NAME}` is replaced as in headers.
   */
  jwt: Schema.optionalKey(Schema.NonEmptyString),
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
 * Limits of the calls to a node; those left out have no bound of the operator's.
 */
export interface CallLimits extends Pick<NodeOptions, "concurrency" | "perSecond"> {}

/**
 * The variables of the process, by name.
 */
export type Environment = Readonly<Record<string, string | undefined>>

const isSecret = (text: string): boolean => /^(0x)?[0-9a-f]{64}$/i.test(text)

const isToken = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

/**
 * The secret of a node by which tokens are signed, without prefix; `undefined` for a node without one.
 */
export const jwtSecret = ({ jwt }: NodeOptions): string | undefined =>
  jwt !== undefined && isSecret(jwt) ? jwt.replace(/^0x/i, "") : undefined

/**
 * Headers that are the same in each request, with the token of the node.
 */
export const headersOf = ({ headers, jwt }: NodeOptions): Readonly<Record<string, string>> | undefined =>
  jwt === undefined || isSecret(jwt) ? headers : { ...headers, authorization: `Bearer ${jwt}` }

type Path = ReadonlyArray<string | number>

/** Replaces the variables of texts, and collects what is missing or invalid. */
const expander = (environment: Environment) => {
  const issues: Array<string> = []
  const report = (path: Path, expected: string, received: string) => {
    issues.push(Issue.format("configuration", { path: Issue.formatPath(path), expected, received }))
  }
  const replace = (text: string, path: Path): string =>
    text.replaceAll(variable, (_, name: string) => {
      const found = environment[name]
      if (found !== undefined && found !== "") return found
      report(path, `the environment variable ${name} to be set`, "nothing")
      return ""
    })
  /** A text with its variables replaced, which must then be accepted; one with a missing variable is reported already. */
  const checked = (text: string, path: Path, accepts: (text: string) => boolean, expected: string): string => {
    const before = issues.length
    const replaced = replace(text, path)
    if (issues.length === before && !accepts(replaced)) report(path, expected, "a value that is not shown")
    return replaced
  }
  return { issues, replace, checked }
}

/**
 * A text with its variables replaced, and an issue for each variable that is not set.
 */
export const expandText = (
  text: string,
  path: Path,
  environment: Environment,
): { readonly text: string; readonly issues: ReadonlyArray<string> } => {
  const { issues, replace } = expander(environment)
  return { text: replace(text, path), issues }
}

/**
 * The nodes of a chain with the variables in URLs, headers and tokens replaced, and an issue for each variable that is not set or
 * does not give a valid value.
 */
export const expand = (
  nodes: readonly [NodeConfig, ...ReadonlyArray<NodeConfig>],
  chain: string,
  environment: Environment,
): { readonly nodes: readonly [NodeConfig, ...ReadonlyArray<NodeConfig>]; readonly issues: ReadonlyArray<string> } => {
  const { checked, issues, replace } = expander(environment)
  const expandNode = (node: NodeConfig, at: number): NodeConfig => {
    const path = ["chains", chain, "rpc", at]
    const urlOf = (text: string, where: Path) => checked(text, where, isNodeUrl, "an http or https URL")
    if (typeof node === "string") return urlOf(node, path)
    const { headers, jwt, url } = node
    const replaced = Object.entries(headers ?? {}).map(([name, value]) => [
      name,
      replace(value, [...path, "headers", name]),
    ])
    const isJwt = (text: string) => isSecret(text) || isToken(text)
    return {
      ...node,
      url: urlOf(url, [...path, "url"]),
      ...(headers === undefined ? {} : { headers: Object.fromEntries(replaced) }),
      ...(jwt === undefined
        ? {}
        : { jwt: checked(jwt, [...path, "jwt"], isJwt, "a token of three parts, or a secret of 32 bytes in hex") }),
    }
  }
  const [first, ...others] = nodes
  return { nodes: [expandNode(first, 0), ...others.map((node, at) => expandNode(node, at + 1))], issues }
}
