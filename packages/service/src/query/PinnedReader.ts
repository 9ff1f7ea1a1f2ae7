/**
 * Reads one state of a chain in several turns. Each read uses its own snapshot, since few may be open and pages need one; a read fails if
 * the part of the index seen by the first one has changed.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../block/BlockRows.ts"
import type { Snapshot } from "../store/ChainReader.ts"
import { StoreError } from "../store/StoreError.ts"
import type { IndexedChain } from "./IndexedChain.ts"

/** Runs work when other work of the process leaves time for it. */
export type InTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Blocks were removed, or added below the first one, between two reads. */
export class IndexChanged extends Data.TaggedError("IndexChanged")<{}> {}

/** Reads in a turn. */
export type PinnedReader = <A, E>(
  read: (snapshot: Snapshot) => Effect.Effect<A, E>,
) => Effect.Effect<A, E | IndexChanged | StoreError>

/** Makes a reader of the state seen by its first read. Blocks may be added above it. */
export const make = ({ reader }: Pick<IndexedChain, "reader">, inTurn: InTurn): PinnedReader => {
  let pinned: Checkpoint | null | undefined

  const isSame = Effect.fnUntraced(function* (snapshot: Snapshot): Effect.fn.Return<boolean, StoreError> {
    const now = yield* snapshot.checkpoint
    if (pinned === undefined) pinned = now
    if (pinned === now) return true
    if (pinned === null || pinned.first !== now?.first) return false
    const { hash, number } = pinned.head
    return (yield* snapshot.block(number))?.hash === hash
  })

  return <A, E>(read: (snapshot: Snapshot) => Effect.Effect<A, E>) =>
    inTurn(
      reader.snapshot((snapshot) =>
        Effect.flatMap(isSame(snapshot), (same): Effect.Effect<A, E | IndexChanged> =>
          same ? read(snapshot) : Effect.fail(new IndexChanged()),
        ),
      ),
    )
}

/** Maximum number of restarts after the index changed. */
const maxRestarts = 3

/** Error for an index without blocks, or one that keeps changing. */
export const unreadable = (): StoreError =>
  new StoreError({ message: "The index is empty, or changes while it is read.", isRetryable: true, cause: undefined })

const isChange = (error: unknown): error is IndexChanged => error instanceof IndexChanged

/** Restarts reads when the index changes between them. */
export const restarting = <A, E, R>(reads: Effect.Effect<A, E | IndexChanged, R>) =>
  reads.pipe(
    Effect.retry({ times: maxRestarts, while: isChange }),
    Effect.catchIf(isChange, () => Effect.fail(unreadable())),
  )
