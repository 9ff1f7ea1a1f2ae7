/**
 * Determines where the rows of a webhook's wallets start if they have no position yet. It is read when a wallet is added: if it were read
 * later, the rows in between would not be sent.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { IndexedChain } from "../query/IndexedChain.ts"
import type { WebhookWallet } from "../store/WebhookWallets.ts"
import * as Events from "./WalletEvents.ts"
import type { Webhook } from "./Webhook.ts"
import * as WebhookPosition from "./WebhookPosition.ts"

const beginningOf = ({ from }: Pick<Webhook, "from">): Events.Beginning =>
  from === "now" ? { _tag: "Now" } : { _tag: "At", bound: { _tag: "Block", block: from } }

/**
 * Assigns positions to wallets, all from one state of the index. The ledger may be derived later, since positions do not depend on it.
 *
 * **Errors**
 * - `NotWatched`: the index lacks the rows of a wallet.
 */
export const begun = (
  chain: IndexedChain,
  webhook: Pick<Webhook, "finality" | "from">,
  wallets: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<WebhookWallet>, Events.StreamError> => {
  const subscription = {
    chain,
    types: new Set<never>(),
    selection: {},
    isFinal: webhook.finality === "final",
    maxBytes: 1,
  }
  return Effect.map(Events.startAll(subscription, wallets, beginningOf(webhook)), (positions) =>
    [...positions].map(([wallet, position]) => WebhookPosition.ownWallet(wallet, position)),
  )
}
