/**
 * The options of a client, the same for each face: where its node is and how it is talked to.
 * `RpcClient` and the promise face take them; nothing here does anything.
 */
import type { Fetch } from "@daybook/transport/Fetch"
import type { Key } from "@daybook/transport/Endpoint"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import type * as Duration from "effect/Duration"

/**
 * How calls that come together are put into one request.
 */
export interface BatchOptions {
  /** How long a call waits for others. Default 0: only for those made in the same turn, which costs no time. */
  readonly window?: Duration.Input | undefined
  /** Calls in one request at most; a server that refuses teaches a lower limit. Default 20, and 1,000 for batches by hand. */
  readonly maxCalls?: number | undefined
  /** Bytes of one request at most, unless one call alone is longer. Default 512 KiB. */
  readonly maxBytes?: number | undefined
}

/**
 * A rate that the client keeps to by itself, for each of its endpoints.
 */
export interface RateLimit {
  /** Units that come in a second; a call costs one unless `units` or `defaultUnits` say more. */
  readonly perSecond: number
  /** Units that may be used at once after a rest. Default `perSecond`, and at least 1. */
  readonly burst?: number | undefined
  /** Cost of a call by its method's wire name, as providers list them. */
  readonly units?: Readonly<Record<string, number>> | undefined
  /** Cost of methods that `units` does not name. Default 1. */
  readonly defaultUnits?: number | undefined
}

/**
 * One of several nodes.
 */
export interface EndpointOptions {
  readonly url: Key | URL
  /** Sent to this node only; their values are kept as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}

/**
 * How the client talks, whatever its node is.
 */
export interface CommonOptions {
  /** Time for one call: all attempts, waits and bodies. Default 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** How often and how soon a call is tried again. `timeout` wins over its `deadline`. */
  readonly retry?: RetryPolicy.Options | undefined
  /** Bytes of one decompressed answer at most. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Bytes of one call's answer at most, alone or in a batch. Default: `maxBytes`. */
  readonly maxItemBytes?: number | undefined
  /** Whether and how calls are put together by themselves. Default true: those of the same turn, but heavy and unknown methods go alone. */
  readonly batch?: boolean | BatchOptions | undefined
  /** Whether identical calls in flight share one request. Default true; only for methods of `RpcMethod.all`, which change nothing. */
  readonly share?: boolean | undefined
  /** Default: none. */
  readonly rateLimit?: RateLimit | undefined
  /** Default: undici on Node, the platform's own `fetch` elsewhere. */
  readonly fetch?: Fetch | undefined
  /** Sent with each request, to every endpoint; their values are kept as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}

/**
 * A node by its URL, which may hold keys in its path, its query and as `user:password@`. Several are of one chain, in order of preference:
 * the client goes on to the next when one fails, and never below the highest block that it has seen.
 */
export interface UrlOptions extends CommonOptions {
  readonly url: Key | URL | ReadonlyArray<Key | URL | EndpointOptions>
  readonly rpcUrl?: undefined
  readonly chain?: undefined
  readonly apiKey?: undefined
  readonly hyphens?: undefined
}

/**
 * A provider of the interface: calls go to `{rpcUrl}/<chain>/<apiKey>`.
 *
 * Source: docs/interface.md#4.2; decision 0005.
 */
export interface ProviderOptions extends CommonOptions {
  readonly rpcUrl: Key | URL
  /**
   * A chain of the interface by any of its names, its identifier or its number. Any other text is sent as it is, any other number
   * in hex.
   */
  readonly chain: string | number | bigint
  readonly apiKey: Key
  /** Writes the chain's spaces as hyphens, for providers that spell names so. Default false. */
  readonly hyphens?: boolean | undefined
  readonly url?: undefined
}

/**
 * What a client is made of.
 */
export type Options = UrlOptions | ProviderOptions

/**
 * Limits of calls in place of the client's own.
 */
export interface CallOptions {
  /** Time for one call: all attempts, waits and bodies. */
  readonly timeout?: Duration.Input | undefined
  /** Bytes of one decompressed answer at most. */
  readonly maxBytes?: number | undefined
  /** False: these calls go alone, each in a request of its own. */
  readonly batch?: boolean | undefined
  /** False: these calls share no request with identical ones. */
  readonly share?: boolean | undefined
}
