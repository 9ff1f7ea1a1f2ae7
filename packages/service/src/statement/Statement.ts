/**
 * The statement of a wallet between two blocks: opening balances, what moved by asset and kind, closing balances, and the proof that the
 * movements are complete.
 *
 * Source: decision 0047.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NodeConnection } from "../discovery/NodeConnection.ts"
import * as Discovery from "../discovery/Discovery.ts"
import { BlockUnavailable } from "../node/CallsError.ts"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import type { DiscoveryState, Wallet } from "../discovery/DiscoveryState.ts"
import * as DiscoveryStep from "../discovery/DiscoveryStep.ts"
import * as Holding from "../ledger/Holding.ts"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as ComparedHoldings from "../proof/ComparedHoldings.ts"
import * as Proof from "../proof/Proof.ts"
import * as CompleteRange from "../query/CompleteRange.ts"
import * as StateRoot from "../proof/StateRoot.ts"
import * as HashRules from "../verification/HashRules.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import * as MetadataReader from "../token/MetadataReader.ts"
import * as Books from "../ledger/Books.ts"
import * as RowsDigest from "../signed/RowsDigest.ts"
import type * as StatementFile from "../signed/StatementFile.ts"

/** Amount of a holding, in its smallest unit. */
export type Balance = StatementFile.Balance

/** Movements of a holding of one kind. */
export type Total = StatementFile.Total

/**
 * Transactions sent by the wallet: as found, and according to its transaction count.
 */
export interface SentTransactions {
  readonly expected: number
  readonly found: number
  /** Transaction counts at both ends. */
  readonly counts: { readonly opening: number; readonly closing: number }
}

/**
 * The statement of a wallet.
 */
export interface Statement {
  readonly address: string
  readonly chainId: number
  /** First block of the movements. */
  readonly fromBlock: number
  /** Block of the opening balances. */
  readonly openingBlock: number
  readonly block: { readonly number: number; readonly hash: string }
  /** True if every sum equals the state of the chain. */
  readonly isProved: boolean
  readonly transactions: number
  /** `null` for a contract, whose transaction count only counts its creations. */
  readonly sent: SentTransactions | null
  readonly opening: ReadonlyArray<Balance>
  readonly totals: ReadonlyArray<Total>
  /** Opening balances plus movements. */
  readonly closing: ReadonlyArray<Balance>
  readonly differences: ReadonlyArray<Proof.Difference>
  /** Number and digest of the movements. */
  readonly rows: RowsDigest.Rows
  /** What was verified against the state root of the block's header; for everything else the node was trusted. */
  readonly byStateRoot: ReadonlyArray<"native" | "nonce">
  /** What the proof does not cover, in sentences. */
  readonly unproved: ReadonlyArray<string>
}

/**
 * The statements of several wallets, from one discovery.
 */
export interface Statements {
  readonly statements: ReadonlyArray<Statement>
  readonly tokens: ReadonlyMap<string, TokenMetadata>
}

/**
 * Which statements to build.
 */
export interface Options {
  /** Addresses in lower case, without duplicates. */
  readonly addresses: ReadonlyArray<string>
  /** Last block. Default: the last final one. */
  readonly at?: number | undefined
  /** First block. Default 0. */
  readonly fromBlock?: number | undefined
  /** Maximum number of balance samples for a wallet with code. */
  readonly samples?: number | undefined
  /** Result so far of an interrupted discovery with the same options. Default: nothing. */
  readonly found?: Discovery.Found | undefined
  readonly onTurn?: Discovery.OnTurn
}

/**
 * Why there is no statement.
 */
export type StatementError = Discovery.DiscoveryError | Proof.ProofError

/**
 * Resumes from what the options contain, or starts from nothing.
 *
 * **Errors**
 * - `BlockUnavailable`: the chain has no such block yet.
 */
