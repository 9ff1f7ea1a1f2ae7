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
import * as Events from "../../push/WalletEvents.ts"
import * as Webhook from "../../push/Webhook.ts"
import * as WebhookRequest from "../../push/WebhookRequest.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { StoredWebhook, Webhooks } from "../../store/Webhooks.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as EventText from "../rest/EventText.ts"
import * as WalletTransactions from "../rest/WalletTransactions.ts"

/** What the sender needs. */
export interface Options {
  readonly settings: NonNullable<Config["webhooks"]>
  readonly config: Pick<Config, "empty" | "limits">
  readonly chains: ReadonlyArray<IndexedChain>
  readonly contracts: ChainContracts["Service"]
  readonly decoder: Decoder
  readonly webhooks: Webhooks
  /** Default: that of the platform. */
  readonly resolve?: WebhookRequest.Resolve
}

/** Time for which a process sends for a webhook, unless it takes the lease again. An attempt takes less. */
const leaseMillis = 30_000
/** Longest time until a change by the operator is noticed. */
const lookMillis = 1_000
/** Events of a message, unless one block has more. */
const maxEvents = 100
/** Bytes of the rows of a step. */
const stepBytes = 128 * 1024

/** Where the wallets of a webhook are, in the memory of the process that sends. */
interface Memory {
  readonly states: Map<string, Events.State>
  /** The state of the wallet of the pending message once it is delivered, by the id of the message. */
  following: readonly [id: string, state: Events.State] | null
  /** The revision that this process wrote or read last: another one is a change by others, after which the memory is not used. */
  revision: number
}

/** The events of a step that become one message: it ends where the position moves on, or with the step. */
const batchOf = (
  { sent, state }: Pick<Events.Step, "sent" | "state">,
  cursors: ReadonlyArray<string>,
): readonly [count: number, state: Events.State] => {
  const isEnd = (at: number) => cursors[at] !== cursors[at + 1]
  let end = -1
  for (let at = 0; at < sent.length - 1; at++) {
    if (isEnd(at)) end = at
    if (at + 1 >= maxEvents && end >= 0) return [end + 1, Events.after(sent[end]!.position)]
  }
  return [sent.length, state]
}

const isRow = ({ event: { _tag } }: Events.PlacedEvent): boolean => _tag !== "Covered" && _tag !== "Final"

/** A process that sends. */
interface Sender extends Options {
  readonly owner: string
  readonly decode: ReturnType<typeof WalletTransactions.rowDecoder>
}

/** Stores a webhook; false where others changed it meanwhile. */
const store = ({ webhooks }: Sender, { name, revision }: StoredWebhook, webhook: Webhook.Webhook, memory: Memory) =>
  Effect.tap(webhooks.change(name, revision, Webhook.encode(webhook)), (isStored) =>
    Effect.sync(() => {
      if (isStored) memory.revision = revision + 1
    }),
  )

const subscriptionOf = (
  { config }: Sender,
  chain: IndexedChain,
  { finality, types }: Webhook.Webhook,
  wallet: string,
) => ({
  chain,
  wallet,
  types: new Set(types),
  selection: {},
  isFinal: finality === "final",
  maxBytes: Math.min(stepBytes, config.limits.pageBytes),
})

const selectionOf = ({ id }: IndexedChain, { finality, types }: Webhook.Webhook, wallet: string): string =>
  JSON.stringify([id, wallet, types.toSorted(), finality])

