/**
 * Messages between the primary process and its serving processes. Both run the same version of this package.
 */

import type { ConfigFile } from "../../config/ConfigFile.ts"

/** From a serving process. */
export type FromMember =
  /** It listens at a base URL. */
  | { readonly _tag: "Ready"; readonly url: string }
  /** Takes tokens from the bucket of an API key. */
  | {
      readonly _tag: "Take"
      readonly id: number
      readonly key: string
      readonly tokens: number
      readonly limit: number
      readonly refillMillis: number
    }
  /** Requests the metrics of the other processes. */
  | { readonly _tag: "Collect"; readonly id: number }
  /** Requests the configuration to begin with. */
  | { readonly _tag: "RequestConfiguration"; readonly id: number }
  /** It has taken over a configuration, or states why it cannot. */
  | { readonly _tag: "Reloaded"; readonly id: number; readonly issue: string | null }
  /** Answers a ping. */
  | { readonly _tag: "Pong"; readonly id: number }
  /** Its own metrics, in the text format of Prometheus. */
  | { readonly _tag: "OwnMetrics"; readonly id: number; readonly text: string }

/** From the primary process. */
export type FromPrimary =
  /** What is left of a bucket, negative where the tokens were refused, and the time since it was refilled. */
  | { readonly _tag: "Taken"; readonly id: number; readonly remaining: number; readonly elapsedMillis: number }
  /** The metrics of the other processes. */
  | { readonly _tag: "Collected"; readonly id: number; readonly texts: ReadonlyArray<string> }
  /** The configuration to begin with. */
  | { readonly _tag: "Configuration"; readonly id: number; readonly file: ConfigFile }
  /** Another configuration, to be taken over. */
  | { readonly _tag: "Reload"; readonly id: number; readonly file: ConfigFile }
  /** Asks whether the event loop turns. */
  | { readonly _tag: "Ping"; readonly id: number }
  /** Requests the metrics of this process. */
  | { readonly _tag: "RequestMetrics"; readonly id: number }
