/**
 * Compares the indexed ledger of a wallet with the state of the chain at one block. The sent transactions are compared with its transaction
 * count and, for each asset, opening balance plus movements with the balance on the chain. Each difference is located to its first block.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import * as AccountCalls from "../discovery/AccountCalls.ts"
import * as Bisection from "../ledger/Bisection.ts"
import * as Calls from "../node/Calls.ts"
import { type CallBudgetExceeded, ChainReorganized, type StateUnavailable } from "../node/CallsError.ts"
import * as Books from "../ledger/Books.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { ComparedHolding, FirstBlock, OpeningBalance, ProofWriter, WalletProof } from "../store/Proofs.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Holding from "../ledger/Holding.ts"
import * as ComparedHoldings from "./ComparedHoldings.ts"
import * as LedgerBooks from "./LedgerBooks.ts"
import * as OpeningReader from "./OpeningReader.ts"
import * as Proof from "./Proof.ts"
import * as StateRoot from "./StateRoot.ts"
import * as WalletOpenings from "../store/WalletOpenings.ts"

/** The nodes of a chain, and its index. */
export interface Source extends Calls.Budgeted {
  /** Maximum number of calls for one wallet, not counting retries. */
  readonly maxCalls: number
  readonly reader: ChainReader
  readonly proofs: ProofWriter
}

/** The compared blocks. */
export interface Scope {
  readonly first: FirstBlock
  readonly closing: BlockRef
}

/** A compared wallet. */
export interface Reconciled {
  readonly proof: WalletProof
  /** Number of ledger rows that may lack movements. */
  readonly incomplete: number
  /** Ignored tokens. A proof that ignores any is not stored. */
  readonly ignored: ReadonlyArray<string>
}

/** How to compare. */
export interface Options {
  /** Whether to add the movements since the last comparison to its sums, instead of those since the first block. */
  readonly isContinued?: boolean
  /** Addresses of ignored tokens, lower case. */
  readonly ignored?: ReadonlySet<string>
}

/** Why a wallet could not be compared. */
export type ReconciliationError = Calls.CallsError | ChainReorganized | StoreError

type Amounts = ReadonlyMap<string, bigint>

/** Input of a comparison. */
interface Comparison {
  /** With the budget of this comparison. */
  readonly source: Source
  readonly scope: Scope
  /** Movements since the start. */
  readonly books: Books.Books
  /** The previous comparison that this one continues; `null` if it starts with the first block. */
  readonly before: WalletProof | null
  /** Known amounts at the start, by holding. */
  readonly amounts: Amounts
  /** Changes of a holding. */
  readonly changes: (holding: Holding.Holding) => Bisection.KnownChange
}

/** Failures of reads that leave the rest of a comparison intact. */
type Unread = StateUnavailable | CallBudgetExceeded

const isUnread = (error: Proof.ProofError): error is Unread =>
  error._tag === "StateUnavailable" || error._tag === "CallBudgetExceeded"

const reasonOf = (error: Unread): string =>
  error._tag === "StateUnavailable"
    ? `${error.host} has no state of block ${error.block} ("${error.reason}"). Use an archive node.`
    : `it takes more than ${error.maxCalls} calls. Raise --max-calls, or leave out tokens with --ignore.`

const keyed = (list: ReadonlyArray<OpeningBalance>): Amounts =>
  new Map(list.map(({ amount, holding }) => [Holding.keyOf(holding), amount]))

const isNonce = ({ holding }: { readonly holding: Holding.Holding }): boolean => holding.standard === "nonce"

/** All holdings of a wallet: those that moved, those of an earlier comparison, and the ids that it owns. */
const holdingsOf = (
  books: Books.Books,
  before: WalletProof | null,
  ignored: ReadonlySet<string>,
): ReadonlyArray<Holding.Holding> => {
  const compared = before?.holdings ?? []
  const owned = new Map(compared.map(({ expected, holding }) => [Holding.keyOf(holding), expected]))
  const isOwned = (id: Books.Account, key: string) =>
    (owned.get(key) ?? Books.ownedBefore(books, id.holding)) + id.change > 0n
  const all = new Map([...books.accounts].map(([key, { holding }]) => [key, holding]))
  for (const { holding } of compared) all.set(Holding.keyOf(holding), holding)
  for (const [key, id] of books.ids) {
    if (isOwned(id, key)) all.set(key, id.holding)
    else all.delete(key)
  }
  return [...all.values()].filter(({ asset }) => !ignored.has(asset))
}

