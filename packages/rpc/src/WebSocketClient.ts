/**
 * JSON-RPC client over a WebSocket, for Effect: the calls and batches of `RpcClient`, and subscriptions as streams. It connects when
 * something is sent, and reconnects after a connection ends. For promises use `@daybook/rpc/websocket`.
 */
import { InvalidOption } from "@daybook/transport/ClientError"
import { fromKey } from "@daybook/transport/internal/Redaction"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import type { Log } from "@daybook/schema/Receipt"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Client } from "./Client.ts"
import type { Closing } from "./internal/Call.ts"
import { start } from "./internal/Client.ts"
import { read } from "./internal/Settings.ts"
import * as BlockSubscriptions from "./internal/socket/BlockSubscriptions.ts"
import * as MovementSubscription from "./internal/socket/MovementSubscription.ts"
import * as Socket from "./internal/socket/Socket.ts"
import { socketKinds } from "./internal/socket/SocketKinds.ts"
import * as Subscription from "./internal/socket/Subscription.ts"
import type { LogFilter } from "./Method.ts"
import type { CommonOptions, ProviderOptions, UrlOptions } from "./Options.ts"

export type { Gap, Head } from "./internal/socket/BlockSubscriptions.ts"
export type { MovementQuery } from "./internal/socket/MovementSubscription.ts"
export type { WebSocketConstructor, WebSocketLike } from "./internal/socket/Socket.ts"
export { type SubscriptionError, SubscriptionOverflow } from "./internal/socket/Subscription.ts"

/**
 * Options of the socket. HTTP-only options (`fetch`, `headers`, `userAgent`) do not apply, because browsers do not let a WebSocket send
 * headers.
 */
export interface SocketOptions extends Omit<CommonOptions, "fetch" | "headers" | "userAgent"> {
  /** Default: the platform's `WebSocket`, which Node has since version 22. The class of the package `ws` also works. */
  readonly webSocket?: Socket.WebSocketConstructor | undefined
  /** Maximum number of notifications of a subscription that wait to be read. Default 20,000. */
  readonly maxQueued?: number | undefined
}

/**
 * The options of a client: a URL, ws or http, including any key; or a provider with its chain and key.
 */
export type Options = SocketOptions &
  (
    | { readonly url: Exclude<UrlOptions["url"], ReadonlyArray<unknown>> }
    | Pick<ProviderOptions, "rpcUrl" | "chain" | "apiKey" | "hyphens">
  )

/**
 * Which logs are sent. `null` among the topics matches any.
 */
export interface LogSelection extends Pick<LogFilter, "address" | "topics"> {}

/**
 * The client. Ending a stream early ends its subscription; each run of a stream subscribes anew.
 */
export interface WebSocketClient extends Client {
  /**
   * Streams the headers of new blocks. A `Gap` reports blocks whose headers are missing, because a connection ended or the server skipped
   * them.
   */
  readonly newHeads: Stream.Stream<BlockSubscriptions.Head | BlockSubscriptions.Gap, Subscription.SubscriptionError>
  /** Streams the logs of new blocks and, with `removed`, those of removed blocks again. A `Gap` reports blocks to read with `eth_getLogs`. */
  readonly logs: (
    selection?: LogSelection,
  ) => Stream.Stream<Log | BlockSubscriptions.Gap, Subscription.SubscriptionError>
  /**
   * Streams the movements of a wallet from a Daybook service, starting at a block, a date or a cursor, without gaps or repeats across
   * reconnections. Pass the `data.cursor` of an event as `from` to continue after it.
   */
  readonly movements: (
    query: MovementSubscription.MovementQuery,
  ) => Stream.Stream<WalletEvent, Subscription.SubscriptionError>
  /** Ends the connection and all running streams. A later request opens a new connection, unless the client's scope has closed. */
  readonly close: Effect.Effect<void>
}

const defaultMaxBytes = 64 * 1024 * 1024
const [defaultMaxQueued, maxQueuedCharacters] = [20_000, 64 * 1024 * 1024]

/** Reads settings of an HTTP URL, at which the same service answers. */
const overHttp = (text: string): string => text.replace(/^\s*ws(s?):/i, "http$1:")

const httpUrl = (url: unknown): unknown => {
  if (url instanceof URL) return overHttp(url.href)
  if (typeof url === "string") return overHttp(url)
  return Redacted.isRedacted(url) ? fromKey(overHttp(String(Redacted.value(url)))) : url
}

