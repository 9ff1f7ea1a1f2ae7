/**
 * Compares the indexed ledger of a wallet with the state of the chain at one block: the transactions that it sent with its transaction
 * count, and for each asset the opening balance and movements with what the chain has. Each difference is located to its first block.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import * as AccountCalls from "../discovery/AccountCalls.ts"
import * as Bisection from "../ledger/Bisection.ts"
import * as Calls from "../node/Calls.ts"
import { ChainReorganized, type StateUnavailable } from "../node/DiscoveryError.ts"
import type * as Books from "../ledger/Books.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { FirstBlock, OpeningBalance, ProofWriter, WalletProof } from "../store/Proofs.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Holding from "../ledger/Holding.ts"
import * as LedgerBooks from "./LedgerBooks.ts"
import * as OpeningReader from "./OpeningReader.ts"
import * as Proof from "./Proof.ts"

/** The nodes of a chain, and its index. */
export interface Source extends Calls.Budgeted {
  readonly reader: ChainReader
  readonly proofs: ProofWriter
}

/** The blocks that are compared. */
export interface Scope {
  readonly first: FirstBlock
  readonly closing: BlockRef
}

/** A wallet that was compared. */
export interface Reconciled {
  readonly proof: WalletProof
  /** Rows of the ledger of which movements may be missing. */
  readonly incomplete: number
}

/** Why a wallet could not be compared. */
export type ReconciliationError = Calls.CallsError | ChainReorganized | StoreError

/** Holdings that are compared, at most: a wallet may be sent any number of tokens. */
const maxHoldings = 20_000

type Amounts = ReadonlyMap<string, bigint>

/** What is compared. */
interface Comparison {
  readonly source: Source
  readonly scope: Scope
  /** Movements since the start. */
  readonly books: Books.Books
  /** The comparison that this one continues; `null` for one from the first block on. */
  readonly before: WalletProof | null
  /** Amounts at the start, by holding, as far as they are known. */
  readonly amounts: Amounts
  /** Changes of a holding. */
  readonly changes: (holding: Holding.Holding) => Bisection.KnownChange
}

const noState = ({ block, host, reason }: StateUnavailable): string =>
  `${host} has no state of block ${block} ("${reason}"). Use an archive node.`

const keyed = (list: ReadonlyArray<OpeningBalance>): Amounts =>
  new Map(list.map(({ amount, holding }) => [Holding.keyOf(holding), amount]))

const isNonce = ({ holding }: { readonly holding: Holding.Holding }): boolean => holding.standard === "nonce"

/**
 * Amounts at the start: those of an earlier comparison, or before the first block, as far as they are stored or the node has them. Those
 * that are read are stored.
 */
const amountsOf = Effect.fnUntraced(function* (
  source: Source,
  { first }: Scope,
  books: Books.Books,
  before: WalletProof | null,
) {
  const { wallet } = books
  const openings = yield* source.reader.snapshot((snapshot) => snapshot.openings(wallet))
  const compared = (before?.holdings ?? []).map(({ expected: amount, holding }) => ({ holding, amount }))
  const stored = [...openings, ...compared]
  const wanted = OpeningReader.missingOf(books, stored).slice(0, maxHoldings)
  const read = yield* Effect.result(OpeningReader.read(source, first.number, wanted))
  if (read._tag === "Failure") {
    if (read.failure._tag !== "StateUnavailable") return yield* read.failure
    const what = wanted.every(isNonce) ? "How many transactions the wallet sent" : "What the wallet held"
    const unchecked = [`${what} before block ${first.number} is not known: ${noState(read.failure)}`]
    return { amounts: keyed(stored), unchecked }
  }
  const balances = wanted.map(({ holding }, at) => ({ holding, amount: read.success[at]! }))
  const kept = balances.filter((one) => !isNonce(one))
  if (kept.length > 0) yield* source.proofs.writeOpenings(first, [{ wallet, balances: kept }])
  return { amounts: keyed([...stored, ...balances]), unchecked: [] }
})

const changesOf = ({ accounts }: Books.Books): Comparison["changes"] => {
  const made = new Map<string, Bisection.KnownChange>()
  return (holding) => {
    const key = Holding.keyOf(holding)
    const found = made.get(key) ?? Bisection.fromChanges(accounts.get(key)?.changes ?? [])
    made.set(key, found)
    return found
  }
}

/** Block at whose end the amounts of a comparison are. The movements of block 0 come after it. */
const startOf = ({ before, scope }: Comparison): number => before?.block.number ?? scope.first.number - 1

/** Sums of the ledger at a block. */
const expectedAt = (comparison: Comparison, holding: Holding.Holding, block: number): bigint =>
  (comparison.amounts.get(Holding.keyOf(holding)) ?? 0n) + comparison.changes(holding)(startOf(comparison), block)

/** Sums at the closing block, of every holding whose amount at the start is known. */
const claimsOf = (comparison: Comparison): ReadonlyArray<Proof.Claim> => {
  const { amounts, before, books, scope } = comparison
  const holdings = new Map([...books.accounts].map(([key, { holding }]) => [key, holding]))
  for (const { holding } of before?.holdings ?? []) holdings.set(Holding.keyOf(holding), holding)
  return [...holdings]
    .filter(([key]) => amounts.has(key))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, holding]) => ({ holding, expected: expectedAt(comparison, holding, scope.closing.number) }))
}

