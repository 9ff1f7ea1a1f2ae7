/**
 * Events of a wallet as a WebSocket subscription: the interface that the relay needs. `server/rest` provides it, as it does for streams
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
  /** Waits until there may be more events. */
  readonly awaitMore: Effect.Effect<void, CallFailed>
  /** Takes the next events as JSON; empty if the change concerns other wallets. */
  readonly take: Effect.Effect<ReadonlyArray<string>, CallFailed>
}

/** Opens event streams. */
export class WalletStreams extends Context.Service<
  WalletStreams,
  {
    /** Opens a stream with the parameters that follow the kind in `eth_subscribe`; it ends with the scope. */
    readonly open: (
      params: ReadonlyArray<unknown>,
      caller: RelayCaller,
    ) => Effect.Effect<WalletStream, CallFailed, Scope.Scope>
  }
>()("@daybook/service/server/WalletStreams") {}
