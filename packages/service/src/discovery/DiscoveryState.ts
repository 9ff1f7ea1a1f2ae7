/**
 * State of the discovery of wallets: a plain value that can be saved as JSON and resumed later, even by another process.
 *
 * Source: decision 0047.
 */
import * as Schema from "effect/Schema"

/** Amounts as decimal text in JSON. */
const Amount = Schema.BigIntFromString

const Block = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Part = Schema.Struct({ after: Block, to: Block, before: Amount, value: Amount })

/** An account as read at one block. */
const Account = Schema.Struct({
  nonce: Schema.Int,
  balance: Amount,
  code: Schema.Literals(["none", "contract", "delegation"]),
})

/**
 * An account as read at one block. A `delegation` is the code of an account controlled by a key (EIP-7702).
 */
export interface Account extends Schema.Schema.Type<typeof Account> {}

const Wallet = Schema.Struct({
  /** Lower case. */
  address: Schema.String,
  /** Accounts at the first and last block; `null` until they are read. */
  accounts: Schema.NullOr(Schema.Struct({ opening: Account, closing: Account })),
  /** Parts with sent transactions that are not located yet. */
  nonces: Schema.Array(Part),
  /** Whether the account has or had code that can move its ether without a transaction that it sends. */
  hasCode: Schema.Boolean,
  /** Balance before the blocks being settled, or at the last settled block. */
  balance: Amount,
})

/**
 * State of one wallet.
 */
export interface Wallet extends Schema.Schema.Type<typeof Wallet> {}

/** Parts and known changes of each wallet in the blocks being settled. */
const Segment = Schema.Struct({
  to: Block,
  fetched: Schema.Array(Block),
  wallets: Schema.Array(
    Schema.Struct({ parts: Schema.Array(Part), changes: Schema.Array(Schema.Tuple([Block, Amount])) }),
  ),
})

/**
 * The blocks being settled.
 */
export interface Segment extends Schema.Schema.Type<typeof Segment> {}

const Difference = Schema.Struct({ wallet: Schema.Int, block: Block, expected: Amount, found: Amount })

/**
 * A block in which a wallet's balance changes by a different amount than its movements.
 */
export interface Difference extends Schema.Schema.Type<typeof Difference> {}

const BlockRange = Schema.Struct({ from: Block, to: Block })

const LogRanges = Schema.Struct({
  left: Schema.Array(BlockRange),
  length: Schema.Int,
  steady: Schema.optionalKey(Schema.Int),
})

const State = Schema.Struct({
  version: Schema.Literal(1),
  chainId: Schema.Int,
  /** Block before the first one searched, which determines the opening balances. */
  opening: Block,
  /** Block at which everything is read, with its hash: the end of the discovery. */
  closing: Schema.Struct({ number: Block, hash: Schema.String }),
  /** Maximum number of balance samples for a wallet with code. */
  samples: Schema.Int,
  wallets: Schema.Array(Wallet),
  logs: LogRanges,
  /** Blocks that concern a wallet; sorted and without duplicates once the search for them is complete. */
  candidates: Schema.Array(Block),
  isLocated: Schema.Boolean,
  /** Everything up to this block has been found. */
  settled: Block,
  segment: Schema.NullOr(Segment),
  differences: Schema.Array(Difference),
})

/**
 * State of a discovery.
 */
export interface DiscoveryState extends Schema.Schema.Type<typeof State> {}

/**
 * Formats the state as JSON text. A discovery that resumes from it needs the blocks fetched for it.
 */
export const toJson = (state: DiscoveryState): string => JSON.stringify(Schema.encodeSync(State)(state))

/**
 * Parses the state from JSON text.
 */
export const fromJson = Schema.decodeUnknownResult(Schema.fromJsonString(State))
