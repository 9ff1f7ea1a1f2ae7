/**
 * Random runs of a webhook beside receivers of streams. Its two senders are killed, pause and take over from each other. Its receiver is
 * down or slow, responds with 500, loses responses, and is restored from a backup. Its clock runs faster, so that hours of attempts take
 * milliseconds.
 */
import * as LocalServer from "@daybook/harness/LocalServer"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
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
import { notBegun } from "../../src/store/WebhookWallets.ts"
import type * as Model from "../store/model.ts"
import * as HookReceiver from "./HookReceiver.ts"

/** Dependencies of a run. */
export interface Options {
  readonly config: Config
  readonly chain: ServedChain
  readonly database: Database
  readonly wallets: ReadonlyArray<string>
  readonly numbers: Model.Seeded
  /** True if leases expire by the clock of the database, which does not run faster. */
  readonly hasOwnClock: boolean
}

/** Factor of the clock while faults are injected and afterwards, when a request has some seconds on a busy machine too. */
const speeds = { withFaults: 200, withoutFaults: 5 } as const
const name = "books"

const makeFaster = Effect.map(Clock.Clock, (clock) => {
  let speed: number = speeds.withFaults
  let real = clock.currentTimeMillisUnsafe()
  let fast = real
  const millis = () => Math.round(fast + (clock.currentTimeMillisUnsafe() - real) * speed)
  // Sound: everything except the time is inherited from the clock.
  const faster = Object.create(clock, {
    currentTimeMillisUnsafe: { value: millis },
    currentTimeMillis: { value: Effect.sync(millis) },
    sleep: { value: (duration: Duration.Duration) => clock.sleep(Duration.times(duration, 1 / speed)) },
  }) as Clock.Clock
  const slow = () => {
    fast = millis()
    real = clock.currentTimeMillisUnsafe()
    speed = speeds.withoutFaults
  }
  return { faster, slow }
})

const serve = (receiver: HookReceiver.HookReceiver) =>
  LocalServer.scoped(() =>
    LocalServer.start(({ body, headers }, response) => {
      receiver.attempts++
      const behaviour = receiver.behaviour()
      const taking = () => receiver.take(body.toString(), headers as Record<string, string>)
      const respond = (status: number, more: Readonly<Record<string, string>> = {}) =>
        void response.writeHead(status, more).end()
      const refused = (error: unknown) => {
        receiver.faults.push(String(error))
        respond(400)
      }
      switch (behaviour) {
        case "down":
          return void response.destroy()
        case "500":
          return respond(500)
        case "later":
          return respond(429, { "retry-after": "60" })
        case "lost":
          return void taking().then(() => response.destroy(), refused)
        case "500 after":
          return void taking().then(() => respond(500), refused)
        case "slow":
          return void taking().then(() => setTimeout(() => respond(204), 40), refused)
        case "well":
          return void taking().then(() => respond(204), refused)
      }
    }),
  )

/** The webhooks of a database for a process that can be killed or paused at any statement. */
const killable = (webhooks: Webhooks) => {
  const state = { isDead: false, stall: 0, owner: "" }
  const whileAlive = <A>(otherwise: A, effect: Effect.Effect<A, never>) =>
    Effect.suspend(() => (state.isDead ? Effect.succeed(otherwise) : effect))
  const stalled = Effect.suspend(() => {
    const { stall } = state
    state.stall = 0
    return stall === 0 ? Effect.void : Effect.promise(() => new Promise((resolve) => setTimeout(resolve, stall)))
  })
  const killableWebhooks: Webhooks = {
    ...webhooks,
    change: (...values) => Effect.andThen(stalled, whileAlive(false, Effect.orDie(webhooks.change(...values)))),
    acquire: (hook, owner, millis) => {
      state.owner = owner
      return whileAlive(null, Effect.orDie(webhooks.acquire(hook, owner, millis)))
    },
  }
  return { state, killableWebhooks }
}

/** A sending process; `kill` ends it without releasing its lease. */
const startSender = Effect.fnUntraced(function* (options: Options, clock: Clock.Clock) {
  const { chain, config, database, hasOwnClock } = options
  const decoder = KnownSignatures.decoder()
  const { killableWebhooks, state } = killable(database.webhooks)
  const fiber = yield* Effect.forkScoped(
    Effect.provideService(
      WebhookSender.run({
        lookups: NameLookups.make(),
        settings: HookReceiver.settings,
        config,
        chains: [IndexedChain.fromDatabase(database)(chain)],
        contracts: ChainContracts.make(database.contracts, decoder),
        decoder,
        webhooks: killableWebhooks,
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
      // Lets the lease expire.
      if (isKilled && hasOwnClock) yield* Effect.orDie(database.webhooks.acquire(name, state.owner, 0))
    })
  return { end, stall: (millis: number) => Effect.sync(() => void (state.stall = millis)) }
})

export interface WebhookRun {
  readonly receiver: HookReceiver.HookReceiver
  /** Injects a random fault into the senders, the receiver or the webhook. */
  readonly disturb: Effect.Effect<void, never, Scope.Scope>
  /** Ends all faults, and retries failed messages immediately. */
  readonly endFaults: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

const behaviours: ReadonlyArray<HookReceiver.Behaviour> = ["down", "500", "lost", "500 after", "slow", "later"]

/** Starts a webhook with two senders. */
export const start = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<WebhookRun, never, Scope.Scope> {
  const { database, numbers, wallets } = options
  const { faster: clock, slow } = yield* makeFaster
  const receiver = new HookReceiver.HookReceiver(wallets)
  receiver.now = () => clock.currentTimeMillisUnsafe()
  const { url } = yield* serve(receiver)
  const [webhook, { publicKey, secret }] = yield* Effect.provideService(
    Webhook.make(HookReceiver.key, {
      url,
      chain: options.chain.name,
      types: ["wallet.transaction", "wallet.movement"],
      finality: "head",
      from: 0,
    }),
    Clock.Clock,
    clock,
  )
  receiver.secrets.push(publicKey, secret)
  yield* Effect.orDie(database.webhooks.add(name, Webhook.encode(webhook), wallets.map(notBegun)))
  const senders = [yield* startSender(options, clock), yield* startSender(options, clock)]
  // The receiver's behaviour uses a separate random stream, because requests arrive at any time.
  let turns = numbers.below(1_000)
  receiver.behaviour = () => {
    turns = (turns * 7_919 + 104_729) % 1_000_003
    return turns % 3 === 0 ? behaviours[turns % behaviours.length]! : "well"
  }

  const indexed = IndexedChain.fromDatabase(database)(options.chain)
  const owner = HookReceiver.owner({ webhooks: database.webhooks, chain: indexed, name, wallets, numbers, receiver })
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
        // Pauses for longer than a lease.
        return yield* senders[numbers.below(2)]!.stall(200)
      default:
        return yield* Effect.provideService(Effect.orDie(owner.act), Clock.Clock, clock)
    }
  })

  return {
    receiver,
    disturb,
    endFaults: Effect.andThen(
      Effect.sync(() => {
        receiver.behaviour = () => "well"
        slow()
      }),
      Effect.flatMap(Effect.orDie(database.webhooks.counts), ({ failing, paused }) =>
        failing + paused > 0 ? Effect.orDie(owner.resume) : Effect.void,
      ),
    ),
    stop: Effect.forEach(senders, ({ end }) => end(false), { discard: true }),
  }
})
