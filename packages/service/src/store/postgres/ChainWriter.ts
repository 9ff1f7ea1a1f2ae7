/**
 * Writes a chain's schema, each write in one transaction that first locks the checkpoint and compares the fencing token.
 */
import * as Effect from "effect/Effect"
import type { Projection } from "../../block/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import type { BlockRef, BlockRows } from "../../block/BlockRows.ts"
import type { ChainWriter } from "../ChainWriter.ts"
import type { FencingToken } from "../Leases.ts"
import * as BlockLinks from "../rows/BlockLinks.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import type * as Frame from "../rows/Frame.ts"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import { CheckpointConflict, type LeaseLost, StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import type { At, Chain } from "./Chain.ts"
import type * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Filling from "./Filling.ts"
import * as Issue from "./Issue.ts"
import * as Ledgers from "./Ledgers.ts"
import type { Pools } from "./Pool.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as RemovableRows from "./RemovableRows.ts"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

/** Blocks whose derived rows are removed at once. */
const unwindStep = 1000
/** Removed blocks that are remembered, highest first. */
const rememberedBlocks = 100_000

/** How to make a writer. */
export interface Options {
  /** Projections that are kept at the head; the schema knows them. */
  readonly projections: ReadonlyArray<Projection>
  /** How new documents are stored. */
  readonly codec: Frame.Codec
  /** Wallets that the writer was opened for; `null` for all, left out for those of the index. */
  readonly wanted: ReadonlySet<string> | null | undefined
  /** The stored text of the wallets as it was then. */
  readonly watchText: string | null
}

/** How blocks are stored. */
interface Parts extends Pick<Options, "projections" | "codec"> {
  /** Wallets that they are made for; `null` for all. */
  readonly watch: ReadonlySet<string> | null
}

const headOf = ({ hash, number }: CheckpointRow.Columns): BlockRef | null =>
  // Sound: they are set together.
  number === null ? null : { number, hash: toHex(hash!) }

/** Fails unless the head is the expected one. */
const expectHead = (
  { columns }: Checkpoints.Locked,
  expected: BlockRef | null,
): Effect.Effect<void, CheckpointConflict> => {
  const found = headOf(columns)
  return BlockLinks.isSame(found, expected) ? Effect.void : Effect.fail(new CheckpointConflict({ expected, found }))
}

const append = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  expected: BlockRef | null,
  blocks: ReadonlyArray<BlockRows>,
  { codec, projections, watch }: Parts,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  yield* expectHead(locked, expected)
  const [lowest, last] = [blocks[0], blocks.at(-1)]
  if (lowest === undefined || last === undefined) return
  const { first, number, watch: text } = locked.columns
  yield* Rows.insert(at, blocks, codec)
  yield* Projections.append(at, projections, number === null ? null : number + 1, blocks, codec)
  const head = { number: last.number, hash: fromHex(last.hash), timestamp: last.timestamp }
  const stored = WatchedWallets.stored(text, watch, last.number + 1)
  yield* Checkpoints.advance(at, locked, { first: first ?? lowest.number, ...head, watch: stored }, "added")
})

const prepend = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  expected: BlockRef,
  blocks: ReadonlyArray<BlockRows>,
  { codec, projections, watch }: Parts,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { first: number, watch: text } = locked.columns
  const first = number === null ? null : yield* Blocks.find(at, number)
  if (first === null || !BlockLinks.isSame(first, expected)) {
    const found = first && { number: first.number, hash: first.hash }
    return yield* new CheckpointConflict({ expected, found })
  }
  const [lowest] = blocks
  if (lowest === undefined) return
  const issue = BlockLinks.issue(null, [...blocks, { ...first, decoderRevision: 0, transactions: [] }])
  if (issue !== null) return yield* Effect.die(new Error(issue))
  yield* Rows.insert(at, blocks, codec)
  yield* Projections.prepend(at, projections, blocks, codec)
  yield* Checkpoints.advance(at, locked, {
    first: lowest.number,
    watch: WatchedWallets.stored(text, watch, first.number),
  })
})

