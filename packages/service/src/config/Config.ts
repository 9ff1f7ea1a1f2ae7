/**
 * The configuration of the service: what each key means, clear words about what is wrong in one, and the chains that it
 * comes to. Reading the file is `ConfigFile`.
 */
import * as Address from "@daybook/schema/Address"
import * as Chain from "@daybook/schema/Chain"
import { quote } from "@daybook/schema/Issue"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Label from "../label/Label.ts"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const Mebibytes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1024 * 1024 }))
const isNodeUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
const isSocketUrl = (text: string): boolean => /^wss?:/i.test(text.trim())
const NodeUrl = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      isNodeUrl(text) ||
      `Expected an http or https URL${isSocketUrl(text) ? " (nodes are not asked over WebSocket)" : ""}`,
  ),
)
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d(T.*)?$/.test(text) && !Number.isNaN(Date.parse(text))
const StartDate = Schema.String.check(
  Schema.makeFilter((text) => isDate(text) || "Expected a date of ISO 8601 such as 2024-01-31 or 2024-01-31T12:00:00Z"),
)
const Wallet = Schema.String.check(
  Schema.makeFilter((text) => Address.pattern.test(text) || "Expected an address: 0x and 40 hex digits"),
)
const longestPollMillis = 3_600_000
const PollMillis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestPollMillis }))
const greatestLimit = 1_000
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: greatestLimit }))

/** The origin that was likely meant; undefined where the text is no URL with one. */
const originIn = (text: string): string | undefined => {
  const found = URL.canParse(text) ? new URL(text).origin : "null"
  return found === "null" ? undefined : found
}

/** Browsers send an origin in this form only. Source: RFC 6454, 6.2; other schemes are those of browser extensions. */
const isOrigin = (text: string): boolean =>
  text === "*" || text === originIn(text) || /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text)
const Origin = Schema.String.check(
  Schema.makeFilter((text) => {
    if (isOrigin(text)) return true
    const meant = originIn(text)
    const hint = meant === undefined ? "" : ` (here ${meant})`
    return `Expected "*" or an origin: scheme, host, and port if it has one, without a path${hint}`
  }),
)
const withDefault = <S extends Schema.Top>(schema: S, value: () => S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.sync(value)))

/**
 * One chain that the service indexes.
 */
export const ChainConfig = Schema.Struct({
  /** EIP-155 id; needed for a chain that is not of the interface's list. */
  id: Schema.optionalKey(Count),
  /** URLs of the chain's node; may hold keys. */
  rpc: Schema.NonEmptyArray(NodeUrl),
  /** First block to index. Default 0. */
  fromBlock: withDefault(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), () => 0),
  /** Index from the first block at or after this date instead; UTC where it names no zone. */
  fromDate: Schema.optionalKey(StartDate),
  /** Index only what belongs to these wallets; another one is answered with `address_not_watched`. Default: all. */
  watch: Schema.optionalKey(Schema.NonEmptyArray(Wallet)),
  /** How much is checked of a block before it is stored, see the README. Default `standard`. */
  checks: Schema.optionalKey(Schema.Literals(["links", "standard", "full"])),
  /** The chain hashes its blocks as Ethereum does. Default: as is known of the chain, or found out from its newest block. */
  ethereumRules: Schema.optionalKey(Schema.Boolean),
  /** Blocks on top of one after which it is final, where the node does not say. Default: by chain. */
  finalityBlocks: Schema.optionalKey(Count),
  /** Internal transactions: `auto` takes what the node has, `off` stores none. Default `auto`. */
  traces: withDefault(Schema.Literals(["auto", "off"]), () => "auto" as const),
  /** Also store STATICCALL and DELEGATECALL frames as internal transactions. Default false. */
  allFrames: withDefault(Schema.Boolean, () => false),
  /** Milliseconds between two looks at the node's head. Default: the chain's block time, at most 2 seconds. */
  pollMillis: Schema.optionalKey(PollMillis),
  /** Names of addresses, shown as labels. */
  labels: withDefault(Schema.Record(Schema.String, Schema.String), () => ({})),
})

/**
 * One chain that the service indexes.
 */
