/**
 * The configuration of the service: its keys with defaults, and the issues of an invalid one. `ConfigFile` reads it from a file.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Anonymous } from "./Anonymous.ts"
import * as DatabaseUrl from "./DatabaseUrl.ts"
import { ChainConfig, Count, expecting, withDefault } from "./ChainConfig.ts"
import { type ConfigIssue, InvalidConfig } from "./InvalidConfig.ts"
import { Limits } from "./Limits.ts"
import * as Environment from "./Environment.ts"
import * as Hint from "./Hint.ts"
import * as Explorer from "./Explorer.ts"
import * as Listen from "./Listen.ts"
import * as NodeConfig from "./NodeConfig.ts"
import * as ServedChain from "./ServedChain.ts"

const Mebibytes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1024 * 1024 }))
const Proxies = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
const Threads = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 16 }))
const IndexThreads = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))

/** Origin of a URL; `undefined` if the text is not a URL with an origin. */
const originIn = (text: string): string | undefined => {
  const origin = URL.canParse(text) ? new URL(text).origin : "null"
  return origin === "null" ? undefined : origin
}

/** True for the form in which browsers send an origin (RFC 6454, 6.2); other schemes belong to browser extensions. */
const isOrigin = (text: string): boolean =>
  text === "*" || text === originIn(text) || /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text)

const Origin = Schema.String.check(
  Schema.makeFilter((text) => {
    if (isOrigin(text)) return true
    const origin = originIn(text)
    const hint = origin === undefined ? "" : ` (here ${origin})`
    return `Expected "*" or an origin: scheme, host and optional port, without a path${hint}`
  }),
)

