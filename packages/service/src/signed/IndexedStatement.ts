/**
 * Builds the statement of a wallet between two final blocks from an index, to be signed. It states no amounts that the index does not know.
 *
 * Source: decision 0050.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint } from "../block/BlockRows.ts"
import * as Books from "../ledger/Books.ts"
import * as Holding from "../ledger/Holding.ts"
import * as Movement from "../ledger/Movement.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import * as LedgerBooks from "../proof/LedgerBooks.ts"
import * as Proof from "../proof/Proof.ts"
import * as CompleteRange from "../query/CompleteRange.ts"
import * as Coverage from "../query/Coverage.ts"
import type { IndexedChain } from "../query/IndexedChain.ts"
import { type NotDerived, NotIndexed, type NotSearched, type NotWatched } from "../query/QueryError.ts"
import * as Range from "../query/Range.ts"
import type { LedgerEntry, Snapshot } from "../store/ChainReader.ts"
import { isProved, type OpeningBalance, type WalletProof } from "../store/Proofs.ts"
import { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as RowsDigest from "./RowsDigest.ts"
import * as StatementFile from "./StatementFile.ts"
import * as WalletOpenings from "../store/WalletOpenings.ts"

/** Which statement to build. */
export interface Query {
  readonly chain: IndexedChain
  /** Address in lower case. */
  readonly wallet: string
  /** An open end is the block of the last comparison with the chain, or the last final block if that comparison is before the range. */
  readonly range: Range.Range
}

/** Nothing can be signed: the last block is not final. */
export class NotFinal extends Data.TaggedError("NotFinal")<{
  readonly block: number
  readonly finalized: number | null
}> {}

/** Nothing can be signed: the wallet's balance of an asset before the first indexed block is unknown. */
export class OpeningUnknown extends Data.TaggedError("OpeningUnknown")<{ readonly asset: string }> {}

/** Why a statement cannot be built. */
export type StatementError =
  | NotFinal
  | NotIndexed
  | NotWatched
  | NotSearched
  | NotDerived
  | OpeningUnknown
  | StoreError
  | StatementFile.StatementTooLong

/** Statement of a wallet, without what all statements of a service share. */
export interface Stated extends Omit<StatementFile.Subject, "madeAt" | "madeBy"> {
  readonly part: StatementFile.WalletPart
  readonly coverage: Coverage.Coverage
}

/** Maximum number of movements read for one statement, where a row without movements counts as one: a few seconds of CPU time. */
const maxMovements = 500_000

const ledger = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

const sentences = [
  "Movements are those in the index: where parts of transactions are unknown, movements that its nodes did not trace are missing.",
  "Tokens that change balances without events are compared only if the statement is proved.",
] as const

/** A query resolved against one state of the index. */
interface Resolved {
  readonly checkpoint: Checkpoint
  readonly coverage: Coverage.Coverage
  readonly from: number
  readonly opening: BlockRef
  readonly closing: BlockRef
  readonly openings: ReadonlyArray<OpeningBalance>
  readonly proof: WalletProof | null
}

const unreadable = () =>
  new StoreError({ message: "The index changes while it is read.", isRetryable: true, cause: undefined })

const blockOf = Effect.fnUntraced(function* (snapshot: Snapshot, number: number) {
  const block = yield* snapshot.block(number)
  return block === null ? yield* unreadable() : block
})

/** The block of the opening balances: the one before the range, or block 0. */
const openingOf = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { first }: Checkpoint,
  from: number,
): Effect.fn.Return<BlockRef, StoreError> {
  if (from > first || from === 0) {
    const { hash, number } = yield* blockOf(snapshot, Math.max(0, from - 1))
    return { hash, number }
  }
  const { parentHash } = yield* blockOf(snapshot, first)
  return { hash: parentHash, number: first - 1 }
})