/**
 * Amounts at the start: those of an earlier comparison, or opening balances before the first block, as far as they are stored or available
 * at the node. Amounts that are read are stored, except for ids of ERC-721 contracts, which follow from their first movement.
 */
const amountsOf = Effect.fnUntraced(function* (
  source: Source,
  { first }: Scope,
  books: Books.Books,
  before: WalletProof | null,
  holdings: ReadonlyArray<Holding.Holding>,
) {
  const { wallet } = books
  const openings = yield* source.reader.snapshot((snapshot) =>
    WalletOpenings.all((after) => snapshot.openings(wallet, after)),
  )
  const compared = (before?.holdings ?? []).map(({ expected: amount, holding }) => ({ holding, amount }))
  const ids = holdings.filter(Holding.isOwnedId).map((id) => ({ holding: id, amount: Books.ownedBefore(books, id) }))
  const known = keyed([...ids, ...openings, ...compared])
  const missing = holdings.filter((holding) => !known.has(Holding.keyOf(holding)))
  const wanted = OpeningReader.wantedOf(wallet, missing, books)
  const read = yield* Effect.result(OpeningReader.read(source, first.number, wanted))
  if (read._tag === "Failure") {
    if (!isUnread(read.failure)) return yield* read.failure
    const what = wanted.every(isNonce) ? "How many transactions the wallet sent" : "What the wallet held"
    const unchecked = [`${what} before block ${first.number} is not known: ${reasonOf(read.failure)}`]
    return { amounts: known, unchecked }
  }
  const balances = wanted.map(({ holding }, at) => ({ holding, amount: read.success[at]! }))
  const kept = balances.filter((one) => !isNonce(one))
  if (kept.length > 0) yield* source.proofs.writeOpenings(first, [{ wallet, balances: kept }])
  return { amounts: new Map([...known, ...keyed(balances)]), unchecked: [] }
})

const changesOf = (books: Books.Books): Comparison["changes"] => {
  const made = new Map<string, Bisection.KnownChange>()
  return (holding) => {
    const key = Holding.keyOf(holding)
    const found = made.get(key) ?? Bisection.fromChanges(Books.changesOf(books, holding))
    made.set(key, found)
    return found
  }
}

/** Block at whose end the starting amounts are. The movements of block 0 come after it. */
const startOf = ({ before, scope }: Comparison): number => before?.block.number ?? scope.first.number - 1

/** Sums of the ledger at a block. */
const expectedAt = (comparison: Comparison, holding: Holding.Holding, block: number): bigint =>
  (comparison.amounts.get(Holding.keyOf(holding)) ?? 0n) + comparison.changes(holding)(startOf(comparison), block)

/** Whether a transaction count only counts sent transactions: that of a contract counts creations, and others count authorizations. */
const isAboutSent = Effect.fnUntraced(function* ({ books, scope, source }: Comparison, difference: Proof.Difference) {
  if (books.delegations > 0 && (difference.found ?? 0n) > difference.expected) return false
  const { number } = scope.closing
  const [account] = yield* AccountCalls.accounts(source, [{ address: books.wallet, block: number }], number)
  return account?.code !== "contract"
})

/** Locates differences from the start on; known ones keep their block. */
const locate = Effect.fnUntraced(function* (comparison: Comparison, differences: ReadonlyArray<Proof.Difference>) {
  const { before, books, scope, source } = comparison
  const compared = new Map(before?.holdings.map((one) => [Holding.keyOf(one.holding), one]))
  const found: Array<Proof.Difference> = []
  const groups = new Map<number, Array<Proof.Difference>>()
  for (const difference of differences) {
    const earlier = compared.get(Holding.keyOf(difference.holding))
    if (earlier !== undefined && !Proof.isEqual(earlier.expected, earlier.found)) {
      found.push({ ...difference, firstBlock: earlier.firstBlock })
      continue
    }
    const opening = earlier === undefined ? OpeningReader.blockOf(scope.first.number) : startOf(comparison)
    groups.set(opening, [...(groups.get(opening) ?? []), difference])
  }
  const sumAt = (holding: Holding.Holding, block: number) => Effect.succeed(expectedAt(comparison, holding, block))
  for (const [opening, group] of groups) {
    const range = { wallet: books.wallet, opening, closing: scope.closing.number }
    found.push(...(yield* Proof.locate(source, range, group, sumAt)))
  }
  return found
})

