/**
 * Writes a chain's file, each write in one transaction.
 */
import * as Effect from "effect/Effect"
import type { BlockRef, BlockRows } from "../../block/BlockRows.ts"
import type { Projection } from "../../block/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import type { ChainWriter } from "../ChainWriter.ts"
import type { FencingToken } from "../Leases.ts"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import * as WritePlan from "../rows/WritePlan.ts"
import { type CheckpointConflict, type LeaseLost, StoreError } from "../StoreError.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Facts from "./Facts.ts"
import * as Gaps from "./Gaps.ts"
import * as Journal from "./Journal.ts"
import * as KeyRanges from "./KeyRanges.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as RemovableRows from "./RemovableRows.ts"
import * as Rows from "./Rows.ts"
import * as SqliteCode from "./SqliteCode.ts"
import * as Statements from "./Statements.ts"

/** Number of removed blocks that are remembered, highest first. */
const defaultRememberedBlocks = 100_000

/** Which blocks are stored, and what is derived from them. */
interface Settings {
  readonly projections: ReadonlyArray<Projection>
  /** Wallets for which the blocks are made; `null` for all. */
  readonly watch: ReadonlySet<string> | null
  readonly rangeEntries: number
}

const readColumns = ({ connection, ref }: ChainFile) =>
  connection.attempt(() => Checkpoints.readUnsafe(connection, ref.id))

const findBlock = ({ connection, ref }: ChainFile, number: number | null | undefined) =>
  connection.attempt(() => (number == null ? null : Blocks.findUnsafe(connection, ref.id, number)))

const appendTo = Effect.fnUntraced(function* (
  file: ChainFile,
  expected: BlockRef | null,
  blocks: ReadonlyArray<BlockRows>,
  { projections, rangeEntries, watch }: Settings,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { connection } = file
  const plan = yield* Effect.fromResult(WritePlan.append(yield* readColumns(file), expected, blocks, watch))
  if (plan === null) return
  const ranges = yield* connection.attempt(() =>
    KeyRanges.beginUnsafe(connection, { from: plan.change.lowest }, rangeEntries),
  )
  for (const block of blocks) yield* connection.attempt(() => Rows.insertUnsafe(file, block))
  yield* connection.attempt(() => Projections.appendUnsafe(file, projections, plan.from, blocks))
  yield* connection.attempt(() => KeyRanges.mergeUnsafe(connection, ranges, rangeEntries))
  yield* connection.attempt(() => Journal.advanceUnsafe(file, plan))
})

const prependTo = Effect.fnUntraced(function* (
  file: ChainFile,
  expected: BlockRef,
  blocks: ReadonlyArray<BlockRows>,
  { projections, rangeEntries, watch }: Settings,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { connection } = file
  const columns = yield* readColumns(file)
  const first = yield* findBlock(file, columns.first)
  const plan = yield* Effect.fromResult(WritePlan.prepend(columns, first, expected, blocks, watch))
  if (plan === null) return
  const ranges = yield* connection.attempt(() =>
    KeyRanges.beginUnsafe(connection, { below: expected.number }, rangeEntries),
  )
  for (const block of blocks) yield* connection.attempt(() => Rows.insertUnsafe(file, block))
  yield* connection.attempt(() => {
    Projections.prependUnsafe(file, projections, blocks)
    KeyRanges.mergeUnsafe(connection, ranges, rangeEntries)
    Journal.advanceUnsafe(file, plan)
  })
})

const unwindTo = Effect.fnUntraced(function* (
  file: ChainFile,
  expected: BlockRef,
  to: BlockRef | null,
  rememberedBlocks: number,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { connection, ref } = file
  const columns = yield* readColumns(file)
  const target = yield* findBlock(file, to?.number)
  const plan = yield* Effect.fromResult(WritePlan.unwind(columns, expected, to, target))
  if (plan === null) return
  yield* connection.attempt(() => KeyRanges.claimUnsafe(connection))
  for (const [from, last] of plan.steps) {
    yield* connection.attempt(() => Rows.removeHistoriesUnsafe(connection, from, last))
    yield* connection.attempt(() => Ledgers.removeUnsafe(connection, from, last))
  }
  const { highest, lowest } = plan.change
  yield* connection.attempt(() => {
    Journal.rememberUnsafe(file, columns, lowest, rememberedBlocks)
    Projections.unwindUnsafe(file, lowest, plan.isEmpty)
    Proofs.unwindUnsafe(connection, lowest, plan.isEmpty)
    Rows.deleteTransactionsUnsafe(connection, lowest, highest)
    connection.rowsUnsafe(Statements.deleteBlocks, [ref.id, lowest])
    Gaps.deleteUnsafe(connection, lowest, highest)
    Facts.deleteUnsafe(connection, lowest, highest)
    KeyRanges.unwindUnsafe(connection, lowest, plan.isEmpty)
    Journal.advanceUnsafe(file, plan)
  })
})