const resolve = Effect.fnUntraced(function* (
  { chain, range, wallet }: Query,
  snapshot: Snapshot,
): Effect.fn.Return<Resolved, StatementError> {
  const checkpoint = yield* snapshot.checkpoint
  yield* Coverage.checkWallet(chain, checkpoint, wallet)
  if (checkpoint === null) return yield* unreadable()
  yield* Coverage.checkSearched(chain, checkpoint, wallet)
  yield* Coverage.checkDerived(ledger, snapshot, chain.name, checkpoint)
  const { finalized } = checkpoint
  const proof = yield* snapshot.proof(wallet)
  const from = yield* Range.firstBlock(snapshot, range.from, checkpoint)
  const asked = yield* Range.lastBlock(snapshot, range.to, checkpoint)
  const isWithin = proof !== null && proof.block.number <= (finalized ?? -1) && proof.block.number >= (from ?? 0)
  const to = range.to._tag === "Open" ? (isWithin ? proof.block.number : (finalized ?? asked)) : asked
  if (from === null || to === null || from > to) return yield* new NotIndexed({ range, checkpoint })
  if (finalized === null || to > finalized) return yield* new NotFinal({ block: to, finalized })
  const { hash, number } = yield* blockOf(snapshot, to)
  const opening = yield* openingOf(snapshot, checkpoint, from)
  const openings = yield* WalletOpenings.all((after) => snapshot.openings(wallet, after))
  const coverage = yield* Coverage.ofWallet(snapshot, checkpoint, yield* snapshot.gapCounts, wallet)
  return { checkpoint, coverage, from, opening, closing: { hash, number }, openings, proof }
})

/** Reads the books of a range up to the maximum number of movements; `onRow` receives each row. */
const readBooks = (
  { chain, wallet }: Query,
  from: number,
  to: number,
  counter: { movements: number },
  onRow: (row: LedgerEntry) => void,
): Effect.Effect<Books.Books, StoreError | StatementFile.StatementTooLong> => {
  if (from > to) return Effect.succeed(Books.make(wallet))
  const admit = (row: LedgerEntry) => {
    counter.movements += Math.max(1, row.movements.length)
    if (counter.movements > maxMovements)
      return Effect.fail(new StatementFile.StatementTooLong({ what: "movements", max: maxMovements }))
    onRow(row)
    return Effect.void
  }
  return LedgerBooks.read(chain.reader, wallet, from, to, admit)
}

const isStated = ({ standard }: Holding.Holding): boolean => standard !== "nonce"

const isHeld = ({ amount, holding }: StatementFile.Balance): boolean => amount !== 0n || holding.standard === "native"

const totalsOf = ({ accounts }: Books.Books): ReadonlyArray<StatementFile.Total> =>
  [...accounts.values()]
    .filter(({ holding }) => isStated(holding))
    .flatMap(({ holding, sums }) => [...sums].map(([kind, sum]) => ({ holding, kind, ...sum })))

/** What the last comparison found at the closing block; nothing if it was at another block. */
const comparedOf = (
  proof: WalletProof | null,
  { number }: BlockRef,
  sent: number,
): Pick<StatementFile.WalletPart, "byStateRoot" | "counts" | "differences" | "isProved" | "notCovered"> => {
  if (proof === null || proof.block.number !== number) {
    const notCovered = ["The index has not compared the balances of this closing block with the state of the chain."]
    return { byStateRoot: [], counts: null, differences: [], isProved: false, notCovered }
  }
  const byStateRoot = (["native", "nonce"] as const).filter((standard) =>
    proof.holdings.some(({ holding, isByStateRoot }) => isByStateRoot === true && holding.standard === standard),
  )
  const nonce = proof.holdings.find(({ holding }) => holding.standard === "nonce")
  const closing = nonce === undefined ? null : Number(nonce.found ?? nonce.expected)
  return {
    byStateRoot,
    counts: closing === null ? null : { opening: closing - sent, closing },
    differences: proof.holdings.filter(({ expected, found }) => !Proof.isEqual(expected, found)),
    isProved: isProved(proof),
    notCovered: proof.unchecked,
  }
}

