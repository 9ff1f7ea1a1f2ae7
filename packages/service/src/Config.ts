/**
 * The configuration file of the service: what it is, what each key means, and clear words about what is wrong in one.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const withDefault = <S extends Schema.Top>(schema: S, value: () => S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.sync(value)))

/**
 * One chain that the service indexes.
 *
 * @category models
 * @since 0.1.0
 */
export const ChainConfig = Schema.Struct({
  /** EIP-155 id; needed for a chain that is not of the interface's list. */
  id: Schema.optionalKey(Count),
  /** URLs of the chain's node; may hold keys. */
  rpc: Schema.NonEmptyArray(Schema.String),
  /** First block to index. Default 0. */
  fromBlock: withDefault(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), () => 0),
  /** Internal transactions: `auto` takes what the node has, `off` stores none. Default `auto`. */
  traces: withDefault(Schema.Literals(["auto", "off"]), () => "auto" as const),
  /** Also store STATICCALL and DELEGATECALL frames as internal transactions. Default false. Source: decision 0014. */
  allFrames: withDefault(Schema.Boolean, () => false),
  /** Milliseconds between two looks at the node's head. Default: the chain's block time, at most 2 seconds. */
  pollMillis: Schema.optionalKey(Count),
  /** Names of addresses, shown as labels. */
  labels: withDefault(Schema.Record(Schema.String, Schema.String), () => ({})),
})

/**
 * One chain that the service indexes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChainConfig extends Schema.Schema.Type<typeof ChainConfig> {}

/**
 * The configuration of the service. Paths in it are relative to its file.
 *
 * @category models
 * @since 0.1.0
 */
export const Config = Schema.Struct({
  /** Where to listen. Port 0 takes a free one. */
  listen: Schema.Struct({ host: Schema.String, port: Port }),
  /** `sqlite:` and a folder. */
  database: Schema.String,
  /** The chains, by name. */
  chains: Schema.Record(Schema.String, ChainConfig),
  /** How empty values are sent: as the interface writes them (`string`), or all as `null`. Default `string`. Source: decision 0002. */
  empty: withDefault(Schema.Literals(["string", "null"]), () => "string" as const),
  /** Most and default rows of a page. Default 100. Source: decision 0007. */
  maxLimit: withDefault(Count, () => 100),
  /** Requests of a key: a second on average, and at once. Default 25 and 50. Source: decision 0007. */
  rateLimit: withDefault(Schema.Struct({ perSecond: Count, burst: Count }), () => ({ perSecond: 25, burst: 50 })),
  /** Origins of web pages that may call the service. Default: all. */
  allowedOrigins: withDefault(Schema.Array(Schema.String), () => ["*"]),
})

/**
 * The configuration of the service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Config extends Schema.Schema.Type<typeof Config> {}
