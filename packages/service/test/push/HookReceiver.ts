/**
 * A receiver of webhooks with a table for each wallet, and its owner, which takes backups, restores them, replays, pauses, tests and
 * rotates secrets. The receiver records a fault if a row arrives more than once between replays.
 */
import { verifyWebhook } from "@daybook/rest/webhook"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import { Clock, Effect } from "effect"
import * as EventPosition from "../../src/push/EventPosition.ts"
import * as Events from "../../src/push/WalletEvents.ts"
import * as Webhook from "../../src/push/Webhook.ts"
import type { IndexedChain } from "../../src/query/IndexedChain.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import type { Webhooks } from "../../src/store/Webhooks.ts"
import type { WebhookWallet } from "../../src/store/WebhookWallets.ts"
import type * as Model from "../store/model.ts"
import { Receiver } from "./Receiver.ts"

/** State that a receiver stores in one transaction with its tables. */
interface Kept {
  readonly tables: ReadonlyArray<ReadonlyMap<string, ReturnType<Receiver["table"]["get"]>>>
  readonly ids: ReadonlySet<string>
  readonly cursors: ReadonlyArray<string>
}

/** How a receiver responds to a request. */
export type Behaviour = "well" | "down" | "500" | "lost" | "500 after" | "slow" | "later"

/** A receiver with a table for each wallet. */
export class HookReceiver {
  readonly receivers: ReadonlyArray<Receiver>
  readonly secrets: Array<string> = []
  readonly faults: Array<string> = []
  behaviour: () => Behaviour = () => "well"
  now: () => number = Date.now
  url = ""
  messages = 0
  attempts = 0
  private ids = new Set<string>()
  /** Body of each message by id. */
  private readonly bodies = new Map<string, string>()
  private readonly rows = new Set<string>()
  private waiting: string | undefined
  private readonly wallets: ReadonlyArray<string>

  constructor(wallets: ReadonlyArray<string>) {
    this.wallets = wallets
    this.receivers = wallets.map(() => new Receiver("", ""))
  }

  get kept(): Kept {
    return {
      tables: this.receivers.map(({ table }) => new Map(table)),
      ids: new Set(this.ids),
      cursors: this.receivers.map(({ cursor }) => cursor),
    }
  }

  restore({ cursors, ids, tables }: Kept): void {
    this.ids = new Set(ids)
    this.rows.clear()
    for (const [at, receiver] of this.receivers.entries()) {
      receiver.table.clear()
      for (const [row, value] of tables[at]!) receiver.table.set(row, value!)
      receiver.cursor = cursors[at]!
    }
  }

  /** From now on rows may arrive again, and those of the pending message twice. */
  replayed(waiting: string | undefined): void {
    this.rows.clear()
    this.waiting = waiting
  }

  private apply(wallet: string, event: WalletEvent): void {
    const at = this.wallets.indexOf(wallet)
    const receiver = this.receivers[at]!
    if (event.type === "block.voided") this.rows.clear()
    if (event.type === "wallet.transaction" || event.type === "wallet.movement") {
      const once = `${wallet} ${event.data.row} ${event.data.revision}`
      if (this.rows.has(once)) this.faults.push(`row and revision twice: ${once}`)
      this.rows.add(once)
    }
    receiver.take(event, event.data.cursor)
  }

  /** Verifies and applies a message; a repeated message is applied once. */
  async take(body: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const { id, message } = await verifyWebhook(body, headers, this.secrets, {
      now: new Date(this.now()),
      // The clock runs faster: a short attempt takes minutes.
      toleranceSeconds: 100_000,
    })
    const before = this.bodies.get(id)
    if (before !== undefined && before !== body) this.faults.push(`message ${id} with a different body`)
    this.bodies.set(id, body)
    if (this.ids.has(id)) return
    this.ids.add(id)
    this.messages++
    if (message.type === "test") return
    for (const event of message.data.events) this.apply(message.data.address, event)
    if (id === this.waiting) this.rows.clear()
  }
}

/** Key of the configuration that encrypts secrets. */
export const key = "k".repeat(40)

/** Settings of a service whose receivers run on this machine. */
export const settings = {
  key,
  allowPrivate: true,
  perKey: 10,
  addressesPerKey: 100,
  addressesPerWebhook: 100,
  total: 100,
}

