/**
 * Simulates a service with receivers of its events, in one thread and in virtual time. Its chain has reorgs, repairs and finality. Its
 * processes are killed between any two statements and take over from each other. Its receivers, of a webhook and of streams, fail in any
 * way. Finally no faults are injected, and the table of each receiver must equal the list of the service.
 */
import { rowId } from "@daybook/schema/RowId"
import * as RestClient from "@daybook/rest/RestClient"
import { Effect, type Fiber, Result, Schedule, type Scope, Stream } from "effect"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import type { Database } from "../../../src/store/Database.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as Rows from "../../server/rows.ts"
import { type Count, Counts } from "../../simulation/Count.ts"
import type * as Disk from "../../simulation/Disk.ts"
import type * as Server from "../../simulation/Server.ts"
import * as Store from "../../simulation/Store.ts"
import * as VirtualTime from "../../simulation/VirtualTime.ts"
import * as SeededRandom from "../../store/SeededRandom.ts"
import * as HookReceiver from "../HookReceiver.ts"
import * as GeneratedChain from "../GeneratedChain.ts"
import type { Receiver } from "../Receiver.ts"
import * as Tables from "../Tables.ts"
import * as HookRequests from "./HookRequests.ts"
import * as Hosts from "./Hosts.ts"
import * as Network from "./Network.ts"
import * as SocketPair from "./SocketPair.ts"
import { StreamReceiver } from "./StreamReceiver.ts"
import * as SynchronousCrypto from "./SynchronousCrypto.ts"
import * as Writer from "./Writer.ts"

export interface Options {
  readonly seed: number
  /** Number of chain changes; a smaller number omits the last ones. */
  readonly steps: number
  /** PostgreSQL database. Default: a SQLite file. */
  readonly server?: Server.Server | undefined
  readonly onEvent?: ((millis: number, what: string) => void) | undefined
}

export interface Outcome {
  readonly differences: ReadonlyArray<string>
  readonly counts: Counts
}

/** Default number of chain changes. */
export const usualSteps = 20
/** Virtual time within which all tables must equal the lists once no faults are injected. */
const recoveryMillis = 1_200_000
/** Virtual time during which the tables must remain equal. */
const standingMillis = 3_000
/** Virtual time between two comparisons. */
const lookMillis = 4_000

const wallets = [Rows.alice, Rows.bob]
const name = "books"

/** State of a simulation. */
interface World extends Network.Options {
  readonly steps: number
  readonly config: Config.Config
  readonly chain: ServedChain.ServedChain
  readonly hosts: ReadonlyArray<Hosts.Host>
  readonly hostOptions: Hosts.Options
  readonly hook: HookReceiver.HookReceiver
  readonly streams: ReadonlyArray<StreamReceiver>
  readonly generated: GeneratedChain.GeneratedChain
  readonly differences: Array<string>
  /** Texts that no log may contain. */
  readonly secrets: Array<string>
  /** Notifies the waiters for a chain change. */
  readonly wake: () => void
  readonly calm: () => void
  readonly log: (what: string) => void
}

const configOf = (url: string) =>
  Effect.runSync(
    Effect.fromResult(
      Config.decode({
        listen: { host: "127.0.0.1", port: 0 },
        database: url,
        chains: { eth: { rpc: ["http://127.0.0.1:65535/"], ens: "off" } },
        limits: { eventStreams: 100 },
      }),
    ),
  )

/** Completes with the next chain change; waiters are notified one at a time, after a short delay. */
const changesOf = (time: VirtualTime.VirtualTime, random: SeededRandom.SeededRandom) => {
  const waiting = new Set<() => void>()
  return {
    wake: () => {
      for (const resume of waiting) time.after(random.below(60), resume)
    },
    changed: Effect.callback<void>((resume) => {
      const resumeWaiter = () => resume(Effect.void)
      waiting.add(resumeWaiter)
      return Effect.sync(() => void waiting.delete(resumeWaiter))
    }),
  }
}

const behaviours: ReadonlyArray<HookReceiver.Behaviour> = ["down", "500", "lost", "500 after", "slow", "later"]