const startOf = (sender: Sender, chain: IndexedChain, webhook: Webhook.Webhook, wallet: string, memory: Memory) => {
  const known = memory.states.get(wallet)
  if (known !== undefined) return Effect.succeed(known)
  const stored = webhook.positions[wallet]
  const position = stored === undefined ? undefined : EventPosition.parse(stored, selectionOf(chain, webhook, wallet))
  if (position !== undefined && Result.isSuccess(position)) return Effect.succeed(Events.after(position.success))
  const { from } = webhook
  const at =
    from === "now" ? ({ _tag: "Now" } as const) : ({ _tag: "At", bound: { _tag: "Block", block: from } } as const)
  return Events.start(subscriptionOf(sender, chain, webhook, wallet), at)
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
  const selection = selectionOf(chain, webhook, wallet)
  let state = yield* startOf(sender, chain, webhook, wallet, memory)
  for (;;) {
    const step = yield* Events.step(subscription, state)
    if (!step.sent.some(isRow)) {
      state = step.state
      memory.states.set(wallet, state)
      if (step.awaited !== null) return step.awaited
      continue
    }
    const { decoder: contractDecoder } = yield* sender.contracts.find(chain)
    const now = yield* Clock.currentTimeMillis
    const written = EventText.events(step, now, {
      chain,
      wallet,
      selection,
      label: (address) => chain.label(address) ?? contractDecoder.nameOf(address),
      empty: sender.config.empty,
      contractDecoder,
      decode: sender.decode,
    })
    const cursors = written.map(({ cursor }) => cursor)
    const [count, following] = batchOf(step, cursors)
    const events = written.slice(0, count).map(({ json }) => json)
    const id = Webhook.newId()
    const head = JSON.stringify({ webhook: name, chain: chain.name }).slice(0, -1)
    const timestamp = new Date(now).toISOString()
    memory.following = [id, following]
    const body = `{"type":"wallet.events","timestamp":"${timestamp}","data":${head},"events":[${events.join(",")}]}}`
    return { id, body, wallet, position: EventPosition.format(following.position, selection) }
  }
})

/** Sends the pending message once. */
const attempt = Effect.fnUntraced(function* (
  sender: Sender,
  webhook: Webhook.Webhook,
  { body, id }: NonNullable<Webhook.Webhook["pending"]>,
): Effect.fn.Return<readonly [Delivery.Outcome, result: string], StoreError> {
  const now = yield* Clock.currentTimeMillis
  const timestamp = Math.floor(now / 1_000)
  const signed = { id, timestamp, body: new TextEncoder().encode(body) }
  const keys = yield* Webhook.signingKeys(sender.settings.key, webhook, now)
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
    resolve: sender.resolve,
  })
  if (received._tag === "Failed") return [{ _tag: "Failed", retryAfterMillis: undefined }, received.reason]
  const { retryAfter, status } = received
  if (status >= 200 && status < 300) return [{ _tag: "Delivered" }, `status ${status}`]
  if (status === 410) return [{ _tag: "Gone" }, "status 410"]
  const retryAfterMillis = Delivery.retryAfterMillis(retryAfter, yield* Clock.currentTimeMillis)
  return [{ _tag: "Failed", retryAfterMillis }, `status ${status}`]
})

