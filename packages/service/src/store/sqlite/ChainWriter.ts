/**
 * Writes a chain's file, each write in one transaction.
 */
import * as Effect from "effect/Effect"
import type { BlockRef, BlockRows, Checkpoint, LinkedBlock } from "../../block/BlockRows.ts"
import type { ChainWriter, Filled } from "../ChainWriter.ts"
import type { FencingToken } from "../Leases.ts"
import { CheckpointConflict, type LeaseLost, StoreError } from "../StoreError.ts"
import * as BlockLinks from "../rows/BlockLinks.ts"
import * as WatchedWallets from "../rows/WatchedWallets.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as Changes from "./Changes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as ChainReader from "./ChainReader.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Projection } from "../../block/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import * as Facts from "./Facts.ts"
import * as Gaps from "./Gaps.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Proofs from "./Proofs.ts"
import * as Projections from "./Projections.ts"
import * as RemovableRows from "./RemovableRows.ts"
import * as Rows from "./Rows.ts"
import * as SqliteCode from "./SqliteCode.ts"
import * as Statements from "./Statements.ts"
import * as WatchList from "./WatchList.ts"

/** Blocks whose appearances are deleted without a pause for other fibers. */
const unwindStep = 1000
/** Removed blocks that are remembered, highest first. */
const defaultRememberedBlocks = 100_000

/** Moves the checkpoint to a block; the caller seals it. */
const moveUnsafe = ({ connection, ref }: ChainFile, first: number, head: BlockRef, timestamp: number) =>
  connection.rowsUnsafe(Statements.moveCheckpoint, [first, head.number, fromHex(head.hash), timestamp, ref.id])

/** The checkpoint, when its head is the expected one. */
const checkpointAt = (
  { connection, ref }: ChainFile,
  expected: BlockRef | null,
): Effect.Effect<Checkpoints.Found, StoreError | CheckpointConflict> =>
  Effect.flatMap(
    connection.attempt(() => Checkpoints.readUnsafe(connection, ref.id)),
    (found): Effect.Effect<Checkpoints.Found, CheckpointConflict> => {
      const head = found.checkpoint?.head ?? null
      return BlockLinks.isSame(head, expected)
        ? Effect.succeed(found)
        : Effect.fail(new CheckpointConflict({ expected, found: head }))
    },
  )

/** What blocks are stored with. */
interface Parts {
  readonly projections: ReadonlyArray<Projection>
  /** Wallets that they are made for; `null` for all. */
  readonly watch: ReadonlySet<string> | null
}

const appendTo = Effect.fnUntraced(function* (
  file: ChainFile,
  expected: BlockRef | null,
  blocks: ReadonlyArray<BlockRows>,
  { projections, watch }: Parts,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { connection, ref } = file
  const { checkpoint, watch: text } = yield* checkpointAt(file, expected)
  const last = blocks.at(-1)
  if (last === undefined) return
  for (const block of blocks) yield* connection.attempt(() => Rows.insertUnsafe(file, block))
  const from = checkpoint === null ? null : checkpoint.head.number + 1
  yield* connection.attempt(() => Projections.appendUnsafe(file, projections, from, blocks))
  const lowest = blocks[0]!.number
  yield* connection.attempt(() => {
    moveUnsafe(file, checkpoint?.first ?? lowest, last, last.timestamp)
    WatchList.writeUnsafe(file, text, WatchedWallets.stored(text, watch, last.number + 1))
    Changes.recordUnsafe(connection, ref.id, { kind: "appended", lowest, highest: last.number })
  })
})

/** The checkpoint and the first block, when that is the expected one. */
const firstAt = (
  { connection, ref }: ChainFile,
  expected: BlockRef,
): Effect.Effect<
  Omit<Checkpoints.Found, "serial"> & { readonly checkpoint: Checkpoint; readonly first: LinkedBlock },
  StoreError | CheckpointConflict
