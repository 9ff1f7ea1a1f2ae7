/**
 * State of the discovery of wallets: a plain value that can be written as JSON and continued later, also by another process.
 *
 * Source: decision 0047.
 */
import * as Schema from "effect/Schema"

/** Amounts as decimal text in JSON. */
const Amount = Schema.BigIntFromString

const Block = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Part = Schema.Struct({ after: Block, to: Block, before: Amount, value: Amount })

/** What was read of an account at one block. */
const Account = Schema.Struct({
  nonce: Schema.Int,
  balance: Amount,
  code: Schema.Literals(["none", "contract", "delegation"]),
})

/**
 * What was read of an account at one block. A `delegation` is the code of an account that is controlled by a key (EIP-7702).
 */
export interface Account extends Schema.Schema.Type<typeof Account> {}

const Wallet = Schema.Struct({
  /** Lower case. */
  address: Schema.String,
  /** Accounts at the first and last block; `null` until they are read. */
  accounts: Schema.NullOr(Schema.Struct({ opening: Account, closing: Account })),
  /** Parts in which transactions were sent, as far as they are not located. */
  nonces: Schema.Array(Part),
  /** The account has, or had, code that can move its ether without a transaction that it sends. */
  hasCode: Schema.Boolean,
  /** Balance before the blocks that are being settled, or at the last settled block. */
  balance: Amount,
})

/**
 * State of one wallet.
 */
export interface Wallet extends Schema.Schema.Type<typeof Wallet> {}

/** Parts and known changes of the blocks that are being settled, of each wallet. */
const Segment = Schema.Struct({
  to: Block,
  fetched: Schema.Array(Block),
  wallets: Schema.Array(
    Schema.Struct({ parts: Schema.Array(Part), changes: Schema.Array(Schema.Tuple([Block, Amount])) }),
  ),
})

/**
 * The blocks that are being settled.
 */
export interface Segment extends Schema.Schema.Type<typeof Segment> {}

const Difference = Schema.Struct({ wallet: Schema.Int, block: Block, expected: Amount, found: Amount })

/**
 * A block in which a wallet's balance changes by another amount than its movements.
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
  /** The block before the first one that is searched: its balances are the opening ones. */
  opening: Block,
  /** The block that everything is read at, and its hash: the discovery ends with it. */
  closing: Schema.Struct({ number: Block, hash: Schema.String }),
  /** Balance samples of a wallet with code, at most. */
  samples: Schema.Int,
  wallets: Schema.Array(Wallet),
  logs: LogRanges,
  /** Blocks that hold something of a wallet; sorted and each once when the search for them is over. */
  candidates: Schema.Array(Block),
  isLocated: Schema.Boolean,
  /** Everything up to this block is found. */
  settled: Block,
  segment: Schema.NullOr(Segment),
  differences: Schema.Array(Difference),
})

/**
 * State of a discovery.
 */
export interface DiscoveryState extends Schema.Schema.Type<typeof State> {}

/**
 * The state as JSON text. A discovery that continues with it needs the blocks that were fetched for it.
 */
export const toJson = (state: DiscoveryState): string => JSON.stringify(Schema.encodeSync(State)(state))

/**
 * The state of a JSON text.
 */
export const fromJson = Schema.decodeUnknownResult(Schema.fromJsonString(State))
