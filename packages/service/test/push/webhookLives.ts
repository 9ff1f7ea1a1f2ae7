/**
 * Lives of a webhook beside those of receivers of streams. Its two senders die, stand still and take over from each other. Its receiver is
 * down, slow, answers 500, loses answers, and is restored from a backup. Its clock runs faster: hours of attempts take milliseconds.
 */
import * as LocalServer from "@daybook/harness/LocalServer"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { verifyWebhook } from "@daybook/rest/webhook"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import { Clock, Duration, Effect, Fiber, type Scope } from "effect"
import type { Config } from "../../src/config/Config.ts"
import type { ServedChain } from "../../src/config/ServedChain.ts"
import * as NameLookups from "../../src/push/NameLookups.ts"
import * as Webhook from "../../src/push/Webhook.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as ChainContracts from "../../src/server/chain/ChainContracts.ts"
import * as WebhookSender from "../../src/server/webhook/WebhookSender.ts"
import type { Database } from "../../src/store/Database.ts"
import type { Webhooks } from "../../src/store/Webhooks.ts"
import type * as Model from "../store/model.ts"
import { Receiver } from "./Receiver.ts"

/** What a life of a webhook is made of. */
export interface Options {
  readonly config: Config
  readonly chain: ServedChain
  readonly database: Database
  readonly wallets: ReadonlyArray<string>
  readonly numbers: Model.Seeded
  /** Leases end by the clock of the database, which does not run faster. */
  readonly hasOwnClock: boolean
}

/** How much faster the clock runs while things happen, and once everything works: a request then has seconds on a busy machine too. */
const speeds = { disturbed: 200, healed: 5 } as const
const key = "k".repeat(40)
const name = "books"

const makeFaster = Effect.map(Clock.Clock, (clock) => {
  let speed: number = speeds.disturbed
  let real = clock.currentTimeMillisUnsafe()
  let fast = real
  const millis = () => Math.round(fast + (clock.currentTimeMillisUnsafe() - real) * speed)
  // Sound: everything but the time comes from the clock itself.
  const faster = Object.create(clock, {
    currentTimeMillisUnsafe: { value: millis },
    currentTimeMillis: { value: Effect.sync(millis) },
    sleep: { value: (duration: Duration.Duration) => clock.sleep(Duration.times(duration, 1 / speed)) },
  }) as Clock.Clock
  const slow = () => {
    fast = millis()
    real = clock.currentTimeMillisUnsafe()
    speed = speeds.healed
  }
  return { faster, slow }
})

/** What a receiver has written down, in one transaction with its tables. */
interface Kept {
  readonly tables: ReadonlyArray<ReadonlyMap<string, ReturnType<Receiver["table"]["get"]>>>
  readonly ids: ReadonlySet<string>
  readonly cursors: ReadonlyArray<string>
}

/** How a receiver answers a request. */
type Behaviour = "well" | "down" | "500" | "lost" | "500 after" | "slow" | "later"

/** A receiver with a table for each wallet. */
class HookReceiver {
  readonly receivers: ReadonlyArray<Receiver>
  readonly secrets: Array<string> = []
  readonly faults: Array<string> = []
  behaviour: () => Behaviour = () => "well"
  now: () => number = Date.now
  url = ""
  messages = 0
  attempts = 0
  private ids = new Set<string>()
  /** Bytes of each message, by its id. */
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

  /** Rows may arrive again from here on, and those of the message that waits once more. */
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

  /** Verifies and applies a message; one that arrives again is applied once. */
  async take(body: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const { id, message } = await verifyWebhook(body, headers, this.secrets, {
      now: new Date(this.now()),
      // An attempt of a moment takes minutes of this clock.
      toleranceSeconds: 100_000,
    })
    const before = this.bodies.get(id)
    if (before !== undefined && before !== body) this.faults.push(`message ${id} with other bytes`)
    this.bodies.set(id, body)
    if (this.ids.has(id)) return
    this.ids.add(id)
    this.messages++
    if (message.type === "test") return
    for (const event of message.data.events) this.apply(message.data.address, event)
    if (id === this.waiting) this.rows.clear()
  }
}

