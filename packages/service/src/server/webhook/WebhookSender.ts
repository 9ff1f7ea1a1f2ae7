/**
 * Sends the webhooks of a database: one process for each at a time, by a lease. A message is stored before it is sent, so that every attempt
 * has the same id and the same bytes, also after another process took over; the position moves on with its delivery.
 *
 * Source: decision 0073.
 */
import { randomUUID } from "node:crypto"
import type { Decoder } from "@daybook/abi/Decoder"
import * as StandardWebhook from "@daybook/transport/internal/StandardWebhook"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import * as Delivery from "../../push/Delivery.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import type { NameLookups } from "../../push/NameLookups.ts"
import * as SharedSteps from "../../push/SharedSteps.ts"
import * as Events from "../../push/WalletEvents.ts"
import type * as WebhookKey from "../../push/WebhookKey.ts"
import * as Webhook from "../../push/Webhook.ts"
import * as WebhookRequest from "../../push/WebhookRequest.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { ApiKeys, KeyGrant } from "../../store/ApiKeys.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { StoredWebhook, Webhooks } from "../../store/Webhooks.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as EventText from "../rest/EventText.ts"
import * as WalletTransactions from "../rest/WalletTransactions.ts"
import * as KnownWebhooks from "./KnownWebhooks.ts"

/** What the sender needs. */
export interface Options {
  readonly settings: WebhookKey.Settings
  readonly config: Pick<Config, "empty" | "limits">
  readonly chains: ReadonlyArray<IndexedChain>
  readonly contracts: ChainContracts["Service"]
  readonly decoder: Decoder
  readonly webhooks: Webhooks
  /** The API keys: a webhook of a key that is revoked, has expired or no longer permits it is paused. */
  readonly keys: Pick<ApiKeys, "list">
  /** Receives what each attempt gave. */
  readonly onAttempt?: (result: Webhook.Attempt["result"]) => void
  readonly lookups: NameLookups
}

/** Time for which a process sends for a webhook, unless it takes the lease again. An attempt takes less. An idle one takes no lease. */
const leaseMillis = 30_000
/** Time after which the API key of an idle webhook is looked at again. */
const grantMillis = 8_000
/** Changes of the journal after which the positions of an idle webhook are stored: those that were stored before would be forgotten some day. */
const storeChanges = 10_000
/** Longest time until a change by others is noticed. */
const lookMillis = 1_000
/** Time for which the grants of the API keys are remembered. */
const keysMillis = 5_000
/** Events of a message, unless one block has more. */
const maxEvents = 100
/** Bytes of the rows of a step. */
const stepBytes = 128 * 1024

/** Where the wallets of a webhook are, in the memory of the process that sends. */
interface Memory {
  readonly states: Map<string, Events.State>
  /** The state of the wallet of the pending message once it is delivered, by the id of the message. */
  following: readonly [id: string, state: Events.State] | null
  /** The wallet that was delivered last, behind which the next turn begins: a busy wallet does not keep back the others. */
  last: string | null
  /** The revision that this process wrote or read last: another one is a change by others, after which the memory is not used. */
  revision: number
  /** The change that all stored positions have reached; `null` where it is not known. */
  storedChange: number | null
}