/** Names the schemes of a WebSocket in the error of a URL that was read as an HTTP URL. */
const withSocketSchemes = (error: InvalidOption): InvalidOption =>
  new InvalidOption({
    option: error.option,
    expected: error.expected.replace("an http or https URL such as https:", "a ws or wss URL such as wss:"),
    received: error.received.replace("http:// or https://", "ws:// or wss://"),
  })

const platformWebSocket = (): Socket.WebSocketConstructor | undefined =>
  // Sound: the WebSocket of every platform has these members.
  Reflect.get(globalThis, "WebSocket") as Socket.WebSocketConstructor | undefined

const fromOptions = Effect.fnUntraced(function* (
  options: Options,
  closing?: Closing,
): Effect.fn.Return<WebSocketClient, InvalidOption> {
  yield* Effect.fromResult(OptionCheck.members(options, socketKinds))
  const { maxQueued = defaultMaxQueued, webSocket = platformWebSocket(), ...rest } = options ?? {}
  if (webSocket === undefined) {
    const expected = "a WebSocket constructor, such as that of the package ws, because this platform has none"
    return yield* new InvalidOption({ option: "webSocket", expected, received: "nothing" })
  }
  const given: Record<string, unknown> = { ...rest }
  if (Array.isArray(given["url"])) return yield* OptionCheck.invalid("url", "one URL", given["url"])
  for (const name of ["url", "rpcUrl"]) if (given[name] !== undefined) given[name] = httpUrl(given[name])
  const maxCharacters = rest.maxBytes ?? defaultMaxBytes
  const socket = Socket.make({ make: webSocket, maxCharacters, maxQueued, maxQueuedCharacters })
  // Sound: the members were checked, and only the URL scheme differs.
  const httpOptions = { ...given, fetch: socket.fetch } as Parameters<typeof read>[0]
  const settings = yield* Effect.mapError(read(httpOptions), withSocketSchemes)
  const client = start(settings, closing)
  const endpoint = settings.pool.endpoints[0]!.batcher.endpoint
  const source = { client, socket, policy: settings.policy, scrub: endpoint.scrub }
  return {
    ...client,
    newHeads: Subscription.make(source, BlockSubscriptions.heads(source)),
    logs: (selection = {}) => Subscription.make(source, BlockSubscriptions.logs(client, selection)),
    movements: (query) => Subscription.make(source, MovementSubscription.movements(query)),
    close: Effect.sync(socket.close),
  }
})

/**
 * Makes a client whose connection, calls and streams end with the scope. It does not connect afterwards.
 *
 * **Errors**
 * - `InvalidOption`: an option is invalid; the message never shows a URL or a key.
 *
 * **Example** (Following the movements of a wallet)
 *
 * ```ts
 * import * as WebSocketClient from "@daybook/rpc/WebSocketClient"
 * import { Effect, Stream } from "effect"
 *
 * export const following = Effect.gen(function* () {
 *   const rpc = yield* WebSocketClient.make({ rpcUrl: "wss://rpc.example/rpc", chain: "eth", apiKey: "my key" })
 *   const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
 *   yield* Stream.runForEach(rpc.movements({ address, from: 17_000_000 }), (event) => Effect.log(event.type))
 * }).pipe(Effect.scoped)
 * ```
 */
export const make = (options: Options): Effect.Effect<WebSocketClient, InvalidOption, Scope.Scope> =>
  Effect.gen(function* () {
    const closed = Deferred.makeUnsafe<never>()
    const closing = { isClosed: () => Deferred.isDoneUnsafe(closed), closed: Deferred.await(closed) }
    const client = yield* fromOptions(options, closing)
    yield* Effect.addFinalizer(() => Effect.andThen(client.close, Deferred.interrupt(closed)))
    return client
  })

/**
 * Makes a client, or throws `InvalidOption`. Use `close` to end its connection.
 *
 * **Example** (Making a client)
 *
 * ```ts
 * import * as WebSocketClient from "@daybook/rpc/WebSocketClient"
 *
 * console.log(WebSocketClient.makeUnsafe({ url: "wss://n.example/my-key" }).host) // n.example
 * ```
 */
export const makeUnsafe = (options: Options): WebSocketClient => {
  const made = Effect.runSync(Effect.result(fromOptions(options)))
  if (made._tag === "Failure") throw made.failure
  return made.success
}