const serve = (receiver: HookReceiver) =>
  LocalServer.scoped(() =>
    LocalServer.start(({ body, headers }, response) => {
      receiver.attempts++
      const behaviour = receiver.behaviour()
      const taken = () => receiver.take(body.toString(), headers as Record<string, string>)
      const answer = (status: number, more: Readonly<Record<string, string>> = {}) =>
        void response.writeHead(status, more).end()
      const refused = (error: unknown) => {
        receiver.faults.push(String(error))
        answer(400)
      }
      switch (behaviour) {
        case "down":
          return void response.destroy()
        case "500":
          return answer(500)
        case "later":
          return answer(429, { "retry-after": "60" })
        case "lost":
          return void taken().then(() => response.destroy(), refused)
        case "500 after":
          return void taken().then(() => answer(500), refused)
        case "slow":
          return void taken().then(() => setTimeout(() => answer(204), 40), refused)
        case "well":
          return void taken().then(() => answer(204), refused)
      }
    }),
  )

/** The webhooks of a database as a process sees them that can die or stand still at any statement. */
const mortal = (webhooks: Webhooks) => {
  const state = { isDead: false, stall: 0, owner: "" }
  const alive = <A>(otherwise: A, effect: Effect.Effect<A, never>) =>
    Effect.suspend(() => (state.isDead ? Effect.succeed(otherwise) : effect))
  const stalled = Effect.suspend(() => {
    const { stall } = state
    state.stall = 0
    return stall === 0 ? Effect.void : Effect.promise(() => new Promise((resolve) => setTimeout(resolve, stall)))
  })
  const own: Webhooks = {
    ...webhooks,
    change: (...values) => Effect.andThen(stalled, alive(false, Effect.orDie(webhooks.change(...values)))),
    acquire: (hook, owner, millis) => {
      state.owner = owner
      return alive(null, Effect.orDie(webhooks.acquire(hook, owner, millis)))
    },
  }
  return { state, own }
}

/** A process that sends; `kill` ends it without its lease. */
const startSender = Effect.fnUntraced(function* (options: Options, clock: Clock.Clock) {
  const { chain, config, database, hasOwnClock } = options
  const decoder = KnownSignatures.decoder()
  const { own, state } = mortal(database.webhooks)
  const fiber = yield* Effect.forkScoped(
    Effect.provideService(
      WebhookSender.run({
        lookups: NameLookups.make(),
        settings: { key, allowPrivate: true, perKey: 10, addressesPerKey: 100, total: 100 },
        config,
        chains: [IndexedChain.fromDatabase(database)(chain)],
        contracts: ChainContracts.make(database.contracts, decoder),
        decoder,
        webhooks: own,
        keys: database.apiKeys,
      }),
      Clock.Clock,
      clock,
    ),
  )
  const end = (isKilled: boolean) =>
    Effect.gen(function* () {
      state.isDead = isKilled
      yield* Fiber.interrupt(fiber)
      // The time of a lease passes.
      if (isKilled && hasOwnClock) yield* Effect.orDie(database.webhooks.acquire(name, state.owner, 0))
    })
  return { end, stall: (millis: number) => Effect.sync(() => void (state.stall = millis)) }
})

/** A webhook at work. */
export interface WebhookLife {
  readonly receiver: HookReceiver
  /** Something happens to the senders, the receiver or the webhook. */
  readonly disturb: Effect.Effect<void, never, Scope.Scope>
  /** Everything works from now on, and what failed is tried at once. */
  readonly heal: Effect.Effect<void>
  /** Ends the senders. */
  readonly stop: Effect.Effect<void>
}

const behaviours: ReadonlyArray<Behaviour> = ["down", "500", "lost", "500 after", "slow", "later"]

