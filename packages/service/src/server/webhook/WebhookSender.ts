/**
 * Sends the webhooks of a database: each by one process at a time, which holds a lease. A message is stored before it is sent, so that
 * every attempt has the same id and bytes, even after another process takes over. The position advances on delivery.
 *
 * Source: decision 0073.
 */
import { randomUUID } from "node:crypto"
import type { Decoder } from "@daybook/abi/Decoder"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import * as Delivery from "../../push/Delivery.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Events from "../../push/WalletEvents.ts"
import * as Webhook from "../../push/Webhook.ts"
import * as WebhookBeginning from "../../push/WebhookBeginning.ts"
import * as WebhookPosition from "../../push/WebhookPosition.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { ApiKeys, KeyGrant } from "../../store/ApiKeys.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { StoredWebhook, Webhooks } from "../../store/Webhooks.ts"
import type { WalletChanges } from "../../store/WebhookWallets.ts"
import { fromDefect } from "../../supervision/UnexpectedFailure.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as Turns from "../admission/Turns.ts"
import * as WalletTransactions from "../rest/WalletTransactions.ts"
import * as KnownWebhooks from "./KnownWebhooks.ts"
import * as WebhookAttempt from "./WebhookAttempt.ts"
import * as WebhookGrants from "./WebhookGrants.ts"
import * as WebhookMessage from "./WebhookMessage.ts"
import * as WebhookLookups from "./WebhookLookups.ts"
import * as WebhookProgress from "./WebhookProgress.ts"

/** Dependencies of the sender. */
export interface Options extends WebhookAttempt.Options {
  readonly config: Pick<Config, "empty" | "limits">
  readonly chains: ReadonlyArray<IndexedChain>
  readonly contracts: ChainContracts["Service"]
  readonly decoder: Decoder
  readonly webhooks: Webhooks
  /** API keys. A webhook is paused if its key is revoked, has expired, or no longer permits it. */
  readonly keys: Pick<ApiKeys, "list">
  /** Called with the result of each attempt. */
  readonly onAttempt?: (result: Webhook.Attempt["result"]) => void
  /** Number of wallets with their own position that are read at once. Default: 1,000. */
  readonly windowSize?: number
}

/**
 * Duration of the lease under which a process sends a webhook, unless it renews the lease. An attempt takes less time. An idle webhook
 * needs no lease.
 */
const leaseMillis = 30_000
/** Interval at which the API key of an idle webhook is checked again. */
const grantMillis = 8_000
/**
 * Number of journal changes after which the positions of an idle webhook are stored. Older stored positions would eventually fall out of
 * the journal.
 */
const storeChanges = 10_000
/** Maximum time until a change by others is noticed. */
const lookMillis = 1_000

/** Number of wallets for which rejoining the shared position is worth a separate write; fewer rejoin with the next write. */
const joiningAlone = 64

/** Number of wallets that receive their first position in one change. */
const begunAtOnce = 1_000

/** State that the sending process keeps in memory for a webhook. */
interface Memory {
  /** Owner of its API key, by which it takes turns; empty for the operator, and until it is read. */
  holder: string
  /** Positions of its wallets. */
  readonly progress: WebhookProgress.Progress
  /** True once every wallet has a position. */
  hasBegun: boolean
  /** State of the pending message's wallet after delivery, by the id of the message. */
  following: readonly [id: string, state: Events.State] | null
  /** The wallet that was delivered last. The next turn starts after it, so a busy wallet does not delay the others. */
  last: string | null
  /** The revision that this process last wrote or read. Any other revision is a change by others, after which the memory is discarded. */
  revision: number
  /** Result of the windows since the first one: the lowest awaited change, and whether there may be more to send. */
  round: { awaited: number; hasMore: boolean }
}

/** Round in which no window was read yet. */
const newRound = () => ({ awaited: Number.POSITIVE_INFINITY, hasMore: false })

/** What is known of a webhook before it is read. */
const unread = () => ({ hasBegun: false, following: null, round: newRound() })

/** Drops what will be read from the database again. */
const forget = (memory: Memory): void => {
  WebhookProgress.forget(memory.progress)
  Object.assign(memory, unread())
}

/** A sending process. */
interface Sender extends Options, WebhookMessage.Options {
  readonly owner: string
  readonly known: KnownWebhooks.KnownWebhooks
  readonly lookUp: WebhookLookups.WebhookLookups
  /** What an API key permits now; `null` if it is revoked or has expired. */
  readonly grantOf: (name: string) => Effect.Effect<KeyGrant | null, StoreError>
}