/** The events of a step that become one message: it ends where the position moves on, or with the step. */
const batchOf = (
  { sent, state }: Pick<Events.Step, "sent" | "state">,
  cursors: ReadonlyArray<string>,
  start: string,
): readonly [count: number, state: Events.State] => {
  // The first row of a block has a position too, from which the block is sent again.
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

/** Forgets what is read again of the database. */
const forget = (memory: Memory): void => {
  memory.states.clear()
  memory.following = null
  memory.storedChange = null
}

/** The change that all stored positions of a webhook have reached, whatever process stored them. */
const storedChangeOf = ({ addresses, positions }: Webhook.Webhook): number =>
  addresses.reduce(
    (lowest, wallet) => Math.min(lowest, EventPosition.changeOf(positions[wallet] ?? "") ?? 0),
    Number.MAX_SAFE_INTEGER,
  )

const isRow = ({ event: { _tag } }: Events.PlacedEvent): boolean => _tag !== "Covered" && _tag !== "Final"

/** A process that sends. */
interface Sender extends Options {
  readonly owner: string
  readonly decode: ReturnType<typeof WalletTransactions.rowDecoder>
  readonly known: KnownWebhooks.KnownWebhooks
  /** What an API key permits now; `null` where it was revoked, or has expired. */
  readonly grantOf: (name: string) => Effect.Effect<KeyGrant | null, StoreError>
}

/** Stores a webhook; false where others changed it meanwhile. */
const store = (
  { known, webhooks }: Sender,
  { name, revision }: StoredWebhook,
  webhook: Webhook.Webhook,
  memory: Memory,
) =>
  Effect.tap(webhooks.change(name, revision, Webhook.encode(webhook)), (isStored) =>
    Effect.sync(() => {
      if (!isStored) return
      memory.revision = revision + 1
      known.set(name, { revision: revision + 1, isFree: false })
    }),
  )

const subscriptionOf = ({ config }: Sender, chain: IndexedChain, webhook: Webhook.Webhook, wallet: string) =>
  Webhook.subscriptionOf(webhook, chain, wallet, Math.min(stepBytes, config.limits.pageBytes))

const startOf = (sender: Sender, chain: IndexedChain, webhook: Webhook.Webhook, wallet: string, memory: Memory) => {
  const known = memory.states.get(wallet)
  if (known !== undefined) return Effect.succeed(known)
  const subscription = subscriptionOf(sender, chain, webhook, wallet)
  const stored = webhook.positions[wallet]
  const position = stored === undefined ? undefined : EventPosition.parse(stored, Events.selectionText(subscription))
  // Webhooks do not send what is covered without rows: a wallet may go on from here with what all wallets share.
  if (position !== undefined && Result.isSuccess(position)) {
    return Effect.succeed({ ...Events.after(position.success), isCovered: true })
  }
  const { from } = webhook
  const at =
    from === "now" ? ({ _tag: "Now" } as const) : ({ _tag: "At", bound: { _tag: "Block", block: from } } as const)
  return Events.start(subscription, at)
}

/** The next message of a wallet; `null` where nothing is to be sent, with the change that may be followed by more. */
const collect = Effect.fnUntraced(function* (
  sender: Sender,
  name: string,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  wallet: string,
  memory: Memory,
): Effect.fn.Return<Webhook.Webhook["pending"] | number, Events.StreamError> {
  const subscription = subscriptionOf(sender, chain, webhook, wallet)
  const selection = Events.selectionText(subscription)
  let state = yield* startOf(sender, chain, webhook, wallet, memory)
  for (;;) {
    const step = yield* SharedSteps.step(subscription, state)
    if (!step.sent.some(isRow)) {
      state = step.state
      memory.states.set(wallet, state)
      if (step.awaited !== null) return step.awaited
      continue
    }
    const { decoder: contractDecoder, label } = yield* sender.contracts.find(chain)
    const now = yield* Clock.currentTimeMillis
    const written = EventText.events(step, now, {
      chain,
      wallet,
      selection,
      label,
      empty: sender.config.empty,
      contractDecoder,
      decode: sender.decode,
    })
    const cursors = written.map(({ cursor }) => cursor)
    const [count, following] = batchOf(step, cursors, EventPosition.format(state.position, selection))
    const events = written.slice(0, count).map(({ json }) => json)
    const id = Webhook.newId()
    const head = JSON.stringify({ webhook: name, chain: chain.name, address: wallet }).slice(0, -1)
    const timestamp = new Date(now).toISOString()
    memory.following = [id, following]
    const body = `{"type":"wallet.events","timestamp":"${timestamp}","data":${head},"events":[${events.join(",")}]}}`
    return { id, body, events: count, wallet, position: EventPosition.format(following.position, selection) }
  }
})

/** Sends the pending message once. */
const attempt = Effect.fnUntraced(function* (
  sender: Sender,
  webhook: Webhook.Webhook,
  { body, events, id }: NonNullable<Webhook.Webhook["pending"]>,
): Effect.fn.Return<readonly [Delivery.Outcome, Webhook.Attempt], StoreError> {
  const at = yield* Clock.currentTimeMillis
  const timestamp = Math.floor(at / 1_000)
  const signed = { id, timestamp, body: new TextEncoder().encode(body) }
  const keys = yield* Webhook.signingKeys(sender.settings.key, webhook, at)
  const signatures = yield* Effect.promise(() => Promise.all(keys.map((one) => StandardWebhook.sign(signed, one))))
  const headers = {
    "content-type": "application/json",
    "user-agent": "daybook",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  }
  const received = yield* WebhookRequest.send(webhook.url, headers, body, {
    allowPrivate: sender.settings.allowPrivate,
    lookUp: sender.lookups.ofHolder(webhook.holder ?? ""),
  })
  const now = yield* Clock.currentTimeMillis
  const made = { message: id, at, attempt: webhook.attempts.failures + 1, events, millis: Math.max(0, now - at) }
  if (received._tag === "Failed") {
    const { reason } = received
    return [
      { _tag: "Failed", retryAfterMillis: undefined },
      { ...made, result: "failed", status: null, reason },
    ]
  }
  const { retryAfter, status } = received
  const answered = { ...made, status, reason: null }
  if (status >= 200 && status < 300) return [{ _tag: "Delivered" }, { ...answered, result: "delivered" }]
  if (status === 410) return [{ _tag: "Gone" }, { ...answered, result: "gone" }]
  const retryAfterMillis = Delivery.retryAfterMillis(retryAfter, now)
  return [
    { _tag: "Failed", retryAfterMillis },
    { ...answered, result: "failed" },
  ]
})

/** The positions of a webhook with those that its wallets have reached without a row. */
const positionsOf = (
  { chains, config }: Pick<Sender, "chains" | "config">,
  webhook: Webhook.Webhook,
  memory: Memory,
): Webhook.Webhook["positions"] => {
  const chain = chains.find((one) => one.name === webhook.chain)
  if (chain === undefined) return webhook.positions
  const maxBytes = Math.min(stepBytes, config.limits.pageBytes)
  const reached = [...memory.states].map(([wallet, { pending, position }]) => {
    const selection = Events.selectionText(Webhook.subscriptionOf(webhook, chain, wallet, maxBytes))
    return pending === null ? [wallet, EventPosition.format(position, selection)] : [wallet, webhook.positions[wallet]]
  })
  return { ...webhook.positions, ...Object.fromEntries(reached) }
}

/** Sends, and stores the result. */
const deliver = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  webhook: Webhook.Webhook,
  pending: NonNullable<Webhook.Webhook["pending"]>,
  memory: Memory,
): Effect.fn.Return<void, StoreError> {
  const [outcome, made] = yield* attempt(sender, webhook, pending)
  sender.onAttempt?.(made.result)
  const nowMillis = yield* Clock.currentTimeMillis
  const attempts = Delivery.after(webhook.attempts, outcome, { nowMillis, random: yield* Random.next })
  const next = { ...webhook, attempts, log: Webhook.logged(webhook.log, made) }
  if (attempts.paused !== null) yield* Effect.logWarning(`Webhook ${stored.name} is paused: ${attempts.paused}`)
  if (outcome._tag !== "Delivered") {
    yield* store(sender, stored, next, memory)
    return
  }
  const { id, position, wallet } = pending
  const moved = positionsOf(sender, webhook, memory)
  const positions = wallet === null ? moved : { ...moved, [wallet]: position }
  const delivered = { ...next, positions, pending: null, delivered: webhook.delivered + 1 }
  const isStored = yield* store(sender, stored, delivered, memory)
  if (!isStored || wallet === null) return
  memory.last = wallet
  if (memory.following?.[0] === id) memory.states.set(wallet, memory.following[1])
  else memory.states.delete(wallet)
  memory.following = null
})

