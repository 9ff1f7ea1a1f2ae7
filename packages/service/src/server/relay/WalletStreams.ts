/**
 * The events of a wallet as a subscription of a WebSocket: what the relay needs of them. `server/rest` makes them, as it does for streams
 * over HTTP.
 *
 * Source: decisions 0016 and 0073.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CallFailed } from "./LocalMethod.ts"
import type { RelayCaller } from "./RelayCaller.ts"

/** A stream of events. */
export interface WalletStream {
  /** Waits until there is more to take. */
  readonly awaitMore: Effect.Effect<void, CallFailed>
  /** Takes the next events, as JSON; none where the change concerns other wallets. */
  readonly take: Effect.Effect<ReadonlyArray<string>, CallFailed>
}

/** Begins streams of events. */
export class WalletStreams extends Context.Service<
  WalletStreams,
  {
    /** Begins one by the parameters of `eth_subscribe` after its kind; it ends with the scope. */
    readonly open: (
      params: ReadonlyArray<unknown>,
      caller: RelayCaller,
    ) => Effect.Effect<WalletStream, CallFailed, Scope.Scope>
  }
>()("@daybook/service/server/WalletStreams") {}