/** Whether a transaction count states sent transactions alone: that of a contract counts creations, and others count authorizations. */
const isAboutSent = Effect.fnUntraced(function* ({ books, scope, source }: Comparison, difference: Proof.Difference) {
  if (books.delegations > 0 && (difference.found ?? 0n) > difference.expected) return false
  const { number } = scope.closing
  const [account] = yield* AccountCalls.accounts(source, [{ address: books.wallet, block: number }], number)
  return account?.code !== "contract"
})

/** Locates differences from the start on; those that were known keep their block. */
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
  readonly claims: ReadonlyArray<Proof.Claim & { readonly found: bigint | null }>
  readonly differences: ReadonlyArray<Proof.Difference>
  readonly unchecked: ReadonlyArray<string>
}

/** Compares with the state of the closing block. Where the node has none, nothing is compared. */
const compare = Effect.fnUntraced(function* (comparison: Comparison): Effect.fn.Return<Compared, Calls.CallsError> {
  const { books, scope, source } = comparison
  const { number } = scope.closing
  const every = claimsOf(comparison)
  const all = every.slice(0, maxHoldings)
  const tooMany = every.length > all.length ? [`Of ${every.length} assets, ${maxHoldings} are compared.`] : []
  const reads = all.map(({ holding }) => ({ holding, block: number }))
  const read = yield* Effect.result(Proof.holdingsAt(source, books.wallet, reads, number))
  if (read._tag === "Failure") {
    if (read.failure._tag !== "StateUnavailable") return yield* read.failure
    return { claims: [], differences: [], unchecked: [`Nothing is compared: ${noState(read.failure)}`] }
  }
  const found = read.success
  const differences = Proof.compare(all, found)
  const wrongNonce = differences.find(isNonce)
  const dropsNonce =
    wrongNonce !== undefined && !(yield* Effect.orElseSucceed(isAboutSent(comparison, wrongNonce), () => true))
  const isKept = (one: { readonly holding: Holding.Holding }) => !(dropsNonce && isNonce(one))
  const claims = all.map((claim, at) => ({ ...claim, found: found[at] ?? null })).filter(isKept)
  const kept = differences.filter(isKept)
  const located = yield* Effect.result(locate(comparison, kept))
  if (located._tag === "Success") return { claims, differences: located.success, unchecked: tooMany }
  if (located.failure._tag !== "StateUnavailable") return yield* located.failure
  const unchecked = `The first blocks of differences are not known: ${noState(located.failure)}`
  return { claims, differences: kept, unchecked: [...tooMany, unchecked] }
})

/** The last block that is proved after a comparison: an earlier one remains where every difference begins after it. */
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

/** Fails where the node has another block in place of the closing one. */
const verifyClosing = Effect.fnUntraced(function* (source: Source, { hash, number }: BlockRef) {
  const header = yield* Calls.withRetries(source, source.node.header(number))
  if (header?.hash === hash) return
  return yield* new ChainReorganized({ block: number, expected: hash, received: header?.hash ?? "no block" })
})

/** The comparison that another one can continue: one of an earlier block in which every asset was compared. */
const continued = (earlier: WalletProof | null, { closing }: Scope): WalletProof | null =>
  earlier !== null && earlier.unchecked.length === 0 && earlier.block.number < closing.number ? earlier : null

/**
 * Compares the ledger of a wallet with the chain, and stores the result. `isContinued` adds the movements since the last comparison to its
 * sums, where those since the first block are added up otherwise.
 *
 * **Errors**
 * - `ChainReorganized`: the node has another block in place of the closing one.
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 * - `StoreError`: the store cannot be read or written.
 */
export const run = Effect.fn("Reconciliation.run")(function* (
  source: Source,
  scope: Scope,
  wallet: string,
  { isContinued = false }: { readonly isContinued?: boolean } = {},
): Effect.fn.Return<Reconciled, ReconciliationError> {
  const { closing, first } = scope
  yield* verifyClosing(source, closing)
  const earlier = yield* source.reader.snapshot((snapshot) => snapshot.proof(wallet))
  const before = isContinued ? continued(earlier, scope) : null
  const from = before === null ? first.number : before.block.number + 1
  const books = yield* LedgerBooks.read(source.reader, wallet, from, closing.number)
  // The transaction count of a contract was left out, and remains so.
  if (before?.holdings.some(isNonce) === false) books.accounts.delete(Holding.keyOf(Holding.nonce))
  const start = yield* amountsOf(source, scope, books, before)
  const comparison: Comparison = { source, scope, books, before, amounts: start.amounts, changes: changesOf(books) }
  const { claims, differences, unchecked } = yield* compare(comparison)
  yield* verifyClosing(source, closing)
  const firstBlocks = new Map(differences.map(({ firstBlock, holding }) => [Holding.keyOf(holding), firstBlock]))
  const all = [...start.unchecked, ...unchecked]
  const proof: WalletProof = {
    wallet,
    first: first.number,
    block: closing,
    unchecked: all,
    provedBlock: provedBlockOf(
      scope,
      {
        differences,
        unchecked: all,
      },
      earlier,
    ),
    holdings: claims.map((claim) => ({
      ...claim,
      block: closing.number,
      firstBlock: firstBlocks.get(Holding.keyOf(claim.holding)) ?? null,
    })),
  }
  yield* source.proofs.writeProof(proof)
  return { proof, incomplete: books.incomplete }
})