const streamsOf = (world: Network.Options, random: SeededRandom.SeededRandom): ReadonlyArray<StreamReceiver> => {
  const shared = { ...world, random, fetch: Network.fetcher(world), webSocket: SocketPair.constructorOf(world) }
  const kinds = ["server-sent events", "server-sent events", "WebSocket"] as const
  return kinds.map(
    (kind, at) =>
      new StreamReceiver({
        ...shared,
        kind,
        wallet: random.pick(wallets),
        from: random.pick([0, 0, 95]),
        finality: at === 1 ? random.pick(["head", "final"] as const) : "head",
      }),
  )
}

/** A logger that reports a line with a secret. */
const logOf =
  (secrets: ReadonlyArray<string>, differences: Array<string>, log: World["log"]) =>
  (line: string): void => {
    if (secrets.some((secret) => line.includes(secret))) differences.push(`a secret in a log: ${line}`)
    log(`log: ${line}`)
  }

const make = (
  { onEvent, seed, steps }: Options,
  url: string,
  time: VirtualTime.VirtualTime,
  disk: Disk.Disk,
  counts: Counts,
): World => {
  const random = SeededRandom.make(seed)
  const log = (what: string) => onEvent?.(time.now() - VirtualTime.beginning, what)
  const count: Count = (kind) => {
    counts.count(kind)
    log(kind)
  }
  const calm = { is: false }
  const isCalm = () => calm.is
  const config = configOf(url)
  const chain = Result.getOrThrow(ServedChain.fromChains(config.chains))[0]!
  const { changed, wake } = changesOf(time, random.fork("changes"))
  const [differences, secrets]: [Array<string>, Array<string>] = [[], [HookReceiver.key]]
  const failureRate = random.fork("failures").pick([0, 0, 0.002, 0.01])
  const shared = { time, count, isCalm, config, chain, url, disk, changed, failureRate }
  const hostOptions = { ...shared, random: random.fork("hosts"), log: logOf(secrets, differences, log) }
  const hosts = [new Hosts.Host(hostOptions), new Hosts.Host(hostOptions)]
  const networkRandom = random.fork("network")
  const pick = () => {
    const running = hosts.flatMap(({ reachable }) => reachable ?? [])
    return running.length === 0 ? undefined : networkRandom.pick(running)
  }
  const network: Network.Options = { time, count, isCalm, random: networkRandom, pick }
  const hook = new HookReceiver.HookReceiver(wallets)
  hook.now = time.now
  const manners = random.fork("manners")
  hook.behaviour = () => (calm.is || !manners.is(0.35) ? "well" : manners.pick(behaviours))
  const streams = streamsOf(network, random.fork("streams"))
  const parts = { random, steps, config, chain, hosts, hostOptions, hook, streams, generated: GeneratedChain.make() }
  return { ...network, ...parts, differences, secrets, wake, log, calm: () => void (calm.is = true) }
}

/** Adds the webhook, starting at the first block. */
const addWebhook = Effect.fnUntraced(function* ({ chain, hook, secrets }: World, { webhooks }: Database) {
  const settings = { url: "http://127.0.0.1:1/hook", chain: chain.name, from: 0 } as const
  const types = ["wallet.transaction", "wallet.movement"] as const
  const [webhook, newSecrets] = yield* Webhook.make(HookReceiver.key, { ...settings, types, finality: "head" })
  hook.secrets.push(newSecrets.publicKey, newSecrets.secret)
  secrets.push(newSecrets.secret.slice("whsec_".length))
  yield* webhooks.add(name, Webhook.encode(webhook), wallets.map(notBegun))
})

/** Injects a random fault into the service or a receiver. */
const disturb = ({ count, hosts, random, streams }: World, owner: HookReceiver.Owner) =>
  Effect.suspend(() => {
    const host = random.pick(hosts)
    switch (random.below(24)) {
      case 0:
        count("a process is killed")
        return Effect.sync(() => host.kill())
      case 1:
      case 2:
      case 9:
        return Effect.sync(() => host.killAfter(1 + random.below(60)))
      case 3:
        count("a process is stopped")
        return Effect.sync(() => host.stop())
      case 4:
        count("a sender pauses")
        return Effect.sync(() => void (host.stallMillis = random.below(70_000)))
      case 5:
        count("the connections of a process are cut")
        return Effect.sync(() => host.cut())
      case 6:
      case 7:
      case 10:
        count("a receiver of a stream is restarted")
        return Effect.sync(() => random.pick(streams).restart())
      case 8: {
        count("hours without the service")
        for (const one of hosts) one.suspend()
        return Effect.andThen(
          Effect.sleep(random.below(3_600_000)),
          Effect.sync(() => {
            for (const one of hosts) one.resume()
          }),
        )
      }
      default:
        return owner.act
    }
  })