/** Stores a webhook; false if others changed it meanwhile. */
const store = (
  { known, webhooks }: Sender,
  { name, revision }: StoredWebhook,
  webhook: Webhook.Webhook,
  memory: Memory,
  wallets?: WalletChanges,
) =>
  Effect.tap(webhooks.change(name, revision, Webhook.encode(webhook), wallets), (isStored) =>
    Effect.sync(() => {
      if (!isStored) return
      memory.revision = revision + 1
      known.setLeased(name, revision + 1)
    }),
  )

/** Stores a webhook with the positions of its wallets from memory. */
const storeAll = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  webhook: Webhook.Webhook,
  memory: Memory,
  options: WebhookProgress.Options & Pick<WalletChanges, "part"> = {},
): Effect.fn.Return<void, StoreError> {
  const { done, sharedPosition, wallets } = WebhookProgress.saving(memory.progress, options)
  const next = sharedPosition === null ? webhook : { ...webhook, place: WebhookPosition.toStored(sharedPosition) }
  yield* store(sender, stored, next, memory, { ...wallets, part: options.part })
  // If others changed the webhook, the next turn discards the memory.
  done()
})

/** State of a wallet after a delivered message; `null` if another version made the message. */
const stateBehind = (
  sender: Sender,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  { id, position, wallet }: NonNullable<Webhook.Webhook["pending"]> & { readonly wallet: string },
  { following }: Memory,
): Events.State | null => {
  if (following?.[0] === id) return following[1]
  const selection = Events.selectionText(WebhookMessage.subscriptionOf(sender, chain, webhook, wallet))
  const found = EventPosition.parse(position, selection)
  return Result.isSuccess(found) ? { ...Events.after(found.success), isCovered: true } : null
}

/** Sends the pending message and stores the result. */
const deliver = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  pending: NonNullable<Webhook.Webhook["pending"]>,
  memory: Memory,
): Effect.fn.Return<void, StoreError> {
  const [outcome, made] = yield* WebhookAttempt.send(sender, webhook, pending)
  sender.onAttempt?.(made.result)
  const nowMillis = yield* Clock.currentTimeMillis
  const attempts = Delivery.after(webhook.attempts, outcome, { nowMillis, random: yield* Random.next })
  const next = { ...webhook, attempts, log: Webhook.logged(webhook.log, made) }
  if (attempts.paused !== null) yield* Effect.logWarning(`Webhook ${stored.name} is paused: ${attempts.paused}`)
  if (outcome._tag !== "Delivered") {
    yield* store(sender, stored, next, memory)
    return
  }
  const delivered = { ...next, pending: null, delivered: webhook.delivered + 1 }
  const { wallet } = pending
  const state = wallet === null ? null : stateBehind(sender, chain, webhook, { ...pending, wallet }, memory)
  if (wallet === null || state === null) {
    yield* store(sender, stored, delivered, memory)
    return
  }
  memory.progress.states.set(wallet, state)
  memory.following = null
  memory.last = wallet
  yield* storeAll(sender, stored, delivered, memory, { moved: wallet })
})

/** A webhook with what is needed to read its wallets. */
const sourceOf = (sender: Sender, name: string, chain: IndexedChain, webhook: Webhook.Webhook) => ({
  name,
  chain,
  webhook,
  webhooks: sender.webhooks,
  lookups: sender.lookUp,
})

/** Moves on to the next window after one without a message. Returns the awaited change once all windows were read without a change. */
const afterWindow = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  webhook: Webhook.Webhook,
  memory: Memory,
  awaited: number,
): Effect.fn.Return<number | null, StoreError> {
  const { progress, round } = memory
  const joining = WebhookProgress.joining(progress)
  if (WebhookProgress.isWhole(progress) && !WebhookProgress.isFull(progress)) {
    if (joining < joiningAlone) return awaited
    yield* storeAll(sender, stored, webhook, memory)
    return null
  }
  round.awaited = Math.min(round.awaited, awaited)
  if (joining > 0 || progress.unsaved.size > 0) {
    round.hasMore = true
    yield* storeAll(sender, stored, webhook, memory)
  }
  const isLast = progress.window?.end === null
  WebhookProgress.leaveWindow(progress)
  if (!isLast) return null
  memory.round = newRound()
  return round.hasMore ? null : round.awaited
})