export interface ChainConfig extends Schema.Schema.Type<typeof ChainConfig> {}

/**
 * The configuration of the service. Paths in it are relative to its file.
 */
export const Config = Schema.Struct({
  /** Where to listen. Port 0 takes a free one. */
  listen: Schema.Struct({ host: Schema.NonEmptyString, port: Port }),
  /** `sqlite:` and a folder. */
  database: Schema.String,
  /** The chains, by name. */
  chains: Schema.Record(Schema.String, ChainConfig),
  /** How empty values are sent: as the interface writes them (`string`), or as `null`. Default `string`. */
  empty: withDefault(Schema.Literals(["string", "null"]), () => "string" as const),
  /** Most and default rows of a page, at most 1000. Default 100. */
  maxLimit: withDefault(Limit, () => 100),
  /** Requests of a key: a second on average, and at once. Default 25 and 50. */
  rateLimit: withDefault(
    Schema.Struct({ perSecond: withDefault(Count, () => 25), burst: withDefault(Count, () => 50) }),
    () => ({}),
  ),
  /** The relay: memory for answers of nodes that never change, shared by all chains; 0 keeps none. Default 64. */
  relay: withDefault(Schema.Struct({ cacheMebibytes: withDefault(Mebibytes, () => 64) }), () => ({})),
  /** Origins of web pages that may call the service. Default: all. */
  allowedOrigins: withDefault(Schema.Array(Origin), () => ["*"]),
})

/**
 * The configuration of the service.
 */
export interface Config extends Schema.Schema.Type<typeof Config> {}

/**
 * The configuration cannot be used. The message names each key that is wrong, what came and what is accepted; it never holds
 * the URL of a node or the database.
 */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{
  /** One sentence for each thing that is wrong. */
  readonly issues: ReadonlyArray<string>
}> {
  override get message(): string {
    return `The configuration cannot be used: ${this.issues.join(" ")}`
  }
}

type Path = ReadonlyArray<PropertyKey>

/**
 * A place in the configuration as a message names it: `chains.eth.rpc[0]`.
 */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number" || /^\d{1,9}$/.test(String(key))) return `${text}[${String(key)}]`
    const name = /^\w{1,45}$/.test(String(key)) ? String(key) : quote(String(key))
    return text === "" ? name : `${text}.${name}`
  }, "")

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Readonly<Record<PropertyKey, unknown>>)[key] : undefined,
    value,
  )

const mayHoldKey = (path: Path): boolean => path[0] === "database" || path.includes("rpc")

/** Keys that are accepted where an unknown one stands. */
const keysAt = (path: Path): ReadonlyArray<string> => {
  if (path.length === 1) return Object.keys(Config.fields)
  if (path[0] === "chains") return Object.keys(ChainConfig.fields)
  if (path[0] === "relay") return ["cacheMebibytes"]
  return path[0] === "listen" ? ["host", "port"] : ["perSecond", "burst"]
}

const unexpected = "\u0000unexpected"
const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "UnexpectedKey" ? unexpected : SchemaIssue.defaultLeafHook(issue)),
})

const problemOf = (input: unknown, path: Path, message: string): string => {
  const where = path.length === 0 ? "The whole of it" : `"${pathText(path)}"`
  if (message === unexpected) return `${where} is not a known key; accepted: ${keysAt(path).join(", ")}.`
  if (message === "Missing key" && typeof path.at(-1) === "number") {
    return `"${pathText(path.slice(0, -1))}" is empty; accepted: a list of at least one ${path.includes("rpc") ? "URL" : "value"}.`
  }
  if (message === "Missing key") return `${where} is missing.`
  const value = valueAt(input, path)
  const shown = typeof value === "string" ? quote(value) : String(value)
  const received = typeof value === "object" || mayHoldKey(path) ? "" : ` is ${shown}`
  const expected = message.replace(/^Expected /, "").replace(/, (?:got|actual) .*$/s, "")
  return `${where}${received === "" ? ":" : `${received};`} accepted: ${expected}.`
}

/**
 * A chain that the service serves.
 */
