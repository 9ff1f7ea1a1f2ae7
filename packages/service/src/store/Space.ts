/**
 * The disk space of one chain: what `daybook compact` needs of an engine.
 */
import type * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** The space of a chain. */
export interface SpaceUse {
  /** Bytes on disk. */
  readonly bytes: number
  /** Bytes among them that hold nothing. */
  readonly freeBytes: number
  /** Free space can be given back in steps, while the chain is written. */
  readonly isIncremental: boolean
}

/** Gives disk space back. */
export interface Space {
  readonly use: Effect.Effect<SpaceUse, StoreError>
  /** Gives back some free space; readers and writers go on. Only where `isIncremental`. */
  readonly release: (maxBytes: number) => Effect.Effect<void, StoreError>
  /** Writes all of the chain anew, without free space and `isIncremental` from then on; nothing may write meanwhile. */
  readonly rebuild: Effect.Effect<void, StoreError>
}