/** Gives a first position to some of the wallets that have none; false if all have one. */
const begin = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  memory: Memory,
): Effect.fn.Return<boolean, Events.StreamError> {
  if (memory.hasBegun) return false
  const found = yield* sender.webhooks.walletsOf(stored.name, { position: "none", limit: begunAtOnce })
  memory.hasBegun = found.length === 0
  if (memory.hasBegun) return false
  const wallets = found.map(({ wallet }) => wallet)
  yield* store(sender, stored, webhook, memory, { move: yield* WebhookBeginning.begun(chain, webhook, wallets) })
  return true
})

/** Stores the next message. If there is none, returns the changes after which there may be one. */
const prepare = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  memory: Memory,
): Effect.fn.Return<number | null, Events.StreamError> {
  const { progress } = memory
  const source = sourceOf(sender, stored.name, chain, webhook)
  yield* WebhookProgress.load(source, progress)
  const passed = yield* WebhookProgress.passShared(source, progress)
  if (typeof passed !== "number") {
    yield* storeAll(sender, stored, webhook, memory, { part: WebhookPosition.toStored(passed) })
    WebhookProgress.forget(progress)
    return null
  }
  if (WebhookProgress.isServed(progress)) {
    memory.round.hasMore = true
    return yield* afterWindow(sender, stored, webhook, memory, passed)
  }
  let awaited = passed
  for (const wallet of WebhookProgress.inTurn(progress, memory.last)) {
    // Sound: the wallet is one of these.
    const state = progress.states.get(wallet)!
    const found = yield* WebhookMessage.next(sender, { name: stored.name, chain, webhook }, wallet, state)
    progress.states.set(wallet, found.state)
    if (found.message === null) {
      awaited = Math.min(awaited, found.awaited)
      continue
    }
    memory.following = [found.message.id, found.following]
    progress.messages++
    yield* storeAll(sender, stored, { ...webhook, pending: found.message }, memory, { kept: wallet })
    return null
  }
  return yield* afterWindow(sender, stored, webhook, memory, awaited)
})

/** Pauses a webhook: nothing is sent until its owner acts. */
const pause = (sender: Sender, stored: StoredWebhook, webhook: Webhook.Webhook, memory: Memory, reason: string) =>
  Effect.andThen(
    Effect.logWarning(`Webhook ${stored.name} is paused: ${reason}`),
    store(sender, stored, Webhook.paused(webhook, reason), memory),
  )

const look = Effect.sleep(Duration.millis(lookMillis))

/** Waits until others change a webhook, a duration has passed, or another effect completes. */
const rest = <E = never>(
  { known }: Sender,
  name: string,
  memory: Memory,
  others: ReadonlyArray<Effect.Effect<unknown, E>>,
): Effect.Effect<void, E> => {
  const changed: Effect.Effect<unknown, E> = known.until(name, ({ revision }) => revision !== memory.revision)
  return Effect.asVoid(Effect.raceAllFirst([changed, ...others]))
}

/** Waits, without the lease, until a change has something to send, or positions are due to be stored. */
const idle = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  memory: Memory,
  from: number,
): Effect.fn.Return<void, StoreError> {
  const { progress } = memory
  const source = sourceOf(sender, stored.name, chain, webhook)
  let awaited: number | null = from
  while (awaited !== null) {
    yield* chain.recent.awaitChange(awaited)
    awaited = yield* WebhookProgress.passOver(source, progress)
    if (awaited === null || awaited - progress.storedChange < storeChanges) continue
    yield* storeAll(sender, stored, webhook, memory, { isAll: true })
    return
  }
})

/** Waits until the API key of a webhook no longer permits it. */
const untilRefused = (sender: Sender, holder: string, chain: IndexedChain) =>
  Effect.repeat(
    Effect.delay(
      Effect.map(sender.grantOf(holder), (grant) => WebhookGrants.issueOf(grant, chain)),
      grantMillis,
    ),
    { until: (issue) => issue !== undefined },
  )

/** Sends the pending message, stores the next one, or waits for one. */
const act = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  memory: Memory,
): Effect.fn.Return<void, Events.StreamError> {
  const { name } = stored
  const { attempts, holder, pending, test } = webhook
  const now = yield* Clock.currentTimeMillis
  if (pending !== null) {
    if (now < attempts.nextAt) {
      return yield* rest(sender, name, memory, [Effect.sleep(attempts.nextAt - now)])
    }
    return yield* deliver(sender, stored, chain, webhook, pending, memory)
  }
  if (test !== null) {
    const body = JSON.stringify({ type: "test", timestamp: new Date(now).toISOString(), data: { webhook: name } })
    const next = { ...webhook, test: null, pending: { id: test, body, events: 0, wallet: null, position: "" } }
    yield* store(sender, stored, next, memory)
    return
  }
  const awaited = yield* prepare(sender, stored, chain, webhook, memory)
  if (awaited === null) return
  const refused = holder === null ? [] : [untilRefused(sender, holder, chain)]
  yield* rest(sender, name, memory, [idle(sender, stored, chain, webhook, memory, awaited), ...refused])
})

