/**
 * The disk space of a chain's schema. PostgreSQL manages it: autovacuum reuses the space of deleted rows, and its own tools return it to
 * the disk.
 */
import * as Effect from "effect/Effect"
import type { Space } from "../Space.ts"
import { StoreError } from "../StoreError.ts"

/** Space of a chain; `name` is shown. */
export const make = (name: string): Space => {
  const refused = Effect.fail(
    new StoreError({
      message: `Database managed by PostgreSQL: ${name}. Its autovacuum reuses free space; use VACUUM FULL or pg_repack to return it to the disk.`,
      isRetryable: false,
      cause: undefined,
    }),
  )
  return { use: refused, release: () => refused }
}