const HttpUrl = Schema.String.check(
  expecting("an http or https URL", (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
)

const HostName = Schema.String.check(
  expecting("a name without a scheme, port or path, such as daybook.example", (text) => /^[^\s/:@?#]+$/.test(text)),
)

/** URLs are checked by the same rules as in `Engine.fromUrl`. */
const Database = Schema.Union([
  Schema.String,
  Schema.Struct({ url: Schema.String, replicas: withDefault(Schema.Array(Schema.String), () => []) }),
])

const Chains = Schema.Record(Schema.String, ChainConfig)

/**
 * The configuration of the service. Paths in it are relative to its file; docs/configuration.md lists its keys.
 *
 * **Example** (Decoding the smallest configuration)
 *
 * ```ts
 * import { Config } from "@daybook/service"
 * import * as Schema from "effect/Schema"
 *
 * const chains = { eth: { rpc: ["http://127.0.0.1:8545"], fromBlock: 0 } }
 * const wire = { listen: { host: "127.0.0.1", port: 8080 }, database: "sqlite:data", chains }
 * console.log(Schema.decodeUnknownSync(Config.Config)(wire).database) // sqlite:data
 * ```
 */
export const Config = Schema.Struct({
  /** Where to listen: host and port, also as `host:port`, or `unix:` and the path of a socket. Port 0 chooses a free one. */
  listen: Listen.Listen,
  /** Where a process that only indexes serves `/health`, `/ready` and `/metrics`, in the same forms. Default: nowhere. */
  monitoring: Schema.optionalKey(Listen.Listen),
  /** PEM files of a certificate and its key: the service then serves HTTPS. Default: none. */
  tls: Schema.optionalKey(Schema.Struct({ cert: Schema.NonEmptyString, key: Schema.NonEmptyString })),
  /** Number of proxies in front of the service, each of which adds the address of its client to `X-Forwarded-For`. Default 0: the header is ignored. */
  trustedProxies: withDefault(Proxies, () => 0),
  /**
   * URL of the database: `sqlite:` and a folder, or that of a PostgreSQL database; or the URLs of a PostgreSQL database and of its
   * replicas, which serve pages.
   */
  database: Database,
  /** How transactions are stored: compressed, or as plain text. Rows of either form stay readable. Default `zstd`. */
  documents: withDefault(Schema.Literals(["plain", "zstd"]), () => "zstd" as const),
  /**
   * Threads that fetch, verify and decode the blocks of a backfill for each chain, at most 16; with 0, the thread that stores them
   * does this. Default: by the cores of the machine.
   */
  backfillThreads: Schema.optionalKey(Threads),
  /** Threads of the indexers, at most 64; shared by chains if there are more chains than threads. Default: by the cores of the machine, at most 4. */
  indexThreads: Schema.optionalKey(IndexThreads),
  /** The chains, by name. */
  chains: Chains,
  /** Form of empty values in pages: that of the interface (`string`), or `null`. Default `string`. */
  empty: withDefault(Schema.Literals(["string", "null"]), () => "string" as const),
  /** Maximum and default number of rows per page, at most 1000. Default 100. */
  maxLimit: withDefault(Limit, () => 100),
  /** Rate limit per key: average requests per second, and burst. Default 25 and 50. */
  rateLimit: withDefault(
    Schema.Struct({ perSecond: withDefault(Count, () => 25), burst: withDefault(Count, () => 50) }),
    () => ({}),
  ),
  /** Accepts requests without an API key, within a rate limit for each address. Default: they are rejected. */
  anonymous: Schema.optionalKey(Anonymous),
  /** The relay: memory for immutable responses of nodes, shared by all chains, in MiB; 0 disables the cache. Default 64. */
  relay: withDefault(Schema.Struct({ cacheMebibytes: withDefault(Mebibytes, () => 64) }), () => ({})),
  /**
   * File or folder of function signatures, as public directories publish them: lines such as `0xa9059cbb: transfer(address,uint256)`.
   * They decode calls that no ABI and no built-in signature decodes. Default: none.
   */
  signatures: Schema.optionalKey(Schema.NonEmptyString),
  /** The log: its format, text or JSON, and whether each request is logged. Default: text, without requests. */
  log: withDefault(
    Schema.Struct({
      format: withDefault(Schema.Literals(["text", "json"]), () => "text" as const),
      access: withDefault(Schema.Boolean, () => false),
    }),
    () => ({}),
  ),
  /** File of the Ed25519 key that signs statements, created by `daybook signing-key make`. Default: statements are not signed. */
  signingKey: Schema.optionalKey(Schema.NonEmptyString),
  /** Collector to which traces of requests are sent, by OTLP over HTTP, with the headers to send. Default: none. */
  otlp: Schema.optionalKey(
    Schema.Struct({ url: HttpUrl, headers: withDefault(Schema.Record(Schema.String, Schema.String), () => ({})) }),
  ),
  /** Bounds on the bytes, counts and times of what clients send and receive. */
  limits: withDefault(Limits, () => ({})),
  /** Additional names in the `Host` header to which a service on a loopback address responds. Default: none. */
  allowedHosts: withDefault(Schema.Array(HostName), () => []),
  /**
   * The explorer, the web pages at `/`: `open` needs no API key and requires a loopback address; `keyed` asks for one; `off` is not served.
   * Default: `open` on a loopback address, `keyed` there with `allowedHosts`, otherwise `off`.
   */
  explorer: Schema.optionalKey(Schema.Literals(["open", "keyed", "off"])),
  /** The API page at `/docs`, which calls operations with the key that its user enters. Default: `on` on a loopback address, otherwise `off`. */
  docs: Schema.optionalKey(Schema.Literals(["on", "off"])),
  /** The Model Context Protocol at `/mcp`, for models with an API key. Default `on`. */
  mcp: withDefault(Schema.Literals(["on", "off"]), () => "on" as const),
  /**
   * Enables webhooks. The key encrypts their secrets in the database and has at least 32 characters; by default, it is created as
   * `webhooks.key` in the folder of a SQLite database. `allowPrivate` allows addresses of any network, and http. The other members limit
   * the webhooks and addresses of one API key, and of all keys. Default: webhooks are not sent.
   */
  webhooks: Schema.optionalKey(
    Schema.Struct({
      key: Schema.optionalKey(
        Schema.String.check(
          expecting("text of at least 32 characters", (text) => text.length >= 32 && text.length <= 1_000),
        ),
      ),
      allowPrivate: withDefault(Schema.Boolean, () => false),
      perKey: withDefault(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })), () => 10),
      addressesPerKey: withDefault(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
        () => 100_000,
      ),
      addressesPerWebhook: withDefault(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
        () => 100_000,
      ),
      total: withDefault(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })), () => 1_000),
    }),
  ),
  /** Origins of web pages that may call the service. Default: all. */
  allowedOrigins: withDefault(Schema.Array(Origin), () => ["*"]),
})

/** The configuration of the service, decoded. */
export interface Config extends Schema.Schema.Type<typeof Config> {}

/** Values that may hold keys and passwords, besides those from environment variables. */
const isSecret = (path: ReadonlyArray<PropertyKey>): boolean =>
  path[0] === "database" || path[0] === "otlp" || path[0] === "webhooks" || path.includes("rpc")

const decodeUnknown = Schema.decodeUnknownResult(Config)

/** True if both start blocks are given; the decoded value always has the default of `fromBlock`. */
const hasTwoStarts = (input: unknown, key: string): boolean => {
  const chain = (input as { readonly chains: Readonly<Record<string, object>> }).chains[key]
  return chain !== undefined && "fromBlock" in chain && "fromDate" in chain
}

const issue = (path: string, expected: string, received: string): ConfigIssue => ({
  path,
  message: Issue.format("configuration", { path, expected, received }),
})

/** Issues of headers that no request can have, for a server below a path. */
const issuesOfHeaders = (
  path: ReadonlyArray<PropertyKey>,
  { headers, url }: Pick<NodeConfig.NodeOptions, "headers" | "url">,
): ReadonlyArray<ConfigIssue> => {
  const made = Effect.runSync(Effect.result(Endpoint.make({ url, headers })))
  if (Result.isSuccess(made)) return []
  const { expected, option, received } = made.failure
  return [issue(`${Issue.formatPath(path)}.${option}`, expected, received)]
}