/** Stores the next message; gives the changes that may be followed by more where there is none. */
const prepare = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  memory: Memory,
): Effect.fn.Return<number | null, Events.StreamError> {
  const positions: Record<string, string> = { ...webhook.positions }
  const missing = webhook.addresses.filter((wallet) => positions[wallet] === undefined)
  for (const wallet of missing) {
    const { position } = yield* startOf(sender, chain, webhook, wallet, memory)
    const selection = Events.selectionText(subscriptionOf(sender, chain, webhook, wallet))
    positions[wallet] = EventPosition.format(position, selection)
  }
  if (missing.length > 0) {
    yield* store(sender, stored, { ...webhook, positions }, memory)
    return null
  }
  let awaited = Number.POSITIVE_INFINITY
  const { addresses } = webhook
  const first = memory.last === null ? 0 : addresses.indexOf(memory.last) + 1
  for (const wallet of [...addresses.slice(first), ...addresses.slice(0, first)]) {
    const found = yield* collect(sender, stored.name, chain, webhook, wallet, memory)
    if (typeof found === "number") {
      awaited = Math.min(awaited, found)
      continue
    }
    yield* store(sender, stored, { ...webhook, pending: found }, memory)
    return null
  }
  return awaited
})

/** A webhook of which nothing is sent until its owner acts. */
const pause = (sender: Sender, stored: StoredWebhook, webhook: Webhook.Webhook, memory: Memory, reason: string) =>
  Effect.andThen(
    Effect.logWarning(`Webhook ${stored.name} is paused: ${reason}`),
    store(sender, stored, Webhook.paused(webhook, reason), memory),
  )

