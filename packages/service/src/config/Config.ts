/**
 * The configuration of the service: its keys with their defaults, and the issues of one that is invalid. `ConfigFile` reads it from
 * a file.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ChainConfig, Count, withDefault } from "./ChainConfig.ts"
import { InvalidConfig } from "./InvalidConfig.ts"
import { Limits } from "./Limits.ts"
import { isLoopback } from "./Loopback.ts"
import * as NodeConfig from "./NodeConfig.ts"
import * as ServedChain from "./ServedChain.ts"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))
const Mebibytes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1024 * 1024 }))
const Threads = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 16 }))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))

/** The origin of a URL; `undefined` where the text is not a URL with an origin. */
const originIn = (text: string): string | undefined => {
  const origin = URL.canParse(text) ? new URL(text).origin : "null"
  return origin === "null" ? undefined : origin
}

/** True for the form in which browsers send an origin (RFC 6454, 6.2); other schemes are those of browser extensions. */
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

/**
 * The configuration of the service. Paths in it are relative to its file.
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
  /** Address to listen on. Port 0 takes a free one. */
  listen: Schema.Struct({ host: Schema.NonEmptyString, port: Port }),
  /**
   * URL of the database: `sqlite:` and a folder, or that of a PostgreSQL database; or the URLs of a PostgreSQL database and of replicas
   * of it, which pages are read of. `${NAME}` in a URL is replaced by the environment variable of that name.
   */
  database: Schema.Union([
    Schema.String,
    Schema.Struct({ url: Schema.String, replicas: withDefault(Schema.Array(Schema.String), () => []) }),
  ]),
  /** How transactions are stored: compressed, or as plain text. Rows of either form stay readable. Default `zstd`. */
  documents: withDefault(Schema.Literals(["plain", "zstd"]), () => "zstd" as const),
  /**
   * Threads that fetch, verify and decode the blocks of a backfill for each chain, at most 16; 0 leaves it to the thread that stores
   * them. Default: by the cores of the machine.
   */
  backfillThreads: Schema.optionalKey(Threads),
  /** The chains, by name. */
  chains: Schema.Record(Schema.String, ChainConfig),
  /** Form of empty values in pages: that of the interface (`string`), or `null`. Default `string`. */
  empty: withDefault(Schema.Literals(["string", "null"]), () => "string" as const),
  /** Maximum and default number of rows of a page, at most 1000. Default 100. */
  maxLimit: withDefault(Limit, () => 100),
  /** Rate limit per key: average requests per second, and burst. Default 25 and 50. */
  rateLimit: withDefault(
    Schema.Struct({ perSecond: withDefault(Count, () => 25), burst: withDefault(Count, () => 50) }),
    () => ({}),
  ),
  /** The relay: memory for immutable responses of nodes, shared by all chains, in MiB; 0 turns the cache off. Default 64. */
  relay: withDefault(Schema.Struct({ cacheMebibytes: withDefault(Mebibytes, () => 64) }), () => ({})),
  /** Bounds on the bytes, counts and times of what clients send and receive. */
  limits: withDefault(Limits, () => ({})),
  /** Names in the `Host` header that a service on a loopback address answers besides those of this machine. Default: none. */
  allowedHosts: withDefault(Schema.Array(Schema.NonEmptyString), () => []),
  /**
   * The explorer, the web pages at `/`: `open` needs no API key, on a loopback address alone; `keyed` asks for one; `off` is not served.
   * Default: `open` on a loopback address, `keyed` there with `allowedHosts`, else `off`.
   */
  explorer: Schema.optionalKey(Schema.Literals(["open", "keyed", "off"])),
  /** Origins of web pages that may call the service. Default: all. */
  allowedOrigins: withDefault(Schema.Array(Origin), () => ["*"]),
})

/** The configuration of the service, decoded. */
export interface Config extends Schema.Schema.Type<typeof Config> {}

/** Values that may hold keys and passwords. */
const isSecret = (path: ReadonlyArray<PropertyKey>): boolean => path[0] === "database" || path.includes("rpc")

const show = (value: unknown, path: ReadonlyArray<PropertyKey>): string =>
  isSecret(path) && typeof value === "string" ? "a value that is not shown" : Issue.describe(value)

const decodeUnknown = Schema.decodeUnknownResult(Config)

/** True where both start blocks are written; the decoded value has the default of `fromBlock` in any case. */
const hasTwoStarts = (input: unknown, key: string): boolean => {
  const chain = (input as { readonly chains: Readonly<Record<string, object>> }).chains[key]
  return chain !== undefined && "fromBlock" in chain && "fromDate" in chain
}

/** Replaces the environment variables in the URLs of the database. */
const expandDatabase = (
  given: Config["database"],
  environment: NodeConfig.Environment,
): Result.Result<Config["database"], InvalidConfig> => {
  const issues: Array<string> = []
  const replace = (text: string, ...path: ReadonlyArray<string | number>): string => {
    const expanded = NodeConfig.expandText(text, ["database", ...path], environment)
    issues.push(...expanded.issues)
    return expanded.text
  }
  const database =
    typeof given === "string"
      ? replace(given)
      : {
          url: replace(given.url, "url"),
          replicas: given.replicas.map((replica, at) => replace(replica, "replicas", at)),
        }
  return issues.length > 0 ? Result.fail(new InvalidConfig({ issues })) : Result.succeed(database)
}

/** Replaces the environment variables in URLs, headers and tokens of nodes. */
const expandChains = (
  given: Config["chains"],
  environment: NodeConfig.Environment,
): Result.Result<Config["chains"], InvalidConfig> => {
  const issues: Array<string> = []
  const chains = Object.entries(given).map(([key, chain]) => {
    const expanded = NodeConfig.expand(chain.rpc, key, environment)
    issues.push(...expanded.issues)
    return [key, { ...chain, rpc: expanded.nodes }] as const
  })
  if (issues.length > 0) return Result.fail(new InvalidConfig({ issues }))
  return Result.succeed(Object.fromEntries(chains))
}

/**
 * Decodes a configuration from a JSON value. `environment` holds the variables that the URL of the database, and URLs, headers
 * and tokens of nodes name.
 *
 * **Errors**
 * - `InvalidConfig`: lists every invalid key with what was expected and what was received.
 *
 * **Example** (Naming what is invalid)
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
  environment: NodeConfig.Environment = process.env,
): Result.Result<Config, InvalidConfig> => {
  const decoded = decodeUnknown(input, { errors: "all", onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    const issues = Issue.fromError(decoded.failure, input, show)
    return Result.fail(new InvalidConfig({ issues: issues.map((issue) => Issue.format("configuration", issue)) }))
  }
  if (decoded.success.explorer === "open" && !isLoopback(decoded.success.listen.host)) {
    const expected = 'keyed or off where "listen" is no loopback address'
    const issue = Issue.format("configuration", { path: "explorer", expected, received: Issue.quote("open") })
    return Result.fail(new InvalidConfig({ issues: [issue] }))
  }
  const twoStarts = Object.keys(decoded.success.chains).filter((key) => hasTwoStarts(input, key))
  if (twoStarts.length > 0) return Result.fail(new InvalidConfig({ issues: twoStarts.map(ServedChain.twoStarts) }))
  return Result.gen(function* () {
    const database = yield* expandDatabase(decoded.success.database, environment)
    const chains = yield* expandChains(decoded.success.chains, environment)
    yield* ServedChain.fromChains(chains)
    return { ...decoded.success, database, chains }
  })
}