/** A webhook, its receiver and its store. */
export interface OwnerOptions {
  readonly webhooks: Webhooks
  readonly chain: IndexedChain
  readonly name: string
  readonly wallets: ReadonlyArray<string>
  readonly numbers: Model.Seeded
  readonly receiver: HookReceiver
}

export interface Owner {
  /** Performs a random action of an owner. */
  readonly act: Effect.Effect<void, StoreError>
  /** Resumes the webhook immediately if it is paused or failing. */
  readonly resume: Effect.Effect<void, StoreError>
}

/** Creates the owner of a stored webhook. */
export const owner = ({ chain, name, numbers, receiver, wallets, webhooks }: OwnerOptions): Owner => {
  const changeAll = Effect.fnUntraced(function* (
    make: (webhook: Webhook.Webhook) => Effect.Effect<Webhook.Changed, StoreError>,
  ) {
    for (;;) {
      const stored = (yield* webhooks.find(name))!
      const [next, moved] = yield* Effect.flatMap(Webhook.decode(stored.content), make)
      if (yield* webhooks.change(name, stored.revision, Webhook.encode(next), moved)) return
    }
  })
  const change = (make: (webhook: Webhook.Webhook) => Webhook.Webhook) =>
    changeAll((current) => Effect.succeed([make(current), {}]))

  /** Continues the webhook after the cursors of a backup, all in one change; without a backup, from the first block. */
  const restored = Effect.fnUntraced(function* (current: Webhook.Webhook, cursors: ReadonlyArray<string>) {
    const [whole, changes] = cursors.includes("") ? Webhook.replayed(current, 0) : ([current, {}] as const)
    let next = whole
    const move: Array<WebhookWallet> = []
    for (const [at, cursor] of cursors.entries()) {
      if (cursor === "") continue
      const wallet = wallets[at]!
      const selection = Events.selectionText(Webhook.subscriptionOf(current, chain, wallet, 1))
      const position = yield* Effect.orDie(Effect.fromResult(EventPosition.parse(cursor, selection)))
      const [row] = yield* webhooks.walletsOf(name, { among: [wallet] })
      const later = current.pending?.wallet === wallet ? EventPosition.highestOf(current.pending.position) : undefined
      const sent = { wallet, highest: Math.max(row!.highest, later ?? -1) }
      const [moved, { move: own = [] }] = Webhook.replayedAfter(next, sent, position)
      next = moved
      move.push(...own)
    }
    return [next, { ...changes, move }] satisfies Webhook.Changed
  })
  const resume = change(Webhook.resumed)

  let kept = receiver.kept
  // During a replay, cursors may be above rows that are missing: a backup taken then must not be restored.
  let isReplayed = false

  /** Restores the receiver from a backup and continues after its cursors. */
  const restore = Effect.suspend(() => {
    const backup = kept
    isReplayed = true
    return changeAll((current) => {
      receiver.restore(backup)
      receiver.replayed(current.pending?.id)
      return restored(current, backup.cursors)
    })
  })

  const replay = Effect.suspend(() => {
    isReplayed = true
    // Not above any block, because a higher start could skip rows that were not sent yet.
    const next = numbers.below(91)
    return changeAll((current) => {
      receiver.replayed(current.pending?.id)
      return Effect.succeed(Webhook.replayed(current, next))
    })
  })

  const rotate = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    let newSecret = ""
    yield* change((current) => {
      const [next, secrets] = Webhook.rotate(key, current, { nowMillis, until: nowMillis + 60_000 })
      newSecret = secrets.secret
      return next
    })
    receiver.secrets.push(newSecret)
  })

  const act = Effect.suspend((): Effect.Effect<void, StoreError> => {
    switch (numbers.below(11)) {
      case 0:
        if (!isReplayed) kept = receiver.kept
        return Effect.void
      case 1:
        return restore
      case 2:
        return replay
      case 3:
        return change((current) => Webhook.paused(current, "The test paused it."))
      case 4:
        return change((current) => ({ ...current, test: current.test ?? Webhook.newId() }))
      case 5:
        return rotate
      default:
        return resume
    }
  })
  return { act, resume }
}