/** Lists of a wallet as lines. */
const listOf = Effect.fnUntraced(function* (client: RestClient.RestClient["Service"], address: string) {
  const query = { address, order: "ASC" } as const
  const transactions = yield* Stream.runCollect(client.walletTransactionsStream(query))
  const movements = yield* Stream.runCollect(client.movementsStream(query))
  return { transactions, movements }
})

type Lists = Effect.Success<ReturnType<typeof listOf>>
type Row = Lists["transactions"][number] | Lists["movements"][number]

/** Lines by row, because rows are compared repeatedly. */
const lines = new WeakMap<object, string>()

const lineOf = (row: string, content: object): string => {
  const known = lines.get(content)
  if (known !== undefined) return known
  const text = JSON.stringify(content, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))
  const line = `${row} ${text}`
  lines.set(content, line)
  return line
}

const tableOf = ({ table }: Receiver): ReadonlyArray<string> =>
  [...table]
    .map(
      ([
        row,
        {
          event: { data },
        },
      ]) => lineOf(row, "transaction" in data ? data.transaction : data.movement),
    )
    .toSorted()

const linesOf = (rows: ReadonlyArray<Row>, from: number, to: number): ReadonlyArray<string> =>
  rows
    .filter(({ block_number: number }) => Number(number) >= from && Number(number) <= to)
    .map((row) => lineOf(rowId(row), row))
    .toSorted()

/** Current differences between the tables and the lists. */
const differencesOf = ({ hook, generated, streams }: World, lists: ReadonlyArray<Lists>): ReadonlyArray<string> => {
  const hooked = hook.receivers.flatMap((receiver, at) => {
    const { movements, transactions } = lists[at]!
    return Tables.differenceOf(
      `webhook, wallet ${at}`,
      tableOf(receiver),
      linesOf([...transactions, ...movements], 0, Infinity),
    )
  })
  const streamed = streams.flatMap((receiver, at) => {
    const { finality, from, kind, wallet } = receiver.options
    const { movements, transactions } = lists[wallets.indexOf(wallet)]!
    const rows = kind === "WebSocket" ? movements : [...transactions, ...movements]
    const expected = linesOf(rows, from, finality === "final" ? generated.finalized : Infinity)
    return Tables.differenceOf(`stream ${at}, ${kind}, ${finality}`, tableOf(receiver), expected)
  })
  return [...hooked, ...streamed]
}

/** Waits until the tables equal the lists; records remaining differences. */
const recover = Effect.fnUntraced(function* (world: World, observer: Database, owner: HookReceiver.Owner) {
  const { differences, hook, random, streams } = world
  const client = yield* RestClient.make({
    baseUrl: "http://service.test",
    apiKey: "k".repeat(43),
    fetch: streams[0]!.options.fetch,
  })
  const read = Effect.forEach(wallets, (wallet) => listOf(client, wallet))
  const lists = yield* Effect.retry(read, Schedule.spaced(1_000))
  const isResumedAtOnce = random.is(0.5)
  for (let waited = 0; waited < recoveryMillis && differencesOf(world, lists).length > 0; waited += lookMillis) {
    const { failing, paused } = yield* observer.webhooks.counts
    if (paused > 0 || (isResumedAtOnce && failing > 0)) yield* owner.resume
    yield* Effect.sleep(lookMillis)
  }
  yield* Effect.sleep(standingMillis)
  differences.push(...differencesOf(world, lists), ...hook.faults)
  for (const [at, { faults }] of streams.entries()) differences.push(...faults.map((fault) => `stream ${at}: ${fault}`))
})

