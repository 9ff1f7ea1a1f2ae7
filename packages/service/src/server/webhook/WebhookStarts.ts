/**
 * Converts the blocks, dates and cursors at which a webhook's rows should start to positions.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Events from "../../push/WalletEvents.ts"
import * as Webhook from "../../push/Webhook.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { Webhooks } from "../../store/Webhooks.ts"
import type { WebhookWallet } from "../../store/WebhookWallets.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as JsonBody from "../rest/JsonBody.ts"
import * as OperationError from "../rest/OperationError.ts"
import * as EventSteps from "../rest/EventSteps.ts"
import type * as WebhookAccess from "./WebhookAccess.ts"

const wording: OperationError.Wording = {
  what: "Ledger",
  whenNotDerived: 'Retry later, or use "types": ["wallet.transaction"].',
}

type Settings = Pick<Webhook.Webhook, "finality" | "types">

/** No row is read here. */
const noBytes = 1
/** Number of wallets compared with a cursor at once. */
const readAtOnce = 1_000

const subscriptionOf = (settings: Settings, chain: IndexedChain, wallet: string) =>
  Webhook.subscriptionOf(settings, chain, wallet, noBytes)

/** Makes the functions that find positions. */
export const make = ({
  bounds,
  chains,
  webhooks,
}: {
  readonly bounds: Bounds["Service"]
  readonly chains: ReadonlyArray<IndexedChain>
  readonly webhooks: Pick<Webhooks, "walletsOf">
}) => {
  /** Positions of wallets at a starting point, by wallet. Wallets that are not indexed are rejected. */
  const ofWallets = Effect.fnUntraced(function* (
    chain: IndexedChain,
    settings: Settings,
    wallets: ReadonlyArray<string>,
    from: string,
  ): Effect.fn.Return<ReadonlyMap<string, EventPosition.EventPosition>, ErrorResponse.ErrorResponse> {
    // A repeated request adds nothing: its cursor belongs to a wallet that the webhook already has.
    if (wallets.length === 0 && EventPosition.isText(from)) return new Map()
    if (EventPosition.isText(from) && wallets.length > 1) {
      const expected = "a block number, a date or now, because there are several wallets"
      return yield* JsonBody.invalid("from", expected, "a cursor")
    }
    const subscription = subscriptionOf(settings, chain, wallets[0] ?? "")
    const read = EventSteps.readBeginning(from, Events.selectionText(subscription), "request body")
    const beginning = yield* Effect.fromResult(read).pipe(Effect.catch(ErrorResponse.badRequest))
    if (beginning._tag === "After") return new Map(wallets.map((wallet) => [wallet, beginning.position]))
    if (wallets.length === 0) return new Map()
    return yield* OperationError.answer(bounds.turns.run(Events.startAll(subscription, wallets, beginning)), wording)
  })

  /** The wallet of a webhook to which a cursor belongs, and the position of the cursor; undefined for none. */
  const ownerOf = Effect.fnUntraced(function* (
    chain: IndexedChain,
    { id, webhook }: WebhookAccess.Found,
    cursor: string,
  ): Effect.fn.Return<readonly [wallet: string, EventPosition.EventPosition] | undefined, StoreError> {
    const ownerAmong = (rows: ReadonlyArray<WebhookWallet>) => {
      for (const { wallet } of rows) {
        const selection = Events.selectionText(subscriptionOf(webhook, chain, wallet))
        const position = EventPosition.parse(cursor, selection)
        if (Result.isSuccess(position)) return [wallet, position.success] as const
      }
    }
    for (let after: string | undefined; ;) {
      const rows: ReadonlyArray<WebhookWallet> = yield* webhooks.walletsOf(id, { after, limit: readAtOnce })
      const owner = yield* bounds.turns.run(Effect.sync(() => ownerAmong(rows)))
      if (owner !== undefined) return owner
      if (rows.length < readAtOnce) return undefined
      after = rows.at(-1)?.wallet
    }
  })

  /** The chain of a webhook. */
  const chainOf = ({ chain: name }: Webhook.Webhook): Effect.Effect<IndexedChain, ErrorResponse.ErrorResponse> => {
    const chain = chains.find((one) => one.name === name)
    if (chain !== undefined) return Effect.succeed(chain)
    return ErrorResponse.unavailable("The chain of the webhook is not served now. Retry later.")
  }

  return { chainOf, ofWallets, ownerOf }
}
