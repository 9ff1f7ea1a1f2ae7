/**
 * The disk space of one chain: what `daybook compact` needs from an engine.
 */
import type * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** The space of a chain. */
export interface SpaceUse {
  /** Bytes on disk. */
  readonly bytes: number
  /** Bytes among them that hold nothing. */
  readonly freeBytes: number
}

/** Gives disk space back. */
export interface Space {
  readonly use: Effect.Effect<SpaceUse, StoreError>
  /** Gives back some free space; readers and writers go on. */
  readonly release: (maxBytes: number) => Effect.Effect<void, StoreError>
}