export const begin = Effect.fnUntraced(function* (connection: NodeConnection, options: Options) {
  const { addresses, at, found, fromBlock = 0, samples } = options
  if (found !== undefined) return found
  const { hash, number } = yield* Discovery.closingBlock(connection, connection.chainId, at)
  if (fromBlock > number) {
    const host = connection.node.hosts.join(", ")
    return yield* new BlockUnavailable({ host, block: fromBlock, last: number })
  }
  const state = DiscoveryStep.initial({
    chainId: connection.chainId,
    addresses,
    closing: {
      number,
      hash,
    },
    opening: Math.max(0, fromBlock - 1),
    samples,
  })
  return Discovery.nothingFound(state)
})

/**
 * Transactions sent by an account with a key. Authorizations, and creations by its code, also increase its count; movements do not number
 * them.
 */
const sentOf = (
  { accounts }: Wallet,
  { delegations, sent }: Books.Books,
  reading: StateRoot.Reading,
): SentTransactions | null => {
  if (accounts === null) return null
  const { closing, opening } = accounts
  if (opening.code === "contract" || closing.code === "contract") return null
  const nonce = reading._tag === "Verified" ? Number(reading.account.nonce) : closing.nonce
  const counted = nonce - opening.nonce
  const found = delegations > 0 && counted >= sent ? counted : sent
  return { expected: counted, found, counts: { opening: opening.nonce, closing: nonce } }
}

const widthOfSamples = ({ closing, opening, samples }: DiscoveryState): number =>
  Math.max(1, Math.ceil((closing.number - opening) / samples))

/** What the node is trusted for, and what is wrong with it. */
const trustOf = (reading: StateRoot.Reading): ReadonlyArray<string> => {
  if (reading._tag === "Verified") return []
  if (reading._tag === "Refuted") return [reading.reason]
  return [
    `Ether and transaction counts are as reported by the node, without a proof under the state root: ${reading.reason}.`,
  ]
}

/** What the chain's headers show about its events. */
type Events = "confirmed" | "unconfirmed" | "contradicted"

/**
 * Headers whose hash can be computed commit to the blooms of their blocks' events, as far as events were found. On an unlisted chain, a
 * mismatch means that the chain has its own rules or that the node removes events; the two cannot be distinguished.
 */
const eventsOf = ({ assembling, chainId }: NodeConnection, block: number): Events => {
  const { blooms, headerHash } = HashRules.at(assembling.rules ?? HashRules.none, BigInt(block))
  if (blooms) return "confirmed"
  return headerHash && HashRules.ofChain(chainId) === undefined ? "contradicted" : "unconfirmed"
}

const sentencesOfEvents: Readonly<Record<Events, ReadonlyArray<string>>> = {
  confirmed: [
    "Tokens are those in the events that the node found: an event that its search omits is missing if its block has nothing else of the wallet.",
  ],
  unconfirmed: ["Tokens are those in the events that the node reports: no hash of this chain confirms them."],
  contradicted: ["The node's events contradict the blooms in its headers, so tokens may be missing. Use another node."],
}

const unprovedOf = (
  connection: NodeConnection,
  state: DiscoveryState,
  { hasCode }: Wallet,
  { incomplete }: Books.Books,
  idsLeftOut: ReadonlyArray<string>,
  reading: StateRoot.Reading,
): ReadonlyArray<string> => {
  const { hasTraces } = connection
  const width = widthOfSamples(state)
  return [
    ...trustOf(reading),
    ...sentencesOfEvents[eventsOf(connection, state.closing.number)],
    "Calls of value 0 by others, and ether that enters and leaves within one block, may be missing if the block has nothing else of the wallet.",
    "Tokens that change balances without events are compared at the last block only.",
    ...idsLeftOut,
    ...(hasCode && width > 1
      ? [`The account has code: ether that enters and leaves within ${width} blocks may be missing.`]
      : []),
    ...(hasTraces
      ? []
      : ["The node does not trace: ether that contracts moved is missing and appears as differences."]),
    ...(incomplete === 0
      ? []
      : [`Parts of ${incomplete} transactions or blocks are unknown: traces, receipts or fees.`]),
    ...CompleteRange.unstatedSentences(
      LedgerRules.unstatedTo(LedgerRules.fromChainId(connection.chainId), {
        from: state.opening + 1,
        to: state.closing.number,
      }),
    ),
  ]
}