/** Starts a webhook with two senders. */
export const start = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<WebhookLife, never, Scope.Scope> {
  const { database, numbers, wallets } = options
  const { faster: clock, slow } = yield* makeFaster
  const receiver = new HookReceiver(wallets)
  receiver.now = () => clock.currentTimeMillisUnsafe()
  const { url } = yield* serve(receiver)
  const [webhook, { publicKey, secret }] = yield* Effect.provideService(
    Webhook.make(key, {
      url,
      chain: options.chain.name,
      addresses: wallets,
      types: ["wallet.transaction", "wallet.movement"],
      finality: "head",
      from: 0,
    }),
    Clock.Clock,
    clock,
  )
  receiver.secrets.push(publicKey, secret)
  yield* Effect.orDie(database.webhooks.add(name, Webhook.encode(webhook)))
  const senders = [yield* startSender(options, clock), yield* startSender(options, clock)]
  // What the receiver does is chosen of numbers of its own: requests arrive at any time.
  let turns = numbers.below(1_000)
  receiver.behaviour = () => {
    turns = (turns * 7_919 + 104_729) % 1_000_003
    return turns % 3 === 0 ? behaviours[turns % behaviours.length]! : "well"
  }

  const change = Effect.fnUntraced(function* (make: (webhook: Webhook.Webhook) => Webhook.Webhook) {
    for (;;) {
      const stored = (yield* Effect.orDie(database.webhooks.find(name)))!
      const next = make(yield* Effect.orDie(Webhook.decode(stored.content)))
      if (yield* Effect.orDie(database.webhooks.change(name, stored.revision, Webhook.encode(next)))) return
    }
  })
  const resume = change(Webhook.resumed)

  let kept = receiver.kept
  // While rows are sent again, cursors may be above rows that are missing: a backup of then is none to continue from.
  let isReplayed = false
  const disturb = Effect.gen(function* () {
    switch (numbers.below(14)) {
      case 0:
      case 1: {
        const at = numbers.below(2)
        yield* senders[at]!.end(numbers.below(2) === 0)
        senders[at] = yield* startSender(options, clock)
        return
      }
      case 2:
        // Longer than a lease, after which it goes on.
        return yield* senders[numbers.below(2)]!.stall(200)
      case 3:
        if (!isReplayed) kept = receiver.kept
        return
      case 4: {
        // The receiver is restored from a backup, and continues after the cursors that it has.
        const backup = kept
        isReplayed = true
        yield* change((found) => {
          receiver.restore(backup)
          receiver.replayed(found.pending?.id)
          return wallets.reduce(
            (next, wallet, at) =>
              backup.cursors[at] === "" ? next : Webhook.replayedAfter(next, wallet, backup.cursors[at]!),
            backup.cursors.includes("") ? Webhook.replayed(found, 0) : found,
          )
        })
        return
      }
      case 5: {
        isReplayed = true
        // No block is lower: a higher one might leave out what was not sent yet.
        const next = numbers.below(91)
        return yield* change((found) => {
          receiver.replayed(found.pending?.id)
          return Webhook.replayed(found, next)
        })
      }
      case 6:
        return yield* change((found) => Webhook.paused(found, "A life paused it."))
      case 7:
        return yield* change((found) => ({ ...found, test: found.test ?? Webhook.newId() }))
      case 8: {
        const nowMillis = clock.currentTimeMillisUnsafe()
        let made = ""
        yield* change((found) => {
          const [next, secrets] = Webhook.rotate(key, found, { nowMillis, until: nowMillis + 60_000 })
          made = secrets.secret
          return next
        })
        receiver.secrets.push(made)
        return
      }
      default:
        return yield* resume
    }
  })

  return {
    receiver,
    disturb,
    heal: Effect.andThen(
      Effect.sync(() => {
        receiver.behaviour = () => "well"
        slow()
      }),
      Effect.flatMap(Effect.orDie(database.webhooks.counts), ({ failing, paused }) =>
        failing + paused > 0 ? resume : Effect.void,
      ),
    ),
    stop: Effect.forEach(senders, ({ end }) => end(false), { discard: true }),
  }
})
