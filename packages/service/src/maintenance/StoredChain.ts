/**
 * Whether a database has a store of a chain, for commands that write one without adding blocks to it.
 */
import * as Effect from "effect/Effect"
import type { ChainStore } from "../store/Database.ts"
import type { StoreError } from "../store/StoreError.ts"

/**
 * Fails where a database has no store of a chain: opening it for writing would make an empty one in a database that is named by mistake.
 *
 * **Errors**
 * - `StoreError`: there is none, or it cannot be read. One of an older version is accepted, as opening it migrates it.
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