const look = Effect.sleep(Duration.millis(lookMillis))

/** Waits until others changed a webhook, a time has passed, or something else is over. */
const rest = <E = never>(
  { known }: Sender,
  name: string,
  memory: Memory,
  others: ReadonlyArray<Effect.Effect<unknown, E>>,
): Effect.Effect<void, E> => {
  const changed: Effect.Effect<unknown, E> = known.until(name, ({ revision }) => revision !== memory.revision)
  return Effect.asVoid(Effect.raceAllFirst([changed, ...others]))
}

/** Why nothing is sent for an API key; undefined where it permits webhooks of the chain. */
const issueOfGrant = (grant: KeyGrant | null, chain: IndexedChain): string | undefined =>
  grant === null
    ? "Its API key was revoked, or has expired."
    : (KeyScope.webhooksIssue(grant) ?? KeyScope.chainIssue(grant, chain))

/** Waits, without the lease, until a change has something to send, or its positions are to be stored. */
const idle = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  chain: IndexedChain,
  webhook: Webhook.Webhook,
  memory: Memory,
  from: number,
): Effect.fn.Return<void, StoreError> {
  memory.storedChange ??= storedChangeOf(webhook)
  const shared = { chain, isFinal: webhook.finality === "final" }
  let awaited: number | null = from
  while (awaited !== null) {
    yield* chain.recent.awaitChange(awaited)
    awaited = yield* SharedSteps.passOver(shared, webhook.addresses, memory.states)
    if (awaited === null || awaited - memory.storedChange < storeChanges) continue
    memory.storedChange = awaited
    yield* store(sender, stored, { ...webhook, positions: positionsOf(sender, webhook, memory) }, memory)
    return
  }
})

/** Waits until the API key of a webhook does not permit it any more. */
const untilRefused = (sender: Sender, holder: string, chain: IndexedChain) =>
  Effect.repeat(
    Effect.delay(
      Effect.map(sender.grantOf(holder), (grant) => issueOfGrant(grant, chain)),
      grantMillis,
    ),
    { until: (issue) => issue !== undefined },
  )

