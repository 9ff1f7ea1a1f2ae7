/**
 * Requests between the primary process and its serving processes: see `Requests`.
 */
import type { ConfigFile } from "../../config/ConfigFile.ts"
import type * as Requests from "../../supervision/Requests.ts"

/** Tokens to take from the bucket of an API key. */
export interface Take {
  readonly key: string
  readonly tokens: number
  readonly limit: number
  readonly refillMillis: number
}

/** Requests of a serving process. */
export interface ToPrimary {
  /** Takes tokens. The remainder is negative if they were refused, and the time is counted from the last refill of the bucket. */
  readonly take: (take: Take) => readonly [remaining: number, elapsedMillis: number]
  /** Metrics of the other processes, in the text format of Prometheus. */
  readonly collect: (none: null) => ReadonlyArray<string>
  /** The initial configuration. */
  readonly configuration: (none: null) => ConfigFile
  /** The process listens at a base URL. */
  readonly ready: (url: string) => null
}

/** Requests of the primary process. */
export interface ToMember {
  /** Applies another configuration; returns the reason if it cannot. */
  readonly reload: (file: ConfigFile) => string | null
  /** Metrics of the process, in the text format of Prometheus. */
  readonly metrics: (none: null) => string
  /** Responds as long as the event loop runs. */
  readonly ping: (none: null) => null
}

/** A serving process, as the primary process sees it. */
export type Peer = Requests.Requests<ToMember>