/** The complete simulation. */
const simulate = Effect.fnUntraced(function* (world: World): Effect.fn.Return<void, unknown, Scope.Scope> {
  const { calm, chain, hook, hosts, generated, log, random, steps, streams, wake } = world
  const observer = yield* Hosts.open(world.hostOptions, null)
  const gaps = random.fork("gaps")
  const writerRandom = random.fork("writer")
  const open = Effect.suspend(() => {
    const writerOwner = Hosts.owner(world.hostOptions, () => undefined)
    if (generated.blocks.length > 0 && writerRandom.is(0.7)) writerOwner.fuse = writerRandom.between(20, 400)
    return Hosts.open(world.hostOptions, writerOwner)
  })
  const writer = yield* Writer.make({ ref: chain, generated, random: random.fork("chain"), open, observer })
  const write = (change: typeof GeneratedChain.change) => Effect.ensuring(writer.write(change), Effect.sync(wake))
  const append: typeof GeneratedChain.change = (target, store, numbers) =>
    GeneratedChain.append(target, store, 1, numbers)
  while (generated.blocks.length === 0) yield* write(append)
  yield* addWebhook(world, observer)
  const indexed = IndexedChain.fromDatabase(observer)(chain)
  const ownerOptions = {
    webhooks: observer.webhooks,
    chain: indexed,
    name,
    wallets,
    numbers: random.fork("owner"),
    receiver: hook,
  }
  const owner = HookReceiver.owner(ownerOptions)
  for (const host of hosts) host.start()
  for (const stream of streams) stream.start()
  for (let step = 0; step < steps; step++) {
    yield* write(GeneratedChain.change)
    log(`blocks ${generated.blocks[0]!.number} to ${generated.blocks.at(-1)!.number}`)
    if (random.is(0.6)) yield* disturb(world, owner)
    yield* Effect.sleep(gaps.below(gaps.pick([100, 1_000, 1_000, 12_000])))
  }
  calm()
  log("faults end")
  const { hash } = generated.blocks.at(-1)!
  while (generated.blocks.at(-1)!.hash === hash) yield* write(append)
  yield* recover(world, observer, owner)
}, Effect.scoped)

const count = (counts: Counts, { hook, streams }: World): void => {
  counts.add([
    ["events of streams", streams.reduce((sum, { events }) => sum + events.length, 0)],
    ["messages of webhooks", hook.messages],
    ["attempts of webhooks", hook.attempts],
  ])
}

/** Simulates one seed. Seeds must run sequentially, because requests, SQLite and cryptography are replaced globally. */
export const run = async (options: Options): Promise<Outcome> => {
  // In a platform callback, `process.nextTick` would run before the promises that virtual time waits for.
  await Promise.resolve()
  // Failures are frequent; stack traces are only needed for a single examined run.
  if (options.onEvent === undefined) Error.stackTraceLimit = 0
  const counts = new Counts()
  const time = VirtualTime.make(SeededRandom.make(options.seed).fork("time"))
  const store = options.server === undefined ? Store.sqlite() : await Store.postgres(options.server, time)
  const disk: Disk.Disk = { opening: null, bug: null, failures: store.failures, onCommit: () => undefined }
  const world = make(options, store.url, time, disk, counts)
  const undo = [
    SynchronousCrypto.install(),
    HookRequests.install({ time, random: world.random.fork("requests"), receiver: world.hook }),
  ]
  store.begin(disk)
  try {
    const fiber = Effect.runFork(time.inside(simulate(world)))
    await time.runUntil(Number.MAX_SAFE_INTEGER, () => fiber.pollUnsafe() !== undefined)
    const exit = fiber.pollUnsafe()!
    if (exit._tag === "Failure") world.differences.push(`the simulation failed: ${String(exit.cause)}`)
    const left = [...world.streams.map((stream) => stream.stop()), ...world.hosts.map((host) => host.end())]
    await time.runUntil(time.now() + 60_000, () =>
      left.every((one: Fiber.Fiber<unknown, unknown> | undefined) => one?.pollUnsafe() !== undefined),
    )
  } finally {
    for (const back of undo) back()
    store.close()
  }
  count(counts, world)
  return { differences: world.differences, counts }
}