/** Runs one turn of a webhook. */
const turn = Effect.fnUntraced(function* (
  sender: Sender,
  name: string,
  memory: Memory,
): Effect.fn.Return<void, StoreError> {
  const stored = yield* sender.webhooks.acquire(name, sender.owner, leaseMillis)
  if (stored === null) {
    // Another process may have sent meanwhile, so nothing that was read without the lease is used.
    forget(memory)
    sender.known.setLeased(name, memory.revision)
    yield* sender.known.until(name, ({ isFree }) => isFree)
    return
  }
  if (stored.revision !== memory.revision) forget(memory)
  memory.revision = stored.revision
  memory.holder = stored.holder ?? ""
  sender.known.setLeased(name, stored.revision)
  const webhook = yield* Webhook.decode(stored.content)
  const { attempts, holder } = webhook
  const chain = sender.chains.find((one) => one.name === webhook.chain)
  if (attempts.paused !== null || chain === undefined) return yield* rest(sender, name, memory, [])
  const issue = holder === null ? undefined : WebhookGrants.issueOf(yield* sender.grantOf(holder), chain)
  if (issue !== undefined) {
    yield* pause(sender, stored, webhook, memory, issue)
    return
  }
  yield* begin(sender, stored, chain, webhook, memory).pipe(
    Effect.flatMap((hasMore) => (hasMore ? Effect.void : act(sender, stored, chain, webhook, memory))),
    Effect.catchTag("Stale", ({ resumeFromBlock }) =>
      pause(
        sender,
        stored,
        { ...webhook, forgotten: true },
        memory,
        `The changes since its position are no longer stored. Delete the rows from block ${resumeFromBlock} onwards, and replay from it.`,
      ),
    ),
    Effect.catchTag("NotWatched", ({ wallet }) =>
      pause(
        sender,
        stored,
        webhook,
        memory,
        `Wallet not watched: ${wallet}. Remove it from the webhook or watch it again, then resume.`,
      ),
    ),
    Effect.catchTag("NotDerived", () => look),
  )
})

/** Runs the turns of a webhook for as long as it exists. Database failures and defects are retried. */
const serve = (sender: Sender, name: string) => {
  const memory: Memory = {
    holder: "",
    progress: WebhookProgress.make(sender.windowSize),
    last: null,
    revision: 0,
    ...unread(),
  }
  return Effect.suspend(() => Effect.provideService(turn(sender, name, memory), Turns.Holder, memory.holder)).pipe(
    Effect.provideService(Turns.Kind, "webhook"),
    fromDefect,
    Effect.catch(({ message }) => {
      // The turn may have ended between a database change and the update of the memory.
      forget(memory)
      return Effect.andThen(Effect.logWarning(`Webhook ${name}: ${message}`), Effect.sleep(Duration.seconds(5)))
    }),
    Effect.forever,
    Effect.ensuring(Effect.ignore(sender.webhooks.acquire(name, sender.owner, 0))),
  )
}

/** Sends webhooks until interrupted. */
export const run = (options: Options) => {
  const decode = WalletTransactions.rowDecoder(options.decoder, options.config.limits.pageBytes)
  const known = KnownWebhooks.make()
  const sender: Sender = {
    ...options,
    owner: randomUUID(),
    decode,
    known,
    lookUp: WebhookLookups.make(options.webhooks),
    grantOf: WebhookGrants.finder(options.keys),
  }
  return Effect.scoped(
    Effect.gen(function* () {
      const fibers = yield* FiberMap.make<string>()
      for (;;) {
        const found = yield* sender.webhooks.overview.pipe(Effect.catch(() => Effect.succeed(null)))
        if (found !== null) {
          for (const [name, webhook] of found) {
            known.set(name, webhook)
            if (!FiberMap.hasUnsafe(fibers, name)) yield* FiberMap.run(fibers, name, serve(sender, name))
          }
          for (const [name] of fibers) {
            if (found.has(name)) continue
            known.remove(name)
            yield* FiberMap.remove(fibers, name)
          }
        }
        yield* look
      }
    }),
  )
}
