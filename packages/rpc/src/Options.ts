/**
 * The options of a client, for Effect and for promises: where its node is and how to connect to it.
 */
import type * as Chain from "@daybook/schema/Chain"
import type { Fetch } from "@daybook/transport/Fetch"
import type { Key } from "@daybook/transport/Endpoint"
import type { Event } from "@daybook/transport/Event"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"

/**
 * How calls are batched into one request.
 */
export interface BatchOptions {
  /** Time that a call waits for others. Default 0: calls of the same turn of the event loop are batched, without a delay. */
  readonly window?: RetryPolicy.Time | undefined
  /** Calls in one request at most; lowered when the server rejects a batch. Default 20, and 1,000 for `batch`. */
  readonly maxCalls?: number | undefined
  /** Bytes of one request at most, unless one call alone is longer. Default 512 KiB. */
  readonly maxBytes?: number | undefined
}

/**
 * A rate limit that the client applies to its own calls, for each endpoint.
 */
export interface RateLimit {
  /**
   * Units per second; a call costs one unit unless `units` or `defaultUnits` set another cost. A function is read before each call, for a
   * limit that several clients share.
   */
  readonly perSecond: number | (() => number)
  /** Units that may be used at once after an idle time. Default `perSecond`, and at least 1. */
  readonly burst?: number | undefined
  /** Cost of a call by the wire name of its method, as listed by providers. */
  readonly units?: Readonly<Record<string, number>> | undefined
  /** Cost of methods that are not in `units`. Default 1. */
  readonly defaultUnits?: number | undefined
}

/**
 * One of several endpoints.
 */
export interface EndpointOptions {
  /** URL of the endpoint, http or https, with the key that it may need. Kept as `Redacted`. */
  readonly url: Key | URL
  /** Sent to this endpoint only; their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}

/**
 * What takes the place of a received result: another result, or an error of the call.
 */
export type LimitedResult =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Error"; readonly code: number; readonly message: string }

/**
 * Options that do not depend on the kind of URL.
 */
export interface CommonOptions {
  /** Time for one call: all attempts, waits and bodies. Default 30 seconds. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Number of attempts and the backoff between them. `timeout` takes precedence over its `deadline`. */
  readonly retry?: RetryPolicy.Options | undefined
  /** Bytes of one decompressed response at most. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Bytes of the reply to one call at most, alone or in a batch. Default: `maxBytes`. */
  readonly maxItemBytes?: number | undefined
  /**
   * Receives each result before it is decoded, with its method, and returns what takes its place: for a caller that bounds what a server
   * may send. It may change the value in place. Default: results are decoded as received.
   */
  readonly limitResult?: ((result: unknown, method: string) => LimitedResult) | undefined
  /**
   * Automatic batching. Default true: calls of the same turn are batched, except privileged and unknown methods. Default false on
   * Cloudflare Workers, where a call of one incoming request must not wait for a request of another one.
   */
  readonly batch?: boolean | BatchOptions | undefined
  /**
   * Identical calls in flight share one request. Default true, and false on Cloudflare Workers; only for methods of `RpcMethod.all`,
   * which have no side effects.
   */
  readonly share?: boolean | undefined
  /** Longest pause granted to a server that asks for one; then it is asked again. Default 1 day. */
  readonly maxPause?: RetryPolicy.Time | undefined
  /** Rate limit of the client's own calls. Default: none. */
  readonly rateLimit?: RateLimit | undefined
  /** Default: the modules `http` and `https` on Node, the `fetch` of the platform elsewhere. */
  readonly fetch?: Fetch | undefined
  /** Sent with each request to every endpoint; their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /** User agent. Default `daybook-rpc`, in browsers their own; an empty text for that of the platform. */
  readonly userAgent?: string | undefined
  /**
   * Called for each event (request, response, fault, retry), for logs and counters. No event holds a key. `call` is the number of a call of
   * the client; of several in one request, the first. Exceptions thrown by it are ignored.
   */
  readonly onEvent?: ((event: Event) => void) | undefined
}

/**
 * A node by its URL, which may hold keys in its path, in its query and as `user:password@`.
 *
 * **Details**
 * - Several URLs are endpoints of the same chain in order of preference: the client fails over to the next one, and reports no head below
 *   the highest block that it has seen.
 */
export interface UrlOptions extends CommonOptions {
  /** URL of a node, http or https, with the key that it may need; or several, which are tried by their health. Kept as `Redacted`. */
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
  /** A chain by any of its names, a usual alias such as `mainnet`, its identifier or its chain id. Other text is sent unchanged, other numbers in hex. */
  readonly chain: Chain.Input
  readonly apiKey: Key
  /** Writes spaces in the name of the chain as hyphens, for providers that require it. Default false. */
  readonly hyphens?: boolean | undefined
  readonly url?: undefined
}

/**
 * The options of a client.
 */
export type Options = UrlOptions | ProviderOptions

/**
 * Limits of some calls, in place of those of the client.
 */
export interface CallOptions {
  /** Time for one call: all attempts, waits and bodies. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Bytes of one decompressed response at most. */
  readonly maxBytes?: number | undefined
  /** False: each of these calls is sent in a request of its own. */
  readonly batch?: boolean | undefined
  /** False: these calls share no request with identical calls. */
  readonly share?: boolean | undefined
  /**
   * Added to the headers of the client, and in place of those of the same name; values are treated as secrets. Such a call is sent in a
   * request of its own, or with the others of its `batch`.
   */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}