const issuesOfServers = ({ chains, otlp }: Config): ReadonlyArray<ConfigIssue> => [
  ...Object.entries(chains).flatMap(([name, { rpc }]) =>
    rpc.flatMap((node, index) => issuesOfHeaders(["chains", name, "rpc", index], NodeConfig.toOptions(node))),
  ),
  ...(otlp === undefined ? [] : issuesOfHeaders(["otlp"], otlp)),
]

/** Schemas decide about single keys; this checks combinations of keys. */
const issuesBetweenKeys = (config: Config, input: unknown): ReadonlyArray<ConfigIssue> => {
  const twoStarts = Object.keys(config.chains).filter((key) => hasTwoStarts(input, key))
  const lacksWebhookKey =
    config.webhooks !== undefined && config.webhooks.key === undefined && !DatabaseUrl.isSqlite(config.database)
  return [
    ...(lacksWebhookKey
      ? [
          issue(
            "webhooks.key",
            "text of at least 32 characters, because a PostgreSQL database has no folder for a key file",
            "nothing",
          ),
        ]
      : []),
    ...(!Explorer.isAllowed(config)
      ? [issue("explorer", 'keyed or off if "listen" is not a loopback address', Issue.quote("open"))]
      : []),
    ...twoStarts.map(ServedChain.twoStarts),
    ...issuesOfServers(config),
  ]
}

const decodeDatabase = Schema.decodeUnknownOption(Schema.Struct({ database: Database }))

/** Issue of the URLs of a database, independent of other issues. */
const issuesOfDatabase = ({ issues, value }: Environment.Expanded): ReadonlyArray<ConfigIssue> => {
  const decoded = Option.getOrUndefined(decodeDatabase(value))
  const found = decoded && DatabaseUrl.issueOf(decoded.database)
  if (found === undefined) return []
  const path = Issue.formatPath(["database", ...found.path])
  return issues.some((missing) => missing.path === path) ? [] : [issue(path, found.expected, found.received)]
}

const decodeChains = Schema.decodeUnknownOption(Schema.Struct({ chains: Chains }))

/** Issues of the names and ids of chains, independent of other keys. */
const issuesOfChains = ({ value }: Environment.Expanded): ReadonlyArray<ConfigIssue> => {
  const decoded = Option.getOrUndefined(decodeChains(value))
  const served = decoded && ServedChain.fromChains(decoded.chains)
  return served !== undefined && Result.isFailure(served) ? served.failure.found : []
}

/** Issues of a value that the schema rejects, except for texts with missing variables, which are already reported. */
const issuesOfSchema = (
  error: Schema.SchemaError,
  { issues, secret, value }: Environment.Expanded,
): ReadonlyArray<ConfigIssue> => {
  const missing = new Set(issues.map(({ path }) => path))
  const show = (received: unknown, path: ReadonlyArray<PropertyKey>): string =>
    (isSecret(path) || secret.has(Issue.formatPath(path))) && typeof received === "string"
      ? "a value that is not shown"
      : Issue.describe(received)
  return Issue.fromError(error, value, show)
    .filter(({ path }) => !missing.has(path))
    .map(({ expected, path, received }) => ({
      path,
      message: `${issue(path, expected, received).message}${Hint.forIssue(path, expected)}`,
    }))
}

/**
 * Decodes a configuration from a JSON value. `environment` holds the variables that its texts refer to.
 *
 * **Errors**
 * - `InvalidConfig`: lists every invalid key with what was expected and what was received.
 *
 * **Example** (Reading the issues)
 *
 * ```ts
 * import { Config } from "@daybook/service"
 * import * as Result from "effect/Result"
 *
 * const config = Config.decode({ listen: { host: "127.0.0.1", port: 70_000 }, database: "sqlite:data", chains: {} })
 * console.log(Result.isFailure(config)) // true
 * ```
 */
export const decode = (
  input: unknown,
  environment: Environment.Environment = process.env,
): Result.Result<Config, InvalidConfig> => {
  const expanded = Environment.expand(input, environment)
  const decoded = decodeUnknown(expanded.value, { errors: "all", onExcessProperty: "error" })
  const found = [
    ...expanded.issues,
    ...issuesOfDatabase(expanded),
    ...(Result.isFailure(decoded)
      ? issuesOfSchema(decoded.failure, expanded)
      : issuesBetweenKeys(decoded.success, expanded.value)),
    ...issuesOfChains(expanded),
  ]
  // A chain with two start blocks is an issue of the file and of the decoded chain.
  const issues = Array.from(new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values())
  if (issues.length > 0 || Result.isFailure(decoded)) return Result.fail(new InvalidConfig({ found: issues }))
  return Result.succeed(decoded.success)
}