/** Takes one turn of a webhook. */
const turn = Effect.fnUntraced(function* (
  sender: Sender,
  name: string,
  memory: Memory,
): Effect.fn.Return<void, StoreError> {
  const stored = yield* sender.webhooks.acquire(name, sender.owner, leaseMillis)
  if (stored === null) {
    // Another process may have sent meanwhile. It has the lease, whatever was read of it before.
    forget(memory)
    sender.known.set(name, { revision: memory.revision, isFree: false })
    yield* sender.known.until(name, ({ isFree }) => isFree)
    return
  }
  if (stored.revision !== memory.revision) forget(memory)
  memory.revision = stored.revision
  sender.known.set(name, { revision: stored.revision, isFree: false })
  const webhook = yield* Webhook.decode(stored.content)
  const { attempts, holder, pending, test } = webhook
  const chain = sender.chains.find((one) => one.name === webhook.chain)
  if (attempts.paused !== null || chain === undefined) return yield* rest(sender, name, memory, [])
  const issue = holder === null ? undefined : issueOfGrant(yield* sender.grantOf(holder), chain)
  if (issue !== undefined) {
    yield* pause(sender, stored, webhook, memory, issue)
    return
  }
  const now = yield* Clock.currentTimeMillis
  if (pending !== null) {
    if (now < attempts.nextAt) {
      return yield* rest(sender, name, memory, [Effect.sleep(attempts.nextAt - now)])
    }
    return yield* deliver(sender, stored, webhook, pending, memory)
  }
  if (test !== null) {
    const body = JSON.stringify({ type: "test", timestamp: new Date(now).toISOString(), data: { webhook: name } })
    const next = { ...webhook, test: null, pending: { id: test, body, events: 0, wallet: null, position: "" } }
    yield* store(sender, stored, next, memory)
    return
  }
  yield* prepare(sender, stored, chain, webhook, memory).pipe(
    Effect.flatMap((awaited) => {
      if (awaited === null) return Effect.void
      const refused = holder === null ? [] : [untilRefused(sender, holder, chain)]
      return rest(sender, name, memory, [idle(sender, stored, chain, webhook, memory, awaited), ...refused])
    }),
    Effect.catchTag("Stale", ({ resumeFromBlock }) =>
      pause(
        sender,
        stored,
        { ...webhook, forgotten: true },
        memory,
        `The changes since its position are forgotten. Drop the rows from block ${resumeFromBlock} on, and replay from it.`,
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

/** Turns of a webhook for as long as it exists. A failure of the database is tried again. */
const serve = (sender: Sender, name: string) => {
  const memory: Memory = { states: new Map(), following: null, last: null, revision: 0, storedChange: null }
  return turn(sender, name, memory).pipe(
    Effect.catch(({ message }) =>
      Effect.andThen(Effect.logWarning(`Webhook ${name}: ${message}`), Effect.sleep(Duration.seconds(5))),
    ),
    Effect.forever,
    Effect.ensuring(Effect.ignore(sender.webhooks.acquire(name, sender.owner, 0))),
  )
}

/** What keys permit, by grants that are read from time to time. */
const grantFinder = (keys: Options["keys"]): Sender["grantOf"] => {
  let known: { readonly grants: ReadonlyMap<string, KeyGrant>; readonly until: number } = {
    grants: new Map(),
    until: 0,
  }
  return Effect.fnUntraced(function* (name: string): Effect.fn.Return<KeyGrant | null, StoreError> {
    const now = yield* Clock.currentTimeMillis
    if (now >= known.until || now < known.until - keysMillis) {
      const listed = yield* keys.list
      known = { grants: new Map(listed.map((key) => [key.name, key])), until: now + keysMillis }
    }
    const grant = known.grants.get(name)
    return grant !== undefined && now < (grant.expires ?? Infinity) ? grant : null
  })
}

/** Sends the webhooks until it is interrupted. */
export const run = (options: Options) => {
  const decode = WalletTransactions.rowDecoder(options.decoder, options.config.limits.pageBytes)
  const known = KnownWebhooks.make()
  const sender: Sender = { ...options, owner: randomUUID(), decode, known, grantOf: grantFinder(options.keys) }
  return Effect.scoped(
    Effect.gen(function* () {
      const fibers = yield* FiberMap.make<string>()
      for (;;) {
        const found = yield* sender.webhooks.overview.pipe(Effect.catch(() => Effect.succeed(null)))
        for (const [name, webhook] of found ?? []) {
          known.set(name, webhook)
          if (!FiberMap.hasUnsafe(fibers, name)) yield* FiberMap.run(fibers, name, serve(sender, name))
        }
        for (const [name] of found === null ? [] : fibers) {
          if (found?.has(name) === true) continue
          known.remove(name)
          yield* FiberMap.remove(fibers, name)
        }
        yield* look
      }
    }),
  )
}
