/**
 * Error of a request that does not fit within a bound on bytes in flight.
 */
import * as Data from "effect/Data"
import type { BytesInFlight } from "../../config/Limits.ts"

/** Seconds after which a rejected client may retry. */
export const retrySeconds = 1

/** A bound is reached. */
export class BoundReached extends Data.TaggedError("BoundReached")<{
  /** Scope of the bound: that of the key or the address is the client's own, that of the process is shared. */
  readonly scope: keyof BytesInFlight
  /** Key of the configuration, as in `limits.responsesInFlight.perKey`. */
  readonly limit: string
  readonly maxBytes: number
}> {
  override get message(): string {
    const bound = `${this.limit} (${this.maxBytes} bytes)`
    return this.scope === "total"
      ? `Server busy: ${bound} is reached. Retry later.`
      : `Too many bytes in flight: ${bound} is reached. Complete the open requests and read their responses first.`
  }
}
