/**
 * The options of a client, for Effect and for promises: where its node is and how to connect to it.
 */
import type * as Chain from "@daybook/schema/Chain"
import type { Fetch } from "@daybook/transport/Fetch"
import type { Key } from "@daybook/transport/Endpoint"
import type { Event } from "@daybook/transport/Event"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"

/**
 * How calls are combined into one request.
 */
export interface BatchOptions {
  /** Time that a call waits for others. Default 0: calls of the same turn of the event loop are batched without delay. */
  readonly window?: RetryPolicy.Time | undefined
  /** Maximum number of calls in one request; lowered when the server rejects a batch. Default 20, and 1,000 for `batch`. */
  readonly maxCalls?: number | undefined
  /** Maximum number of bytes of one request, unless a single call is longer. Default 512 KiB. */
  readonly maxBytes?: number | undefined
}

/**
 * A rate limit that the client applies to its own calls, for each endpoint.
 */
export interface RateLimit {
  /**
   * Units per second. A call costs one unit unless `units` or `defaultUnits` sets another cost. A function is read before each call, for a
   * limit shared by several clients.
   */
  readonly perSecond: number | (() => number)
  /** Units that may be used at once after an idle time. Default `perSecond`, and at least 1. */
  readonly burst?: number | undefined
  /** Cost of a call by the wire name of its method, as listed by providers. */
  readonly units?: Readonly<Record<string, number>> | undefined
  /** Cost of methods not listed in `units`. Default 1. */
  readonly defaultUnits?: number | undefined
}

/**
 * One of several endpoints.
 */
export interface EndpointOptions {
  /** URL of the endpoint, http or https, including any key. Kept as `Redacted`. */
  readonly url: Key | URL
  /** Sent to this endpoint only; their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}

/**
 * Replacement for a received result: another result, or an error of the call.
 */
export type LimitedResult =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Error"; readonly code: number; readonly message: string }

/**
 * Options that do not depend on how the node is addressed.
 */
export interface CommonOptions {
  /** Time for one call: all attempts, waits and bodies. Default 30 seconds. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Number of attempts and the backoff between them. `timeout` takes precedence over its `deadline`. */
  readonly retry?: RetryPolicy.Options | undefined
  /** Maximum number of bytes of one decompressed response. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Maximum number of bytes of the reply to one call, alone or in a batch. Default: `maxBytes`. */
  readonly maxItemBytes?: number | undefined
  /**
   * Receives each result before it is decoded, with its method, and returns its replacement. For callers that limit what a server may send.
   * It may change the value in place. Default: results are decoded as received.
   */
  readonly limitResult?: ((result: unknown, method: string) => LimitedResult) | undefined
  /**
   * Automatic batching. Default true: calls of the same turn are batched, except privileged and unknown methods. Default false on
   * Cloudflare Workers, where a call of one incoming request must not wait for I/O of another one.
   */
  readonly batch?: boolean | BatchOptions | undefined
  /**
   * Identical calls in flight share one request. Default true, and false on Cloudflare Workers. Applies only to methods of `RpcMethod.all`,
   * which have no side effects.
   */
  readonly share?: boolean | undefined
  /** Longest pause granted to a server that requests one; afterwards the server is called again. Default 1 day. */
  readonly maxPause?: RetryPolicy.Time | undefined
  /** Rate limit of the client's own calls. Default: none. */
  readonly rateLimit?: RateLimit | undefined
  /** Default: the modules `http` and `https` on Node, the `fetch` of the platform elsewhere. */
  readonly fetch?: Fetch | undefined
  /** Sent with each request to every endpoint; their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /** User agent. Default `daybook-rpc`; in browsers, the browser's own. An empty text selects the platform's. */
  readonly userAgent?: string | undefined
  /**
   * Called for each event (request, response, fault, retry), for logs and counters. No event holds a key. `call` numbers the calls of the
   * client; for several calls in one request, it is the number of the first. Exceptions thrown by it are ignored.
   */
  readonly onEvent?: ((event: Event) => void) | undefined
}

/**
 * A node by its URL, which may hold keys in its path, in its query and as `user:password@`.
 *
 * **Details**
 * - Several URLs are endpoints of the same chain in order of preference: the client fails over to the next one, and never reports a head
 *   below the highest block it has seen.
 */
export interface UrlOptions extends CommonOptions {
  /** URL of a node, http or https, including any key; or several URLs, which are tried by their health. Kept as `Redacted`. */
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
   * A chain by any of its names, a common alias such as `mainnet`, its identifier or its chain id. Any other text is sent unchanged, other
   * numbers in hex.
   */
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
 * Limits of some calls, replacing those of the client.
 */
export interface CallOptions {
  /** Time for one call: all attempts, waits and bodies. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Maximum number of bytes of one decompressed response. */
  readonly maxBytes?: number | undefined
  /** False: each of these calls is sent in its own request. */
  readonly batch?: boolean | undefined
  /** False: these calls do not share requests with identical calls. */
  readonly share?: boolean | undefined
  /**
   * Added to the headers of the client, replacing those of the same name; values are treated as secrets. Such a call is sent in its own
   * request, or with the others of its `batch`.
   */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}