> =>
  Effect.flatMap(
    connection.attempt(() => {
      const found = Checkpoints.readUnsafe(connection, ref.id)
      const { checkpoint } = found
      const first = checkpoint && Blocks.findUnsafe(connection, ref.id, checkpoint.first)
      return { ...found, first }
    }),
    ({ checkpoint, first, ...found }) =>
      checkpoint !== null && first !== null && BlockLinks.isSame(first, expected)
        ? Effect.succeed({ ...found, checkpoint, first })
        : Effect.fail(new CheckpointConflict({ expected, found: first && { number: first.number, hash: first.hash } })),
  )

const prependTo = Effect.fnUntraced(function* (
  file: ChainFile,
  expected: BlockRef,
  blocks: ReadonlyArray<BlockRows>,
  { projections, watch }: Parts,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { connection, ref } = file
  const { checkpoint, first, watch: text } = yield* firstAt(file, expected)
  const [lowest] = blocks
  if (lowest === undefined) return
  const issue = BlockLinks.issue(null, [...blocks, { ...first, decoderRevision: 0, transactions: [] }])
  if (issue !== null) return yield* Effect.die(new Error(issue))
  for (const block of blocks) yield* connection.attempt(() => Rows.insertUnsafe(file, block))
  yield* connection.attempt(() => {
    Projections.prependUnsafe(file, projections, blocks)
    moveUnsafe(file, lowest.number, checkpoint.head, checkpoint.headTimestamp)
    WatchList.writeUnsafe(file, text, WatchedWallets.stored(text, watch, first.number))
    const added = { kind: "appended", lowest: lowest.number, highest: first.number - 1 } as const
    Changes.recordUnsafe(connection, ref.id, added)
  })
})

/** Remembers the blocks from `lowest` up, which are about to be removed, and forgets the lowest of those beyond the limit. */
const rememberUnsafe = ({ connection, ref }: ChainFile, lowest: number, limit: number) => {
  connection.rowsUnsafe(Statements.lowerUnwound, [lowest, ref.id, lowest, lowest])
  connection.rowsUnsafe(Statements.rememberUnwound, [lowest, ref.id, lowest, limit])
  connection.rowsUnsafe(Statements.forgetUnwound, [ref.id, ref.id, limit])
}

const unwindTo = Effect.fnUntraced(function* (
  file: ChainFile,
  expected: BlockRef,
  to: BlockRef | null,
  rememberedBlocks: number,
): Effect.fn.Return<void, StoreError | CheckpointConflict> {
  const { connection, ref } = file
  const { checkpoint: found, watch } = yield* checkpointAt(file, expected)
  if (found === null) return
  const target = to && (yield* connection.attempt(() => Blocks.findUnsafe(connection, ref.id, to.number)))
  if (!BlockLinks.isSame(target, to))
    return yield* new CheckpointConflict({
      expected: to,
      found: target === null ? found.head : { number: target.number, hash: target.hash },
    })
  const lowest = to === null ? found.first : to.number + 1
  if (lowest > found.head.number) return

  for (let from = lowest; from <= found.head.number; from += unwindStep) {
    const to = from + unwindStep - 1
    yield* connection.attempt(() => Rows.removeHistoriesUnsafe(connection, from, to))
    yield* connection.attempt(() => Ledgers.removeUnsafe(connection, from, to))
  }
  yield* connection.attempt(() => {
    rememberUnsafe(file, lowest, rememberedBlocks)
    Projections.unwindUnsafe(file, lowest, target === null)
    Proofs.unwindUnsafe(connection, lowest, target === null)
    Rows.deleteTransactionsUnsafe(connection, lowest, found.head.number)
    connection.rowsUnsafe(Statements.deleteBlocks, [ref.id, lowest])
    Gaps.deleteUnsafe(connection, lowest, found.head.number)
    Facts.deleteUnsafe(connection, lowest, found.head.number)
    if (target === null) connection.rowsUnsafe(Statements.moveCheckpoint, [null, null, null, null, ref.id])
    else moveUnsafe(file, found.first, target, target.timestamp)
    const finalized = target?.number ?? null
    connection.rowsUnsafe(Statements.unfinalize, [finalized ?? -1, finalized, ref.id])
    WatchList.writeUnsafe(file, watch, WatchedWallets.unwound(watch, target === null ? 0 : lowest))
    Changes.recordUnsafe(connection, ref.id, { kind: "removed", lowest, highest: found.head.number })
  })
})