/** Remembers the blocks from `lowest` up, which are about to be removed, and forgets the lowest of those beyond the limit. */
const remember = Effect.fnUntraced(function* ({ chain: { sql }, session }: At, lowest: number) {
  yield* session.rows(sql.lowerUnwound, [Values.big(lowest)])
  yield* session.rows(sql.rememberUnwound, [Values.big(lowest), Values.big(rememberedBlocks)])
  yield* session.rows(sql.forgetUnwound, [Values.big(rememberedBlocks)])
})

const emptied = { first: null, number: null, hash: null, timestamp: null, finalized: null }

const unwind = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  expected: BlockRef,
  to: BlockRef | null,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  yield* expectHead(locked, expected)
  const { finalized, first, watch } = locked.columns
  const head = expected.number
  const target = to && (yield* Blocks.find(at, to.number))
  if (!BlockLinks.isSame(target, to)) {
    const found = target === null ? headOf(locked.columns) : { number: target.number, hash: target.hash }
    return yield* new CheckpointConflict({ expected: to, found })
  }
  // Sound: the index has a head.
  const lowest = target === null ? first! : target.number + 1
  if (lowest > head) return
  for (let from = lowest; from <= head; from += unwindStep) {
    const end = Math.min(head, from + unwindStep - 1)
    yield* Appearances.removeRange(at, from, end)
    yield* Ledgers.remove(at, from, end)
  }
  yield* remember(at, lowest)
  yield* Projections.unwind(at, lowest, target === null)
  yield* Proofs.unwind(at, lowest, target === null)
  yield* Rows.remove(at, lowest, head)
  const { hash, number, timestamp } = target ?? { hash: "0x", number: 0, timestamp: 0 }
  const moved = { number, hash: fromHex(hash), timestamp, finalized: finalized && Math.min(finalized, number) }
  yield* Checkpoints.advance(at, locked, {
    ...(target === null ? emptied : moved),
    watch: WatchedWallets.unwound(watch, target === null ? 0 : lowest),
  })
})

const finalize = ({ columns }: Checkpoints.Locked, at: At, number: number) =>
  (columns.finalized ?? -1) < number ? Checkpoints.write(at, { ...columns, finalized: number }) : Effect.void

/** The writer of a chain. */
export const make = ({ writing }: Pools, chain: Chain, options: Options): ChainWriter => {
  const { wanted, watchText } = options
  const parts: Parts = { ...options, watch: WatchedWallets.listOf(watchText, wanted) }
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
  /** Adds blocks; again without the rows of blocks outside of the index, where these are in the way. */
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
    watch: parts.watch,
    isWatchChanged: Effect.map(
      Checkpoints.read({ chain, session: writing }),
      ({ watch }) => !WatchedWallets.isSame(WatchedWallets.listOf(watch, wanted), parts.watch),
    ),
    append: Effect.fn("ChainWriter.append")(function* (expected, blocks, token) {
      const issue = BlockLinks.issue(expected, blocks)
      if (issue !== null) return yield* Effect.die(new Error(issue))
      yield* withoutOutside(token, (at, locked) => append(at, locked, expected, blocks, parts))
    }),
    prepend: Effect.fn("ChainWriter.prepend")((expected, blocks, token) =>
      withoutOutside(token, (at, locked) => prepend(at, locked, expected, blocks, parts)),
    ),
    unwind: Effect.fn("ChainWriter.unwind")((expected, to, token) =>
      fenced(token, (at, locked) => unwind(at, locked, expected, to)),
    ),
    finalize: Effect.fn("ChainWriter.finalize")((number, token) =>
      fenced(token, (at, locked) => finalize(locked, at, number)),
    ),
    fill: Effect.fn("ChainWriter.fill")((projection, maxTransactions, token) =>
      fenced(token, (at, locked) => Filling.step(at, locked, projection, maxTransactions, options.codec)),
    ),
    replace: Effect.fn("ChainWriter.replace")((rows, token) =>
      fenced(token, (at, locked) => BlockReplacement.replace(at, locked, ledger, rows, options.codec)),
    ),
  }
}
