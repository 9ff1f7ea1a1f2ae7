/**
 * The options of a client, the same for each face: where its node is and how it is talked to.
 * `RpcClient` and the promise face take them; nothing here does anything.
 */
import type { Fetch } from "@daybook/transport/Http"
import type { Key } from "@daybook/transport/Redaction"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import type * as Duration from "effect/Duration"

/**
 * How the client talks, whatever its node is.
 *
 * @category models
 * @since 0.1.0
 */
export interface CommonOptions {
  /** Time for one call: all attempts, waits and bodies. Default 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** How often and how soon a call is tried again. `timeout` wins over its `deadline`. */
  readonly retry?: RetryPolicy.Options | undefined
  /** Bytes of one decompressed answer at most. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Default: the platform's own `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Sent with each request; their values are kept as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}

/**
 * A node by its URL, which may hold keys in its path, its query and as `user:password@`.
 *
 * @category models
 * @since 0.1.0
 */
export interface UrlOptions extends CommonOptions {
  readonly url: Key
  readonly rpcUrl?: undefined
  readonly chain?: undefined
  readonly apiKey?: undefined
  readonly hyphens?: undefined
}

/**
 * A provider of the interface: calls go to `{rpcUrl}/<chain>/<apiKey>`.
 *
 * Source: interface 4.2; decision 0005.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProviderOptions extends CommonOptions {
  readonly rpcUrl: Key
  /** A chain of the interface by any of its names or its identifier, or any other text, which is sent as it is. */
  readonly chain: string
  readonly apiKey: Key
  /** Writes the chain's spaces as hyphens, for providers that spell names so. Default false. */
  readonly hyphens?: boolean | undefined
  readonly url?: undefined
}

/**
 * What a client is made of.
 *
 * @category models
 * @since 0.1.0
 */
export type Options = UrlOptions | ProviderOptions
