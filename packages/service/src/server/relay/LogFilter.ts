/**
 * Selects logs for a subscription by the first block, the addresses and the topics of `eth_subscribe`. Pure.
 *
 * Source: Ethereum JSON-RPC (execution-apis); decision 0016.
 */
import * as Address from "@daybook/schema/Address"
import * as Hash from "@daybook/schema/Hash"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Schema from "effect/Schema"

/** A log from a node. */
export interface NodeLog {
  /** Address in lower case. */
  readonly address: string
  /** Topics in lower case. */
  readonly topics: ReadonlyArray<string>
  /** JSON text of all members except `removed`, without the closing brace. */
  readonly body: string
}

/** Criteria of a filter. */
export interface LogFilter {
  /** Number of the first block whose logs are selected. */
  readonly from: number
  /** Addresses to select; undefined for any address. */
  readonly addresses: ReadonlySet<string> | undefined
  /** Accepted values of each topic; `null` accepts any. */
  readonly topics: ReadonlyArray<ReadonlySet<string> | null>
}

/** Maximum number of topics of a log. */
const maxTopics = 4

/** Maximum number of values in each list. */
const maxValues = 1_000

const oneOrMore = <S extends Schema.Constraint>(value: S) =>
  Schema.Union([value, Schema.Array(value).check(Schema.isMaxLength(maxValues))])

/** A subscription has no end. */
const Latest = Schema.optionalKey(Schema.NullOr(Schema.Literal("latest")))

/** Filter parameter of `eth_subscribe`. */
export const Params = Schema.Struct({
  address: Schema.optionalKey(Schema.NullOr(oneOrMore(Address.Address))),
  topics: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.NullOr(oneOrMore(Hash.Hash))).check(Schema.isMaxLength(maxTopics))),
  ),
  // Programs in Go send block 0 for no block. As at nodes, logs of blocks before the subscription are not sent.
  fromBlock: Schema.optionalKey(Schema.NullOr(RpcMethod.BlockId)),
  toBlock: Latest,
})

const listOf = (value: string | ReadonlyArray<string> | null | undefined): ReadonlyArray<string> =>
  value === null || value === undefined ? [] : typeof value === "string" ? [value] : value

const setOf = (value: Parameters<typeof listOf>[0]): ReadonlySet<string> | undefined => {
  const values = listOf(value)
  return values.length === 0 ? undefined : new Set(values.map((text) => text.toLowerCase()))
}

/** Filter from parameters; an empty list selects the same as no list. */
export const fromParams = ({ address, fromBlock, topics }: Schema.Schema.Type<typeof Params>): LogFilter => ({
  from: typeof fromBlock === "bigint" ? Number(fromBlock) : 0,
  addresses: setOf(address),
  topics: (topics ?? []).map((topic) => setOf(topic) ?? null),
})

/** Number of values of a filter. */
export const sizeOf = ({ addresses, topics }: LogFilter): number =>
  topics.reduce((sum, topic) => sum + (topic?.size ?? 0), addresses?.size ?? 0)

/** True if a filter selects a log: the log has every topic position that the filter names, even those that accept any value. */
export const isSelected = ({ addresses, topics }: LogFilter, log: NodeLog): boolean =>
  (addresses === undefined || addresses.has(log.address)) &&
  topics.length <= log.topics.length &&
  topics.every((topic, at) => topic === null || topic.has(log.topics[at]!))