/** What was compared, and what could not be. */
interface Compared {
  readonly claims: ReadonlyArray<Omit<ComparedHolding, "block" | "firstBlock">>
  readonly differences: ReadonlyArray<Proof.Difference>
  readonly unchecked: ReadonlyArray<string>
}

/** Locates one id per contract that returns no balance for its ids: the others differ since their movements. */
const locateByContract = Effect.fnUntraced(function* (
  comparison: Comparison,
  differences: ReadonlyArray<Proof.Difference>,
  withoutBalances: ReadonlySet<string>,
) {
  const seen = new Set<string>()
  const asked = differences.filter(({ holding: { asset } }) => {
    const isFirst = !seen.has(asset)
    seen.add(asset)
    return isFirst || !withoutBalances.has(asset)
  })
  const isAsked = new Set(asked)
  const left = differences.filter((one) => !isAsked.has(one))
  return [...(yield* locate(comparison, asked)), ...left]
})

/** Compares with the closing block. */
const compare = Effect.fnUntraced(function* (
  comparison: Comparison,
  { holdings, withoutBalances }: ComparedHoldings.Found,
  { amounts: found, contradicted, issues, verified }: StateRoot.Corrected,
): Effect.fn.Return<Compared, Calls.CallsError> {
  const { amounts, scope } = comparison
  const isComparable = Holding.comparableAmong(holdings)
  const all = holdings.flatMap((holding, at) =>
    amounts.has(Holding.keyOf(holding)) && isComparable(holding)
      ? [
          {
            holding,
            expected: expectedAt(comparison, holding, scope.closing.number),
            found: found[at] ?? null,
            isByStateRoot: verified.has(at),
          },
        ]
      : [],
  )
  const differences = Proof.compare(
    all,
    all.map((claim) => claim.found),
  )
  const wrongNonce = differences.find(isNonce)
  const dropsNonce =
    wrongNonce !== undefined && !(yield* Effect.orElseSucceed(isAboutSent(comparison, wrongNonce), () => true))
  const isKept = (one: { readonly holding: Holding.Holding }) => !(dropsNonce && isNonce(one))
  const claims = all.filter(isKept)
  const kept = differences.filter(isKept)
  const lied = new Set([...contradicted].map((at) => Holding.keyOf(holdings[at]!)))
  // Statements of the node about older blocks cannot locate a difference about which it gave false information.
  const isLied = ({ holding }: Proof.Difference) => lied.has(Holding.keyOf(holding))
  const left = kept.filter(isLied)
  const asked = kept.filter((difference) => !isLied(difference))
  const located = yield* Effect.result(locateByContract(comparison, asked, withoutBalances))
  if (located._tag === "Success") return { claims, differences: [...located.success, ...left], unchecked: issues }
  if (!isUnread(located.failure)) return yield* located.failure
  const unchecked = [...issues, `The first blocks of the differences are not known: ${reasonOf(located.failure)}`]
  return { claims, differences: kept, unchecked }
})