/** Differences in the native currency, each with its block as found by the discovery. */
const nativeDifferences = (state: DiscoveryState, at: number): ReadonlyArray<Proof.Difference> =>
  state.differences
    .filter(({ wallet }) => wallet === at)
    .map(({ block, expected, found }) => ({ holding: Holding.native, expected, found, firstBlock: block }))

const totalsOf = ({ accounts }: Books.Books): ReadonlyArray<Total> =>
  [...accounts.values()].flatMap(({ holding, sums }) => [...sums].map(([kind, sum]) => ({ holding, kind, ...sum })))

/** Claims that the wallet owns ids of ERC-721 contracts, as far as they are compared, and what is not compared. */
const idClaimsOf = (books: Books.Books) => {
  const owned = [...books.ids.values()].filter(({ change, holding }) => Books.ownedBefore(books, holding) + change > 0n)
  const { holdings, unchecked } = ComparedHoldings.select(
    owned.map(({ holding }) => holding),
    Number.POSITIVE_INFINITY,
  )
  return { holdings, unchecked }
}

/** Holdings of a wallet at the opening block. Ids that a contract does not count are those that the wallet owned and that moved. */
const openingsOf = Effect.fnUntraced(function* (
  connection: NodeConnection,
  { closing, opening, wallet }: Proof.Range,
  books: Books.Books,
  holdings: ReadonlyArray<Holding.Holding>,
) {
  const reads = holdings.map((holding) => ({ holding, block: opening }))
  const found = yield* Proof.holdingsAt(connection, wallet, reads, closing)
  const isComparable = Holding.comparableAmong(holdings)
  const uncounted = holdings.filter((holding, at) => found[at] === null && !isComparable(holding))
  const owned = Books.countOwnedBefore(books)
  const openings = new Map([
    ...holdings.map((holding, at) => [Holding.keyOf(holding), found[at] ?? 0n] as const),
    ...uncounted.map((holding) => [Holding.keyOf(holding), owned.get(holding.asset) ?? 0n] as const),
  ])
  return { openings, uncounted }
})

const sentenceOfUncounted = ({ asset }: Holding.Holding): string =>
  `The number of ids of ${asset} counts the ids that moved: the contract is also ERC-20, and does not report how many ids a wallet has.`

/** The differences, plus the native currency's difference from the state root if the node's balances show none. */
const differencesByRoot = (
  reading: StateRoot.Reading,
  expected: bigint,
  differences: ReadonlyArray<Proof.Difference>,
): ReadonlyArray<Proof.Difference> => {
  if (reading._tag !== "Verified") return differences
  const { balance: found } = reading.account
  const isKnown = found === expected || differences.some(({ holding }) => holding.standard === "native")
  return isKnown ? differences : [{ holding: Holding.native, expected, found, firstBlock: null }, ...differences]
}

const isHeld = ({ amount, holding }: Balance): boolean => amount !== 0n || holding.standard === "native"

/** Sums of a wallet's movements. */
interface WalletBooks {
  readonly books: Books.Books
  readonly digest: RowsDigest.RowsDigest
}

/** Adds the rows of a wallet in a block. */
const addBlock = ({ books, digest }: WalletBooks, block: DiscoveredBlock): void => {
  Books.add(books, block)
  for (const { index, movements, wallet } of block.rows) {
    if (wallet === books.wallet) digest.add(block.number, index, movements)
  }
}

