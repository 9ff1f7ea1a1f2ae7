/**
 * Where the rows of the wallets of a webhook begin: blocks, dates and cursors of requests as positions.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Events from "../../push/WalletEvents.ts"
import * as Webhook from "../../push/Webhook.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as JsonBody from "../rest/JsonBody.ts"
import * as OperationError from "../rest/OperationError.ts"
import * as EventSteps from "../rest/EventSteps.ts"

const wording: OperationError.Wording = {
  what: "Ledger",
  whenNotDerived: 'Retry later, or use "types": ["wallet.transaction"].',
}

type Settings = Pick<Webhook.Webhook, "finality" | "types">

/** No row is read here. */
const noBytes = 1

const subscriptionOf = (settings: Settings, chain: IndexedChain, wallet: string) =>
  Webhook.subscriptionOf(settings, chain, wallet, noBytes)

/** Makes what finds positions. */
export const make = ({
  bounds,
  chains,
}: {
  readonly bounds: Bounds["Service"]
  readonly chains: ReadonlyArray<IndexedChain>
}) => {
  /** The position of a wallet at a place. A wallet that is not indexed is refused. */
  const ofWallet = Effect.fnUntraced(function* (
    chain: IndexedChain,
    settings: Settings,
    wallet: string,
    from: string,
  ): Effect.fn.Return<EventPosition.EventPosition, ErrorResponse.ErrorResponse> {
    const subscription = subscriptionOf(settings, chain, wallet)
    const read = EventSteps.readBeginning(from, Events.selectionText(subscription), "request body")
    const beginning = yield* Effect.fromResult(read).pipe(Effect.catch(ErrorResponse.badRequest))
    if (beginning._tag === "After") return beginning.position
    const started = bounds.turns.run(Events.start(subscription, beginning))
    return (yield* OperationError.answer(started, wording)).position
  })

  /** The positions of wallets at a place, by wallet. */
  const ofWallets = Effect.fnUntraced(function* (
    chain: IndexedChain,
    settings: Settings,
    wallets: ReadonlyArray<string>,
    from: string,
  ): Effect.fn.Return<Readonly<Record<string, string>>, ErrorResponse.ErrorResponse> {
    if (EventPosition.isText(from) && wallets.length > 1) {
      const expected = "a block number, a date or now, as there are several wallets"
      return yield* JsonBody.invalid("from", expected, "a cursor")
    }
    const entries = yield* Effect.forEach(wallets, (wallet) =>
      Effect.map(ofWallet(chain, settings, wallet, from), (position) => {
        const selection = Events.selectionText(subscriptionOf(settings, chain, wallet))
        return [wallet, EventPosition.format(position, selection)] as const
      }),
    )
    return Object.fromEntries(entries)
  })

  /** The wallet of a webhook that a cursor belongs to; undefined for none. */
  const ownerOf = (chain: IndexedChain, webhook: Webhook.Webhook, cursor: string): string | undefined =>
    webhook.addresses.find((wallet) => {
      const selection = Events.selectionText(subscriptionOf(webhook, chain, wallet))
      return Result.isSuccess(EventPosition.parse(cursor, selection))
    })

  /** The chain of a webhook. */
  const chainOf = ({ chain: name }: Webhook.Webhook): Effect.Effect<IndexedChain, ErrorResponse.ErrorResponse> => {
    const chain = chains.find((one) => one.name === name)
    if (chain !== undefined) return Effect.succeed(chain)
    return ErrorResponse.unavailable("The chain of the webhook is not served now. Retry later.")
  }

  return { chainOf, ofWallet, ofWallets, ownerOf }
}
