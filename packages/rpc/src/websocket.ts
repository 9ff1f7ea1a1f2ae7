/**
 * JSON-RPC client over a WebSocket, for promises: the calls and batches of `@daybook/rpc/promise`, and subscriptions as async iterables. It
 * connects when something is sent, and reconnects after a connection ends.
 */
import type { Log } from "@daybook/schema/Receipt"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as StreamIterable from "@daybook/transport/internal/StreamIterable"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PromiseClient from "./internal/PromiseClient.ts"
import { socketKinds } from "./internal/socket/SocketKinds.ts"
import * as WebSocketClient from "./WebSocketClient.ts"

export { SubscriptionOverflow } from "./WebSocketClient.ts"
export { isRpcError } from "./RpcError.ts"
export type {
  Gap,
  Head,
  LogSelection,
  MovementQuery,
  SocketOptions,
  SubscriptionError,
  WebSocketConstructor,
  WebSocketLike,
} from "./WebSocketClient.ts"
export type { CallOptions, RpcClient } from "./internal/PromiseClient.ts"

/**
 * The options of a client.
 */
export type Options = WebSocketClient.Options & {
  /** Ends the calls and the subscriptions of the client. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Options of a subscription.
 */
export interface SubscriptionOptions {
  /** Aborting ends the subscription; the iteration throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The client. Leaving the loop over a subscription ends it; each loop subscribes anew. Iterations throw the errors of `SubscriptionError`.
 */
export interface RpcWebSocketClient extends PromiseClient.RpcClient {
  /** Iterates the headers of new blocks. A `Gap` reports blocks whose headers are missing, for example after a connection ended. */
  readonly newHeads: (options?: SubscriptionOptions) => AsyncIterable<WebSocketClient.Head | WebSocketClient.Gap>
  /** Iterates the logs of new blocks and, with `removed`, those of removed blocks. A `Gap` reports blocks to read with `eth_getLogs`. */
  readonly logs: (
    selection?: WebSocketClient.LogSelection,
    options?: SubscriptionOptions,
  ) => AsyncIterable<Log | WebSocketClient.Gap>
  /** Iterates the movements of a wallet from a Daybook service, without gaps or repeats across reconnections. */
  readonly movements: (
    query: WebSocketClient.MovementQuery,
    options?: SubscriptionOptions,
  ) => AsyncIterable<WalletEvent>
  /** Ends the connection and all running iterations. A later request opens a new connection. */
  readonly close: () => void
}

/**
 * Makes a client. Nothing is sent before the first call.
 *
 * **Errors**
 * - Throws `InvalidOption` for an invalid option; the message never shows a URL or a key.
 *
 * **Example** (Following the movements of a wallet)
 *
 * ```ts
 * import { createWebSocketClient } from "@daybook/rpc/websocket"
 *
 * const client = createWebSocketClient({ rpcUrl: "wss://rpc.example/rpc", chain: "eth", apiKey: "my key" })
 * export const follow = async (address: string, cursor: string) => {
 *   for await (const event of client.movements({ address, from: cursor })) console.log(event.type, event.data.cursor)
 * }
 * ```
 */
export const createWebSocketClient = (options: Options): RpcWebSocketClient =>
  CallerStack.keepThrown(() => {
    Result.getOrThrow(OptionCheck.members(options, { ...socketKinds, signal: "signal" }))
    const { signal, ...rest } = options ?? {}
    const client = WebSocketClient.makeUnsafe(rest)
    const signalOf = (own: SubscriptionOptions | undefined): AbortSignal | undefined =>
      PromiseClient.both(signal, own?.signal)
    return {
      ...PromiseClient.build(client, signal),
      newHeads: (own) => StreamIterable.values(client.newHeads, signalOf(own)),
      logs: (selection, own) => StreamIterable.values(client.logs(selection), signalOf(own)),
      movements: (query, own) => StreamIterable.values(client.movements(query), signalOf(own)),
      close: () => Effect.runSync(client.close),
    }
  })