/** Sends, and stores the result. */
const deliver = Effect.fnUntraced(function* (
  sender: Sender,
  stored: StoredWebhook,
  webhook: Webhook.Webhook,
  pending: NonNullable<Webhook.Webhook["pending"]>,
  memory: Memory,
): Effect.fn.Return<void, StoreError> {
  const [outcome, result] = yield* attempt(sender, webhook, pending)
  const nowMillis = yield* Clock.currentTimeMillis
  const attempts = Delivery.after(webhook.attempts, outcome, { nowMillis, random: yield* Random.next })
  const next = { ...webhook, attempts, last: { at: nowMillis, result } }
  if (attempts.paused !== null) yield* Effect.logWarning(`Webhook ${stored.name} is paused: ${attempts.paused}`)
  if (outcome._tag !== "Delivered") {
    yield* store(sender, stored, next, memory)
    return
  }
  const { id, position, wallet } = pending
  const positions = wallet === null ? webhook.positions : { ...webhook.positions, [wallet]: position }
  const delivered = { ...next, positions, pending: null, delivered: webhook.delivered + 1 }
  const isStored = yield* store(sender, stored, delivered, memory)
  if (!isStored || wallet === null) return
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
    positions[wallet] = EventPosition.format(position, selectionOf(chain, webhook, wallet))
  }
  if (missing.length > 0) {
    yield* store(sender, stored, { ...webhook, positions }, memory)
    return null
  }
  let awaited = Number.POSITIVE_INFINITY
  for (const wallet of webhook.addresses) {
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

/** A webhook that can be sent no further until the operator acts. */
const pause = ({ webhooks }: Sender, stored: StoredWebhook, webhook: Webhook.Webhook, paused: string) =>
  Effect.andThen(
    Effect.logWarning(`Webhook ${stored.name} is paused: ${paused}`),
    webhooks.change(
      stored.name,
      stored.revision,
      Webhook.encode({ ...webhook, attempts: { ...webhook.attempts, paused } }),
    ),
  )

const look = Effect.sleep(Duration.millis(lookMillis))

/** Takes one turn of a webhook. */
const turn = Effect.fnUntraced(function* (
  sender: Sender,
  name: string,
  memory: Memory,
): Effect.fn.Return<void, StoreError> {
  const stored = yield* sender.webhooks.acquire(name, sender.owner, leaseMillis)
  if (stored === null) {
    // Another process may have sent meanwhile.
    memory.states.clear()
    return yield* look
  }
  if (stored.revision !== memory.revision) memory.states.clear()
  memory.revision = stored.revision
  const webhook = yield* Webhook.decode(stored.content)
  const { attempts, pending, test } = webhook
  const chain = sender.chains.find((one) => one.name === webhook.chain)
  if (attempts.paused !== null || chain === undefined) return yield* look
  const now = yield* Clock.currentTimeMillis
  if (pending !== null) {
    if (now < attempts.nextAt) return yield* Effect.sleep(Duration.millis(Math.min(attempts.nextAt - now, lookMillis)))
    return yield* deliver(sender, stored, webhook, pending, memory)
  }
  if (test !== null) {
    const body = JSON.stringify({ type: "test", timestamp: new Date(now).toISOString(), data: { webhook: name } })
    const next = { ...webhook, test: null, pending: { id: test, body, wallet: null, position: "" } }
    yield* store(sender, stored, next, memory)
    return
  }
  yield* prepare(sender, stored, chain, webhook, memory).pipe(
    Effect.flatMap((awaited) =>
      awaited === null ? Effect.void : Effect.raceFirst(chain.reader.awaitChange(awaited), look),
    ),
    Effect.catchTag("Stale", ({ resumeFromBlock }) =>
      pause(
        sender,
        stored,
        webhook,
        `The changes since its position are forgotten. Replay from block ${resumeFromBlock}.`,
      ),
    ),
    Effect.catchTag(["NotWatched", "NoLedgers", "NotDerived"], () => look),
  )
})

/** Turns of a webhook for as long as it exists. A failure of the database is tried again. */
const serve = (sender: Sender, name: string) => {
  const memory: Memory = { states: new Map(), following: null, revision: 0 }
  return turn(sender, name, memory).pipe(
    Effect.catch(({ message }) =>
      Effect.andThen(Effect.logWarning(`Webhook ${name}: ${message}`), Effect.sleep(Duration.seconds(5))),
    ),
    Effect.forever,
    Effect.ensuring(Effect.ignore(sender.webhooks.acquire(name, sender.owner, 0))),
  )
}

/** Sends the webhooks until it is interrupted. */
export const run = (options: Options) => {
  const decode = WalletTransactions.rowDecoder(options.decoder, options.config.limits.pageBytes)
  const sender: Sender = { ...options, owner: randomUUID(), decode }
  return Effect.scoped(
    Effect.gen(function* () {
      const fibers = yield* FiberMap.make<string>()
      for (;;) {
        const found = yield* sender.webhooks.list.pipe(Effect.catch(() => Effect.succeed(null)))
        const names = new Set(found?.map(({ name }) => name))
        for (const name of names) yield* FiberMap.run(fibers, name, serve(sender, name), { onlyIfMissing: true })
        if (found !== null) for (const [name] of fibers) if (!names.has(name)) yield* FiberMap.remove(fibers, name)
        yield* look
      }
    }),
  )
}
