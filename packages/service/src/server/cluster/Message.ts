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
  /** Takes tokens; what is left is negative where they were refused, and the time is that since the bucket was refilled. */
  readonly take: (take: Take) => readonly [remaining: number, elapsedMillis: number]
  /** Metrics of the other processes, in the text format of Prometheus. */
  readonly collect: (none: null) => ReadonlyArray<string>
  /** The configuration to begin with. */
  readonly configuration: (none: null) => ConfigFile
  /** The process listens at a base URL. */
  readonly ready: (url: string) => null
}

/** Requests of the primary process. */
export interface ToMember {
  /** Applies another configuration; returns the reason where it cannot. */
  readonly reload: (file: ConfigFile) => string | null
  /** Metrics of the process, in the text format of Prometheus. */
  readonly metrics: (none: null) => string
  /** Responds while the event loop turns. */
  readonly ping: (none: null) => null
}

/** A serving process, as the primary process sees it. */
export type Peer = Requests.Requests<ToMember>