const fillFrom = (
  file: ChainFile,
  projection: Projection,
  maxTransactions: number,
): Effect.Effect<Filled, StoreError> =>
  file.connection.attempt(() => {
    const checkpoint = ChainReader.checkpointUnsafe(file.connection, file.ref.id)
    return Projections.fillUnsafe(file, projection, checkpoint, maxTransactions)
  })

/** How to make a writer. */
export interface Options {
  /** Projections that are kept at the head; the file knows them. */
  readonly projections: ReadonlyArray<Projection>
  /** Wallets that the writer was opened for; `null` for all, left out for those of the index. */
  readonly wanted?: ReadonlySet<string> | null | undefined
  /** The stored text of the wallets as it was then. Default: that of an index of all. */
  readonly watchText?: string | null
  /** Number of removed blocks that are remembered. Default 100,000. */
  readonly rememberedBlocks?: number
}

/** The writer of a chain's file. */
export const make = (file: ChainFile, options: Options): ChainWriter => {
  const { projections, rememberedBlocks = defaultRememberedBlocks, wanted, watchText = null } = options
  const parts: Parts = { projections, watch: WatchedWallets.listOf(watchText, wanted) }
  const { connection, ref } = file
  const ledger = projections.find((one) => one.kind === "ledger") ?? WalletLedger.make(ref.id, ref.feeRules)
  const fenced = <A, E>(token: FencingToken, work: Effect.Effect<A, E>): Effect.Effect<A, E | StoreError | LeaseLost> =>
    file.transaction(Effect.andThen(file.checkToken(token), work))

  /** Adds blocks; again without the rows of blocks outside of the index, where these are in the way. */
  const withoutOutside = <A, E>(token: FencingToken, work: Effect.Effect<A, E | StoreError>) =>
    Effect.catchIf(
      fenced(token, work),
      (error): error is StoreError =>
        error instanceof StoreError && SqliteCode.codeOf(error.cause) === SqliteCode.constraint,
      () =>
        Effect.andThen(
          Effect.logWarning("Removing rows of blocks outside of the index, which only damage leaves"),
          fenced(
            token,
            Effect.andThen(
              connection.attempt(() => RemovableRows.removeOutsideUnsafe(file)),
              work,
            ),
          ),
        ),
    )

  return {
    watch: parts.watch,
    isWatchChanged: connection.attempt(
      () =>
        !WatchedWallets.isSame(
          WatchedWallets.listOf(Checkpoints.readUnsafe(connection, ref.id).watch, wanted),
          parts.watch,
        ),
    ),
    append: Effect.fn("ChainWriter.append")(function* (expected, blocks, token) {
      const issue = BlockLinks.issue(expected, blocks)
      if (issue !== null) return yield* Effect.die(new Error(issue))
      yield* withoutOutside(token, appendTo(file, expected, blocks, parts))
    }),
    prepend: Effect.fn("ChainWriter.prepend")((expected, blocks, token) =>
      withoutOutside(token, prependTo(file, expected, blocks, parts)),
    ),
    unwind: Effect.fn("ChainWriter.unwind")((expected, to, token) =>
      fenced(token, unwindTo(file, expected, to, rememberedBlocks)),
    ),
    finalize: Effect.fn("ChainWriter.finalize")((number, token) =>
      fenced(
        token,
        connection.attempt(() => {
          connection.rowsUnsafe(Statements.finalize, [number, ref.id, number])
          Checkpoints.sealUnsafe(connection, ref.id)
        }),
      ),
    ),
    fill: Effect.fn("ChainWriter.fill")((projection, maxTransactions, token) =>
      fenced(token, fillFrom(file, projection, maxTransactions)),
    ),
    replace: Effect.fn("ChainWriter.replace")((rows, token) =>
      fenced(
        token,
        connection.attempt(() => BlockReplacement.replaceUnsafe(file, ledger, rows)),
      ),
    ),
  }
}
