/**
 * Writes a chain's schema, each write in one transaction that first locks the checkpoint and compares the fencing token.
 */
import * as Effect from "effect/Effect"
import type { Projection } from "../../block/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import type { BlockRef, BlockRows } from "../../block/BlockRows.ts"
import type { ChainWriter } from "../ChainWriter.ts"
import type { FencingToken } from "../Leases.ts"
import type * as Frame from "../rows/Frame.ts"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import * as WritePlan from "../rows/WritePlan.ts"
import { type CheckpointConflict, type LeaseLost, StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import type { At, Chain } from "./Chain.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Filling from "./Filling.ts"
import * as Issue from "./Issue.ts"
import * as Journal from "./Journal.ts"
import * as Ledgers from "./Ledgers.ts"
import type { Pools } from "./Pool.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as RemovableRows from "./RemovableRows.ts"
import * as Rows from "./Rows.ts"

/** Number of removed blocks that are remembered, highest first. */
const rememberedBlocks = 100_000

/** How to make a writer. */
export interface Options {
  /** Projections that are kept at the head; they are registered in the schema. */
  readonly projections: ReadonlyArray<Projection>
  /** How new documents are stored. */
  readonly codec: Frame.Codec
  /** Wallets for which the writer was opened; `null` for all, undefined for those of the index. */
  readonly wanted: ReadonlySet<string> | null | undefined
  /** Stored text of the wallets at that time. */
  readonly watchText: string | null
}

/** Which blocks are stored, how, and what is derived from them. */
interface Settings extends Pick<Options, "projections" | "codec"> {
  /** Wallets for which they are made; `null` for all. */
  readonly watch: ReadonlySet<string> | null
}

const findBlock = (at: At, number: number | null | undefined) =>
  number == null ? Effect.succeed(null) : Blocks.find(at, number)

const append = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  expected: BlockRef | null,
  blocks: ReadonlyArray<BlockRows>,
  { codec, projections, watch }: Settings,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const plan = yield* Effect.fromResult(WritePlan.append(locked.columns, expected, blocks, watch))
  if (plan === null) return
  yield* Rows.insert(at, blocks, codec)
  yield* Projections.append(at, projections, plan.from, blocks, codec)
  yield* Journal.advance(at, locked, plan, "added")
})

const prepend = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  expected: BlockRef,
  blocks: ReadonlyArray<BlockRows>,
  { codec, projections, watch }: Settings,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const first = yield* findBlock(at, locked.columns.first)
  const plan = yield* Effect.fromResult(WritePlan.prepend(locked.columns, first, expected, blocks, watch))
  if (plan === null) return
  yield* Rows.insert(at, blocks, codec)
  yield* Projections.prepend(at, projections, blocks, codec)
  yield* Journal.advance(at, locked, plan)
})

const unwind = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  expected: BlockRef,
  to: BlockRef | null,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const target = yield* findBlock(at, to?.number)
  const plan = yield* Effect.fromResult(WritePlan.unwind(locked.columns, expected, to, target))
  if (plan === null) return
  for (const [from, last] of plan.steps) {
    yield* Appearances.removeRange(at, from, last)
    yield* Ledgers.remove(at, from, last)
  }
  const { highest, lowest } = plan.change
  yield* Journal.remember(at, locked.columns, lowest, rememberedBlocks)
  yield* Projections.unwind(at, lowest, plan.isEmpty)
  yield* Proofs.unwind(at, lowest, plan.isEmpty)
  yield* Rows.remove(at, lowest, highest)
  yield* Journal.advance(at, locked, plan)
})

const finalize = Effect.fnUntraced(function* (at: At, locked: Checkpoints.Locked, number: number) {
  const plan = WritePlan.finalize(locked.columns, number, yield* findBlock(at, number))
  if (plan !== null) yield* Journal.advance(at, locked, plan)
})

/** The writer of a chain. */
export const make = ({ writing }: Pools, chain: Chain, options: Options): ChainWriter => {
  const { wanted, watchText } = options
  const settings: Settings = { ...options, watch: WatchedWallets.listOf(watchText, wanted) }
  const ledger =
    options.projections.find((one) => one.kind === "ledger") ?? WalletLedger.make(chain.ref.id, chain.ref.feeRules)
  const fenced = <A, E>(
    token: FencingToken,
    work: (at: At, locked: Checkpoints.Locked) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | StoreError | LeaseLost> =>
    writing.transaction((session) => {
      const at = { chain, session }
      return Effect.flatMap(Checkpoints.lock(at, token), (locked) => work(at, locked))
    })
  /** Adds blocks; if rows of blocks outside the index conflict with them, removes those rows and retries. */
  const withoutOutside = <A, E>(
    token: FencingToken,
    work: (at: At, locked: Checkpoints.Locked) => Effect.Effect<A, E | StoreError>,
  ) =>
    Effect.catchIf(
      fenced(token, work),
      (error): error is StoreError => error instanceof StoreError && Issue.isConflict(error),
      () =>
        Effect.andThen(
          Effect.logWarning("Removing rows of blocks outside of the index, which only damage leaves"),
          fenced(token, (at, locked) =>
            Effect.andThen(RemovableRows.removeOutside(at, locked.columns), work(at, locked)),
          ),
        ),
    )
  return {
    watch: settings.watch,
    isWatchChanged: Effect.map(
      Checkpoints.read({ chain, session: writing }),
      ({ watch }) => !WatchedWallets.isSame(WatchedWallets.listOf(watch, wanted), settings.watch),
    ),
    append: Effect.fn("ChainWriter.append")((expected, blocks, token) =>
      withoutOutside(token, (at, locked) => append(at, locked, expected, blocks, settings)),
    ),
    prepend: Effect.fn("ChainWriter.prepend")((expected, blocks, token) =>
      withoutOutside(token, (at, locked) => prepend(at, locked, expected, blocks, settings)),
    ),
    unwind: Effect.fn("ChainWriter.unwind")((expected, to, token) =>
      fenced(token, (at, locked) => unwind(at, locked, expected, to)),
    ),
    finalize: Effect.fn("ChainWriter.finalize")((number, token) =>
      fenced(token, (at, locked) => finalize(at, locked, number)),
    ),
    fill: Effect.fn("ChainWriter.fill")((projection, maxTransactions, token) =>
      fenced(token, (at, locked) => Filling.step(at, locked, projection, maxTransactions, options.codec)),
    ),
    replace: Effect.fn("ChainWriter.replace")((rows, token) =>
      fenced(token, (at, locked) => BlockReplacement.replace(at, locked, ledger, rows, options.codec)),
    ),
  }
}