const stateOne = Effect.fnUntraced(function* (
  connection: NodeConnection,
  state: DiscoveryState,
  at: number,
  { books, digest }: WalletBooks,
): Effect.fn.Return<Statement, Proof.ProofError> {
  const wallet = state.wallets[at]!
  const { closing, opening } = state
  const range: Proof.Range = { wallet: wallet.address, opening, closing: closing.number }
  const holdings = [...books.accounts.values()].map(({ holding }) => holding)
  const isComparable = Holding.comparableAmong(holdings)
  const { openings, uncounted } = yield* openingsOf(connection, range, books, holdings)
  const ids = idClaimsOf(books)
  const openingOf = (holding: Holding.Holding): bigint =>
    Holding.isOwnedId(holding) ? Books.ownedBefore(books, holding) : (openings.get(Holding.keyOf(holding)) ?? 0n)
  const balanceAt = (holding: Holding.Holding, block: number): bigint =>
    openingOf(holding) + Books.changeUpTo(books, holding, opening, block)
  const claims = holdings.map((holding) => ({ holding, expected: balanceAt(holding, closing.number) }))
  const located = nativeDifferences(state, at)
  const isLocated = ({ holding }: Proof.Claim) => holding.standard === "native" && located.length > 0
  const differences = yield* Proof.prove(
    connection,
    range,
    [
      ...claims.filter((claim) => !isLocated(claim) && isComparable(claim.holding)),
      ...ids.holdings.map((holding) => ({ holding, expected: balanceAt(holding, closing.number) })),
    ],
    (holding, block) => Effect.succeed(balanceAt(holding, block)),
  )
  const reading = yield* StateRoot.read(connection, wallet.address, closing)
  const sent = sentOf(wallet, books, reading)
  const held = balanceAt(Holding.native, closing.number)
  const found = differencesByRoot(reading, held, [...located, ...differences])
  const isContradicted = reading._tag === "Refuted" || eventsOf(connection, closing.number) === "contradicted"
  return {
    address: wallet.address,
    chainId: state.chainId,
    sent,
    transactions: books.transactions,
    fromBlock: opening === 0 ? 0 : opening + 1,
    openingBlock: opening,
    block: closing,
    isProved: found.length === 0 && !isContradicted && (sent === null || sent.expected === sent.found),
    opening: holdings.map((holding) => ({ holding, amount: balanceAt(holding, opening) })).filter(isHeld),
    totals: totalsOf(books),
    closing: claims.map(({ expected: amount, holding }) => ({ holding, amount })).filter(isHeld),
    differences: found,
    rows: digest.result(),
    byStateRoot: reading._tag === "Verified" ? (sent === null ? ["native"] : ["native", "nonce"]) : [],
    unproved: [
      ...unprovedOf(connection, state, wallet, books, ids.unchecked, reading),
      ...(opening === 0 ? [] : uncounted.map(sentenceOfUncounted)),
    ],
  }
})

/** Addresses of the tokens in books. */
const tokensOf = (books: ReadonlyArray<Books.Books>): ReadonlyArray<string> => [
  ...new Set(
    books.flatMap(({ accounts }) =>
      [...accounts.values()].flatMap(({ holding: { asset, standard } }) => (standard === "native" ? [] : [asset])),
    ),
  ),
]

/**
 * Discovers the movements of wallets and builds their statements.
 *
 * **Errors**
 * - As `Discovery.make`.
 */
export const run = Effect.fn("Statement.run")(function* (
  connection: NodeConnection,
  options: Options,
): Effect.fn.Return<Statements, StatementError> {
  const { addresses, onTurn } = options
  const discovery = Discovery.make(connection, yield* begin(connection, options), onTurn)
  const books = addresses.map((address): WalletBooks => ({ books: Books.make(address), digest: RowsDigest.make() }))
  yield* Stream.runForEach(discovery.blocks, (block) =>
    Effect.sync(() => {
      for (const own of books) addBlock(own, block)
    }),
  )
  const state = discovery.state()
  const statements = yield* Effect.forEach(books, (own, at) => stateOne(connection, state, at, own))
  const tokens = yield* MetadataReader.read(connection, tokensOf(books.map((own) => own.books)), state.closing.number)
  return { statements, tokens }
})