export interface ServedChain {
  /** Its name in the configuration. */
  readonly key: string
  /** Its name for people and clients: the interface's where it lists the chain, else that of the configuration. */
  readonly name: string
  /** EIP-155 id. */
  readonly id: number
  /** The interface's chain; `undefined` for one of the operator's own. */
  readonly known: Chain.Chain | undefined
  readonly label: Label.Label
  readonly config: ChainConfig
}

const beginTwice = (where: string): string => `${where} has both "fromBlock" and "fromDate": give one of them.`

const servedChain = (key: string, config: ChainConfig): Result.Result<ServedChain, string> =>
  Result.gen(function* () {
    const where = `"${pathText(["chains", key])}"`
    const named = Chain.fromName(key)
    if (key.trim() === "") return yield* Result.fail(`A chain under "chains" has no name.`)
    if (named === undefined && Chain.fromText(key).length > 0) {
      return yield* Result.fail(`${where} is an identifier; name the chain: ${Chain.fromText(key)[0]!.name}.`)
    }
    const id = config.id ?? (named === undefined ? undefined : Number(named.id))
    if (id === undefined) {
      const meant = /^(ethereum|mainnet|ethereum[ _-]mainnet|ether)$/i.test(key.trim()) ? " Did you mean eth?" : ""
      return yield* Result.fail(`${where} is not a chain of the interface: give its EIP-155 id as "id".${meant}`)
    }
    if (named !== undefined && BigInt(id) !== named.id) {
      return yield* Result.fail(
        `${where} has the id ${id}, but ${named.name} is ${named.id}: leave "id" out, or give the chain another name.`,
      )
    }
    if (config.fromDate !== undefined && config.fromBlock > 0) {
      return yield* Result.fail(beginTwice(where))
    }
    const known = named ?? Chain.all.find((chain) => chain.id === BigInt(id))
    const label = yield* Result.mapError(Label.make(config.labels), (error) => `${where}: ${error.message}`)
    return { key, name: known?.name ?? key, id, known, label, config }
  })

/**
 * The chains of a configuration.
 *
 * **Errors**
 * - `InvalidConfig`: there is none; one has no id, or another one than the interface says; two are the same; a label is wrong.
 */
export const servedChains = (config: Config): Result.Result<ReadonlyArray<ServedChain>, InvalidConfig> => {
  const issues: Array<string> = []
  const chains: Array<ServedChain> = []
  for (const [key, chainConfig] of Object.entries(config.chains)) {
    const chain = servedChain(key, chainConfig)
    if (Result.isFailure(chain)) {
      issues.push(chain.failure)
      continue
    }
    const twin = chains.find(({ id }) => id === chain.success.id)
    if (twin !== undefined) issues.push(`"chains" names chain ${twin.id} twice: ${quote(twin.key)} and ${quote(key)}.`)
    chains.push(chain.success)
  }
  if (Object.keys(config.chains).length === 0) issues.push(`"chains" is empty; accepted: at least one chain.`)
  return issues.length === 0 ? Result.succeed(chains) : Result.fail(new InvalidConfig({ issues }))
}

const decodeUnknown = Schema.decodeUnknownResult(Config)

/**
 * Reads a configuration from a JSON value.
 *
 * **Errors**
 * - `InvalidConfig`: names every key that is wrong, what came, and what is accepted.
 */
export const decode = (input: unknown): Result.Result<Config, InvalidConfig> => {
  const decoded = decodeUnknown(input, { errors: "all", onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    const issues = format(decoded.failure.issue).issues.map(({ message, path }) => {
      const keys = (path ?? []).map((part) => (typeof part === "object" ? part.key : part))
      return problemOf(input, keys, message)
    })
    return Result.fail(new InvalidConfig({ issues }))
  }
  const twoBegins = Object.keys(decoded.success.chains).filter((key) => {
    const written = valueAt(input, ["chains", key])
    return typeof written === "object" && written !== null && "fromBlock" in written && "fromDate" in written
  })
  if (twoBegins.length > 0) {
    const issues = twoBegins.map((key) => beginTwice(`"${pathText(["chains", key])}"`))
    return Result.fail(new InvalidConfig({ issues }))
  }
  return Result.map(servedChains(decoded.success), () => decoded.success)
}
