/**
 * The configuration of one chain: the keys under `chains.<name>`.
 */
import * as FeeRules from "@daybook/schema/FeeRules"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as IsoDate from "./IsoDate.ts"
import { NodeConfig } from "./NodeConfig.ts"

/** A positive integer. */
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** A check with the text of its expectation. */
export const expecting = (expected: string, accepts: (text: string) => boolean) =>
  Schema.makeFilter((text: string) => accepts(text) || `Expected ${expected}`)

/** Adds a default for a missing key. */
export const withDefault = <S extends Schema.Top>(schema: S, value: () => S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.sync(value)))

const StartDate = Schema.String.check(
  expecting("an ISO 8601 date such as 2024-01-31 or 2024-01-31T12:00:00Z", (text) => IsoDate.parse(text) !== undefined),
)

const Wallet = Schema.String.check(
  expecting("an address: 0x and 40 hex digits", (text) => /^0x[0-9a-fA-F]{40}$/.test(text)),
)

const Registry = Schema.String.check(
  expecting("off, or an address: 0x and 40 hex digits", (text) => /^(?:off|0x[0-9a-fA-F]{40})$/.test(text)),
)

// Sound: the keys of the table are its names.
const feeRules = Object.keys(FeeRules.all) as ReadonlyArray<FeeRules.Name>

const maxPollMillis = 3_600_000

/**
 * One chain of the service.
 */
export const ChainConfig = Schema.Struct({
  /** EIP-155 id; required for a chain that is not in the list of the interface. */
  id: Schema.optionalKey(Count),
  /** The chain's nodes, in order of preference: URLs, which may contain keys, or URLs with limits. */
  rpc: Schema.NonEmptyArray(NodeConfig),
  /** First block to index. Default 0. */
  fromBlock: withDefault(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), () => 0),
  /** Index from the first block at or after this date instead; UTC if it has no zone. */
  fromDate: Schema.optionalKey(StartDate),
  /** Index only the transactions in which these wallets have a role; a request for another one fails with `address_not_watched`. Default: all. */
  watch: Schema.optionalKey(Schema.NonEmptyArray(Wallet)),
  /** Verification of blocks before they are stored, see the README. Default `standard`. */
  checks: Schema.optionalKey(Schema.Literals(["links", "standard", "full"])),
  /** True if block hashes follow Ethereum's rules. Default: by the chain's row, otherwise detected from its newest block. */
  ethereumRules: Schema.optionalKey(Schema.Boolean),
  /**
   * Where the chain's fees go: a name of rules in `FeeRules`, such as `ethereum`, or `base` for a chain of the OP Stack with the upgrade times
   * of the Superchain. Changing the value derives all ledgers again. Default: by the chain's row, `ethereum` for the ids 31337 and 1337,
   * otherwise `unknown`, which marks what it cannot know.
   */
  feeRules: Schema.optionalKey(Schema.Literals(feeRules)),
  /** Confirmations after which a block is final, if the node has no `finalized` tag. Default: by chain. */
  finalityBlocks: Schema.optionalKey(Count),
  /**
   * The chain belongs to one node that can go back, as in development: a lower head removes the blocks above it. Default: true for the
   * ids 31337 and 1337 with one node on this machine.
   */
  rewinds: Schema.optionalKey(Schema.Boolean),
  /** Internal transactions: `auto` uses the tracer that the node has, `off` stores none. Default `auto`. */
  traces: withDefault(Schema.Literals(["auto", "off"]), () => "auto" as const),
  /** Also store STATICCALL and DELEGATECALL frames as internal transactions. Default false. */
  allFrames: withDefault(Schema.Boolean, () => false),
  /** Interval between polls of the node's head, in milliseconds. Default: the chain's block time, at most 2 seconds. */
  pollMillis: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxPollMillis }))),
  /**
   * Maximum number of calls per minute for opening balances, token names and proofs of watched wallets at each new final block; 0 disables
   * them. Default 600.
   */
  proofCallsPerMinute: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  /** Folders of Foundry and Hardhat projects, whose contracts are named and decoded with their ABIs. Default: none. */
  artifacts: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
  /**
   * Address of the registry of the Ethereum Name Service on this chain, whose names become labels; or `off`. Names are read with at most
   * `proofCallsPerMinute` calls. Default: its registry on Ethereum, Sepolia and Holesky, otherwise `off`.
   */
  ens: Schema.optionalKey(Registry),
  /** Labels by address. */
  labels: withDefault(Schema.Record(Schema.String, Schema.String), () => ({})),
})

/** One chain of the service, decoded. */
export interface ChainConfig extends Schema.Schema.Type<typeof ChainConfig> {}
