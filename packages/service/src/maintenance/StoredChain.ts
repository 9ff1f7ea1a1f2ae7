/**
 * Checks whether a database has a store of a chain, for commands that write to one without adding blocks.
 */
import * as Effect from "effect/Effect"
import type { ChainStore } from "../store/Database.ts"
import type { StoreError } from "../store/StoreError.ts"

/**
 * Fails if a database has no store of a chain: opening it for writing would create an empty one in a database named by mistake.
 *
 * **Errors**
 * - `StoreError`: there is none, or it cannot be read. A store of an older version is accepted, because opening it migrates it.
 */
export const check = ({ reader }: ChainStore): Effect.Effect<void, StoreError> =>
  reader
    .snapshot((snapshot) => snapshot.checkpoint)
    .pipe(
      Effect.asVoid,
      Effect.catchIf(
        ({ migration }) => migration !== undefined,
        () => Effect.void,
      ),
    )