/** What the statement lacks because an earlier version stored the blocks, or because the chain does not report changes. */
const lackingBlocksOf = ({ chain, wallet }: Query, { checkpoint, closing }: Resolved) => {
  const stated = { ...checkpoint, head: { ...checkpoint.head, number: closing.number } }
  return CompleteRange.directOnlyTo(chain, stated, WatchList.searchedTo(checkpoint, wallet)).pipe(
    Effect.map((to) => [
      ...CompleteRange.directOnlySentences(to),
      ...CompleteRange.unstatedSentences(CompleteRange.unstatedTo(chain, stated)),
    ]),
  )
}

/**
 * Builds the statement of a wallet from an index.
 *
 * **Errors**
 * - `NotIndexed`, `NotWatched`, `NotSearched`, `NotDerived`: the index does not have the range.
 * - `NotFinal`: the last block may still be replaced by a reorg.
 * - `OpeningUnknown`: the wallet's balances before the first block are unknown.
 * - `StatementTooLong`: the wallet has more movements or assets than one statement may have.
 * - `StoreError`: the database cannot be read, or its last block was replaced meanwhile.
 */
export const read = Effect.fn("IndexedStatement.read")(function* (
  query: Query,
): Effect.fn.Return<Stated, StatementError> {
  const { chain, wallet } = query
  const resolved = yield* chain.reader.snapshot((snapshot) => resolve(query, snapshot))
  const { checkpoint, closing, coverage, from, opening, openings, proof } = resolved
  const counter = { movements: 0 }
  const digest = RowsDigest.make()
  const before = yield* readBooks(query, checkpoint.first, opening.number, counter, () => {})
  const books = yield* readBooks(query, opening.number + 1, closing.number, counter, ({ block, index, movements }) =>
    digest.add(block, index === Movement.blockLevelIndex ? null : index, movements),
  )
  const end = yield* chain.reader.snapshot((snapshot) => snapshot.block(closing.number))
  if (end?.hash !== closing.hash) return yield* unreadable()
  const known = new Map(openings.map((one) => [Holding.keyOf(one.holding), one]))
  const holdings = new Map(
    [...openings, ...before.accounts.values(), ...books.accounts.values()]
      .filter(({ holding }) => isStated(holding))
      .map(({ holding }) => [Holding.keyOf(holding), holding]),
  )
  yield* Effect.fromResult(StatementFile.checkAssets(holdings.size))
  const unknown = [...holdings].find(([key]) => !known.has(key))
  if (unknown !== undefined) return yield* new OpeningUnknown({ asset: unknown[1].asset })
  const balances = [...holdings].map(([key, holding]) => {
    const amount = (known.get(key)?.amount ?? 0n) + (before.accounts.get(key)?.change ?? 0n)
    return { holding, opening: amount, closing: amount + (books.accounts.get(key)?.change ?? 0n) }
  })
  const { notCovered, ...compared } = comparedOf(proof, closing, books.sent)
  const incomplete = before.incomplete + books.incomplete
  const lacking = [
    ...(incomplete === 0
      ? []
      : [`Parts of ${incomplete} transactions or blocks are unknown: traces, receipts or fees.`]),
    ...(coverage.missing === 0
      ? []
      : [`The index may lack transactions in which the wallet has a role: ${coverage.missing}.`]),
  ]
  return {
    source: "index",
    chainId: chain.id,
    fromBlock: from,
    opening,
    closing,
    coverage,
    part: {
      address: wallet,
      opening: balances.map(({ holding, opening: amount }) => ({ holding, amount })).filter(isHeld),
      totals: totalsOf(books),
      closing: balances.map(({ closing: amount, holding }) => ({ holding, amount })).filter(isHeld),
      ...compared,
      notCovered: [...sentences, ...notCovered, ...lacking, ...(yield* lackingBlocksOf(query, resolved))],
      rows: digest.result(),
    },
  }
})
