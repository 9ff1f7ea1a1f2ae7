/**
 * Builds the next message of a webhook's wallet: the rows after its position, as far as they form one message.
 *
 * Source: decision 0073.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Config } from "../../config/Config.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as SharedSteps from "../../push/SharedSteps.ts"
import * as Events from "../../push/WalletEvents.ts"
import * as Webhook from "../../push/Webhook.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as EventText from "../rest/EventText.ts"
import type * as WalletTransactions from "../rest/WalletTransactions.ts"

/** Dependencies of messages. */
export interface Options {
  readonly config: Pick<Config, "empty" | "limits">
  readonly contracts: ChainContracts["Service"]
  readonly decode: ReturnType<typeof WalletTransactions.rowDecoder>
}

/** Maximum number of events in a message, unless one block has more. */
const maxEvents = 100
/** Maximum number of bytes of rows per step. */
const stepBytes = 128 * 1024

/** Events of a step that form one message: it ends where the position advances, or with the step. */
const batchOf = (
  { sent, state }: Pick<Events.Step, "sent" | "state">,
  cursors: ReadonlyArray<string>,
  start: string,
): readonly [count: number, state: Events.State] => {
  // The first row of a block also has a position, from which the block is resent.
  const isEnd = (at: number) => {
    const { event, position } = sent[at]!
    if (cursors[at] === start) return false
    if (event._tag === "Transaction" || event._tag === "Movement") return position.next > event.block.number
    return cursors[at] !== (cursors[at - 1] ?? start)
  }
  let end = -1
  for (let at = 0; at < sent.length - 1; at++) {
    if (isEnd(at)) end = at
    if (at + 1 >= maxEvents && end >= 0) return [end + 1, Events.after(sent[end]!.position)]
  }
  return [sent.length, state]
}

const isRow = ({ event: { _tag } }: Events.PositionedEvent): boolean => _tag !== "Covered" && _tag !== "Final"

/** What a webhook sends of a wallet. */
export const subscriptionOf = (
  { config }: Pick<Options, "config">,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  wallet: string,
): Events.Subscription => Webhook.subscriptionOf(webhook, chain, wallet, Math.min(stepBytes, config.limits.pageBytes))

/** A webhook by its name, on its chain. */
export interface Source {
  readonly name: string
  readonly chain: IndexedChain
  readonly webhook: Webhook.Webhook
}

/** What follows a position. */
export type Next =
  /** No row, and the change that one may follow. */
  | { readonly message: null; readonly state: Events.State; readonly awaited: number }
  /** A message, the state before it, and the state after its delivery. */
  | {
      readonly message: NonNullable<Webhook.Webhook["pending"]>
      readonly state: Events.State
      readonly following: Events.State
    }

/** The next message of a wallet. */
export const next = Effect.fnUntraced(function* (
  options: Options,
  { chain, name, webhook }: Source,
  wallet: string,
  before: Events.State,
): Effect.fn.Return<Next, Events.StreamError> {
  const subscription = subscriptionOf(options, chain, webhook, wallet)
  const selection = Events.selectionText(subscription)
  for (let state = before; ;) {
    const step = yield* SharedSteps.step(subscription, state)
    if (!step.sent.some(isRow)) {
      state = step.state
      if (step.awaited !== null) return { message: null, state, awaited: step.awaited }
      continue
    }
    const { decoder: contractDecoder, label } = yield* options.contracts.find(chain)
    const now = yield* Clock.currentTimeMillis
    const { config, decode } = options
    const about = { chain, wallet, selection, label, empty: config.empty, contractDecoder, decode }
    const written = EventText.events(step, now, about)
    const cursors = written.map(({ cursor }) => cursor)
    const [count, following] = batchOf(step, cursors, EventPosition.format(state.position, selection))
    const events = written.slice(0, count).map(({ json }) => json)
    const head = JSON.stringify({ webhook: name, chain: chain.name, address: wallet }).slice(0, -1)
    const timestamp = new Date(now).toISOString()
    const body = `{"type":"wallet.events","timestamp":"${timestamp}","data":${head},"events":[${events.join(",")}]}}`
    const position = EventPosition.format(following.position, selection)
    return { message: { id: Webhook.newId(), body, events: count, wallet, position }, state, following }
  }
})