const finalizeUnsafe = (file: ChainFile, number: number): void => {
  const { connection, ref } = file
  const columns = Checkpoints.readUnsafe(connection, ref.id)
  const plan = WritePlan.finalize(columns, number, Blocks.findUnsafe(connection, ref.id, number))
  if (plan !== null) Journal.advanceUnsafe(file, plan)
}

/** How to make a writer. */
export interface Options {
  /** Projections that are kept at the head; they are registered in the file. */
  readonly projections: ReadonlyArray<Projection>
  /** Wallets for which the writer was opened; `null` for all, absent for those of the index. */
  readonly wanted?: ReadonlySet<string> | null | undefined
  /** Stored text of the wallets at that time. Default: that of an index of all. */
  readonly watchText?: string | null
  /** Number of removed blocks that are remembered. Default: 100,000. */
  readonly rememberedBlocks?: number
  /** Number of entries and rows after which a range of blocks ends. Default: 65,536. */
  readonly rangeEntries?: number | undefined
}

/** Runs work in a transaction of the lease's holder. */
const fenced = <A, E>(
  file: ChainFile,
  token: FencingToken,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E | StoreError | LeaseLost> => file.transaction(Effect.andThen(file.checkToken(token), work))

/** Adds blocks; if rows of blocks outside the index conflict with them, removes those rows and retries. */
const withoutOutside = <A, E>(file: ChainFile, token: FencingToken, work: Effect.Effect<A, E | StoreError>) => {
  const remove = file.connection.attempt(() => RemovableRows.removeOutsideUnsafe(file))
  return Effect.catchIf(
    fenced(file, token, work),
    (error): error is StoreError =>
      error instanceof StoreError && SqliteCode.codeOf(error.cause) === SqliteCode.constraint,
    () =>
      Effect.andThen(
        Effect.logWarning("Removing rows of blocks outside of the index, which only damage leaves"),
        fenced(file, token, Effect.andThen(remove, work)),
      ),
  )
}

/** The writer of a chain's file. */
export const make = (file: ChainFile, options: Options): ChainWriter => {
  const { projections, rangeEntries = KeyRanges.defaultEntries, wanted, watchText = null } = options
  const { rememberedBlocks = defaultRememberedBlocks } = options
  const watch = WatchedWallets.listOf(watchText, wanted)
  const { connection, ref } = file
  const ledger = projections.find((one) => one.kind === "ledger") ?? WalletLedger.make(ref.id, ref.feeRules)
  return {
    watch,
    isWatchChanged: Effect.map(
      readColumns(file),
      (columns) => !WatchedWallets.isSame(WatchedWallets.listOf(columns.watch, wanted), watch),
    ),
    append: Effect.fn("ChainWriter.append")((expected, blocks, token) =>
      withoutOutside(file, token, appendTo(file, expected, blocks, { projections, rangeEntries, watch })),
    ),
    prepend: Effect.fn("ChainWriter.prepend")((expected, blocks, token) =>
      withoutOutside(file, token, prependTo(file, expected, blocks, { projections, rangeEntries, watch })),
    ),
    unwind: Effect.fn("ChainWriter.unwind")((expected, to, token) =>
      fenced(file, token, unwindTo(file, expected, to, rememberedBlocks)),
    ),
    finalize: Effect.fn("ChainWriter.finalize")((number, token) =>
      fenced(
        file,
        token,
        connection.attempt(() => finalizeUnsafe(file, number)),
      ),
    ),
    fill: Effect.fn("ChainWriter.fill")((projection, maxTransactions, token) =>
      fenced(
        file,
        token,
        connection.attempt(() => Projections.fillUnsafe(file, projection, maxTransactions)),
      ),
    ),
    replace: Effect.fn("ChainWriter.replace")((rows, token) =>
      fenced(
        file,
        token,
        connection.attempt(() => BlockReplacement.replaceUnsafe(file, ledger, rows)),
      ),
    ),
  }
}
