/**
 * Indexer of a simulated service: writes the changes of a generated chain, is killed between any two statements, and restarts from the
 * stored state.
 */
import { Effect, Exit, Scope } from "effect"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import type { Database } from "../../../src/store/Database.ts"
import type { ChainRef } from "../../../src/store/ChainRef.ts"
import type { StoreError } from "../../../src/store/StoreError.ts"
import type { SeededRandom } from "../../store/SeededRandom.ts"
import * as TestStore from "../../store/TestStore.ts"
import * as GeneratedChain from "../GeneratedChain.ts"

/** Dependencies of a writer. */
export interface Options {
  readonly ref: ChainRef
  readonly generated: GeneratedChain.GeneratedChain
  readonly random: SeededRandom
  /** Opens the database as a new process. */
  readonly open: Effect.Effect<Database, StoreError, Scope.Scope>
  /** The database as opened by a process that is never killed. */
  readonly observer: Database
}

/** Writes the changes of a generated chain. */
export interface Writer {
  /** Writes one change; if the process is killed meanwhile, it is restarted. */
  readonly write: (change: typeof GeneratedChain.change) => Effect.Effect<void>
}

/** Reads which of the generated blocks are stored. */
const read = Effect.fnUntraced(function* ({ generated, observer, ref }: Options) {
  const { reader } = observer.chain(ref)
  const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
  const stored = checkpoint === null ? [] : yield* reader.headers(checkpoint.first, checkpoint.head.number)
  // Sound: every stored block was generated.
  generated.blocks = stored.map(({ hash }): BlockRows => generated.made.get(hash)!)
  generated.finalized = checkpoint?.finalized ?? -1
})

/** Creates a writer whose process ends with the scope. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Writer, never, Scope.Scope> {
  const { generated, open, random, ref } = options
  let current: { readonly store: TestStore.TestStore; readonly scope: Scope.Closeable } | undefined
  const end = Effect.suspend(() => {
    const ended = current
    current = undefined
    return ended === undefined ? Effect.void : Scope.close(ended.scope, Exit.void)
  })
  yield* Effect.addFinalizer(() => end)

  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const database = yield* Scope.provide(open, scope)
    const store = yield* Scope.provide(
      TestStore.open(database, ref, { projections: GeneratedChain.projections(generated) }),
      scope,
    )
    current = { store, scope }
    return store
  })

  return {
    write: (change) =>
      Effect.gen(function* () {
        const store = current?.store ?? (yield* start)
        yield* change(generated, store, random)
      }).pipe(
        Effect.exit,
        Effect.flatMap((exit) =>
          // Nothing can be read before the first process has created the file.
          Exit.isSuccess(exit) ? Effect.void : Effect.andThen(end, Effect.ignore(read(options))),
        ),
      ),
  }
})