/** Reads the closing block, then the required opening balances, and compares. If a node lacks the state, nothing is compared. */
const readAndCompare = Effect.fnUntraced(function* (
  source: Source,
  scope: Scope,
  books: Books.Books,
  { before, ignored }: { readonly before: WalletProof | null; readonly ignored: ReadonlySet<string> },
): Effect.fn.Return<Compared, Calls.CallsError | StoreError> {
  const selection = ComparedHoldings.select(holdingsOf(books, before, ignored), source.maxCalls)
  const read = yield* Effect.result(ComparedHoldings.read(source, books.wallet, selection, scope.closing.number))
  if (read._tag === "Failure") {
    if (!isUnread(read.failure)) return yield* read.failure
    return { claims: [], differences: [], unchecked: [`Nothing was compared: ${reasonOf(read.failure)}`] }
  }
  const found = read.success
  const reading = yield* StateRoot.read(source, books.wallet, scope.closing)
  const corrected = StateRoot.correct(reading, scope.closing, found.holdings, found.amounts)
  const start = yield* amountsOf(source, scope, books, before, found.holdings)
  const { amounts } = start
  const comparison: Comparison = { source, scope, books, before, amounts, changes: changesOf(books) }
  const { claims, differences, unchecked } = yield* compare(comparison, found, corrected)
  return { claims, differences, unchecked: [...found.unchecked, ...start.unchecked, ...unchecked] }
})

/** Last proved block after a comparison: an earlier one remains if every difference starts after it. */
const provedBlockOf = (
  { closing }: Scope,
  { differences, unchecked }: Pick<Compared, "differences" | "unchecked">,
  earlier: WalletProof | null,
): number | null => {
  if (differences.length + unchecked.length === 0) return closing.number
  const proved = earlier?.provedBlock ?? null
  if (proved === null || proved > closing.number) return null
  return differences.every(({ firstBlock }) => firstBlock !== null && firstBlock > proved) ? proved : null
}

/** Fails if the node's block differs from the closing one. */
const verifyClosing = Effect.fnUntraced(function* (source: Source, { hash, number }: BlockRef) {
  const header = yield* Calls.withRetries({ ...source, maxCalls: Number.POSITIVE_INFINITY }, source.node.header(number))
  if (header?.hash === hash) return
  return yield* new ChainReorganized({ block: number, expected: hash, received: header?.hash ?? "no block" })
})

/** The comparison that another one can continue: one of an earlier block at which every asset was compared. */
const continued = (earlier: WalletProof | null, { closing }: Scope): WalletProof | null =>
  earlier !== null && earlier.unchecked.length === 0 && earlier.block.number < closing.number ? earlier : null

/**
 * Compares the ledger of a wallet with the chain, with as many calls as the source allows, and stores the result unless tokens are ignored.
 *
 * **Errors**
 * - `ChainReorganized`: the node's block differs from the closing one.
 * - `NodeFailed`, `WrongChain`: calls fail.
 * - `StoreError`: the store cannot be read or written.
 */
export const run = Effect.fn("Reconciliation.run")(function* (
  source: Source,
  scope: Scope,
  wallet: string,
  { ignored = new Set(), isContinued = false }: Options = {},
): Effect.fn.Return<Reconciled, ReconciliationError> {
  const { closing, first } = scope
  yield* verifyClosing(source, closing)
  const earlier = yield* source.reader.snapshot((snapshot) => snapshot.proof(wallet))
  const before = isContinued ? continued(earlier, scope) : null
  const from = before === null ? first.number : before.block.number + 1
  const books = yield* LedgerBooks.read(source.reader, wallet, from, closing.number)
  // The transaction count of a contract was excluded, and remains so.
  if (before?.holdings.some(isNonce) === false) books.accounts.delete(Holding.keyOf(Holding.nonce))
  const own = Calls.limited(source, source.maxCalls)
  const compared = yield* readAndCompare(own, scope, books, { before, ignored })
  yield* verifyClosing(source, closing)
  const { claims, differences, unchecked } = compared
  const firstBlocks = new Map(differences.map(({ firstBlock, holding }) => [Holding.keyOf(holding), firstBlock]))
  const proof: WalletProof = {
    wallet,
    first: first.number,
    block: closing,
    unchecked,
    provedBlock: provedBlockOf(scope, compared, earlier),
    holdings: claims.map((claim) => ({
      ...claim,
      block: closing.number,
      firstBlock: firstBlocks.get(Holding.keyOf(claim.holding)) ?? null,
    })),
  }
  if (ignored.size === 0) yield* source.proofs.writeProof(proof)
  return { proof, incomplete: books.incomplete, ignored: [...ignored] }
})
