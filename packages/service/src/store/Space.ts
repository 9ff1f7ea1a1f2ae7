/**
 * The disk space of one chain: what `daybook compact` needs from an engine.
 */
import type * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** Space used by a chain. */
export interface SpaceUse {
  /** Bytes on disk. */
  readonly bytes: number
  /** Bytes among them that are unused. */
  readonly freeBytes: number
}

/** Releases disk space. */
export interface Space {
  readonly use: Effect.Effect<SpaceUse, StoreError>
  /** Releases some free space; readers and writers continue. */
  readonly release: (maxBytes: number) => Effect.Effect<void, StoreError>
}
