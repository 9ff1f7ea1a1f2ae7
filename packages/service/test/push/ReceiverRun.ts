/**
 * Random runs of a chain with two services that are restarted and take over from each other. Receivers of server-sent events and
 * WebSocket subscriptions are slow, lose their connection and reconnect to either service. At the end the table of each receiver must
 * equal the list of the service.
 */
import { createRestClient } from "@daybook/rest/promise"
import { rowId } from "@daybook/schema/RowId"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import { Effect, Exit, Logger, Redacted, Schema, Scope } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Rows from "../server/rows.ts"
import { type Json, request } from "../server/service.ts"
import * as Model from "../store/model.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Eventually from "@daybook/harness/Eventually"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as GeneratedChain from "./GeneratedChain.ts"
import * as WebhookRun from "./WebhookRun.ts"
import { type IsLast, Receiver } from "./Receiver.ts"
import * as Tables from "./Tables.ts"

const decodeEvent = Schema.decodeUnknownSync(WalletEvent.WalletEvent)

/** A database, and the folder to which its URL is relative. */
export interface DatabaseLocation {
  readonly url: string
  readonly folder: string
}

/** Result of a run: differences between the tables and the list; empty if there are none. */
export interface Outcome {
  readonly events: number
  /** Numbers of messages of the webhook and of attempts to send them. */
  readonly messages: number
  readonly attempts: number
  readonly differences: ReadonlyArray<string>
}

const configOf = (url: string) =>
  Config.decode({
    listen: { host: "127.0.0.1", port: 0 },
    database: url,
    chains: { eth: { rpc: ["http://127.0.0.1:65535/"] } },
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
    limits: { drainIdleMillis: 1, drainSeconds: 1, eventStreams: 100 },
  })

/** A service that can be restarted. */
class Host {
  origin = ""
  key = ""
  private scope: Scope.Closeable | undefined
  private readonly location: DatabaseLocation

  constructor(location: DatabaseLocation) {
    this.location = location
  }

  /** Stops a running service and starts another one. */
  readonly restart = Effect.fnUntraced(
    function* (this: Host) {
      yield* this.stop
      const config = yield* Effect.fromResult(configOf(this.location.url))
      const scope = yield* Scope.make()
      this.scope = scope
      const started = Service.run(config, { roles: ["rest", "relay"], baseFolder: this.location.folder })
      const { address, keys } = yield* Scope.provide(started, scope)
      this.origin = address!.url
      if (this.key !== "") return
      const name = `receiver ${this.origin}`
      this.key = Redacted.value((yield* keys.add({ name, operator: false, empty: null }))!)
    }.bind(this),
  )

  readonly stop = Effect.suspend(() => (this.scope === undefined ? Effect.void : Scope.close(this.scope, Exit.void)))
}

const listOf = Effect.fnUntraced(function* ({ key, origin }: Host, wallet: string) {
  const lists = { verbose: new Array<string>(), movements: new Array<string>() }
  for (const [list, lines] of Object.entries(lists)) {
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`
      const url = `${origin}/api/v2.2/${wallet}/${list}?order=ASC${query}`
      const { json } = yield* request(url, { headers: { "x-api-key": key } })
      lines.push(
        ...json.result.map((row: Json) => `${row.block_number} ${rowId(row)} ${row.amount ?? row.from_address}`),
      )
      cursor = json.cursor
    }
  }
  return { verbose: lists.verbose.toSorted(), movements: lists.movements.toSorted() }
})

const linesOf = ({ movements, verbose }: Effect.Success<ReturnType<typeof listOf>>) =>
  [...verbose, ...movements].toSorted()

const tableOf = ({ table }: Receiver): ReadonlyArray<string> =>
  [...table]
    .map(
      ([
        row,
        {
          event: { data },
        },
      ]) =>
        "transaction" in data
          ? `${data.transaction.block_number} ${row} ${data.transaction.from_address}`
          : `${data.movement.block_number} ${row} ${data.movement.amount}`,
    )
    .toSorted()

/** A `fetch` whose response bodies are cut after some bytes. */
const fetchWithCuts =
  (bytes: () => number) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    const reader = response.body!.getReader()
    let left = bytes()
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        controller.enqueue(value.slice(0, left))
        left -= value.length
        if (left > 0) return
        await reader.cancel()
        controller.error(new TypeError("terminated"))
      },
      cancel: () => reader.cancel(),
    })
    return new Response(body, response)
  }

/** Receives events with the REST client, whose connections are cut meanwhile. */
const listenByClient = async (receiver: Receiver, host: Host, from: number, bytes: () => number, isLast: IsLast) => {
  const retry = { base: 1, cap: 2 }
  const rest = createRestClient({ baseUrl: host.origin, apiKey: host.key, fetch: fetchWithCuts(bytes), retry })
  const begin = receiver.cursor === "" ? from : receiver.cursor
  let count = 0
  for await (const event of rest.walletEvents({ address: Rows.alice, from: begin })) {
    receiver.take(event, event.data.cursor)
    if (isLast(event, ++count)) return
  }
}

/** Receives events of a WebSocket subscription, which is closed in the middle of a message. */
const listenByWebSocket = (receiver: Receiver, { key, origin }: Host, from: number, isLast: IsLast) =>
  new Promise<void>((resolve) => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/rpc/eth/${key}`)
    let count = 0
    let isOver = false
    const end = () => {
      isOver = true
      socket.close()
      resolve()
    }
    socket.addEventListener("error", end)
    socket.addEventListener("close", end)
    socket.addEventListener("open", () => {
      const params = [
        "daybook_movements",
        { address: Rows.alice, from: receiver.cursor === "" ? from : receiver.cursor },
      ]
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params }))
    })
    socket.addEventListener("message", ({ data }) => {
      const { error, params } = JSON.parse(String(data))
      if (error !== undefined || params?.error !== undefined) return end()
      if (params === undefined || isOver) return
      const event = decodeEvent(params.result)
      receiver.take(event, event.data.cursor)
      if (isLast(event, ++count)) end()
    })
  })

/** Receives events from a host; a lost connection is not a failure. */
type Listen = (host: Host, isLast: IsLast) => Effect.Effect<void>

/** Index of the receiver of movements only. */
const byWebSocket = 3

const listenersOf = (numbers: Model.Seeded) => {
  const receivers = [0, 95, 0, 0].map((from) => ({ from, receiver: new Receiver("", "") }))
  const listens = receivers.map(({ from, receiver }, at): Listen => (host, isLast) => {
    receiver.url = `${host.origin}/api/v2.2/${Rows.alice}/events?from=${from}`
    receiver.key = host.key
    const listening = () => {
      if (at === byWebSocket) return listenByWebSocket(receiver, host, from, isLast)
      return at === 2
        ? listenByClient(receiver, host, from, () => 4_000 + numbers.below(60_000), isLast)
        : receiver.listen(isLast)
    }
    return Effect.promise(() =>
      listening()
        .then(() => undefined)
        .catch(() => undefined),
    )
  })
  return { receivers, listens }
}

/** Opens a connection and never reads from it. */
const stall = ({ key, origin }: Host) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const abort = new AbortController()
      const url = `${origin}/api/v2.2/${Rows.alice}/events?from=0`
      fetch(url, { headers: { "x-api-key": key }, signal: abort.signal }).catch(() => undefined)
      return abort
    }),
    (abort) => Effect.sync(() => abort.abort()),
  )

const attempts = 200

const wallets = [Rows.alice, Rows.bob]

/** Time limit for a webhook to send everything once no faults are injected, with a tolerance for a busy machine. */
const withinMillis = 120_000

/** Waits until the tables of a webhook equal the lists; returns the differences. */
const differencesOf = Effect.fnUntraced(function* (hook: WebhookRun.WebhookRun, host: Host) {
  const lists = yield* Effect.forEach(wallets, (wallet) => Effect.map(listOf(host, wallet), linesOf))
  const differences = () =>
    hook.receiver.receivers.flatMap((receiver, at) =>
      Tables.differenceOf(`webhook, wallet ${at}`, tableOf(receiver), lists[at]!),
    )
  const isEqual = Effect.map(hook.endFaults, () => differences().length === 0)
  yield* Effect.ignore(Eventually.untilEffect(isEqual, { withinMillis, everyMillis: 10 }))
  return [...differences(), ...hook.receiver.faults]
})

/** One run. */
export const run = Effect.fnUntraced(
  function* (location: DatabaseLocation, seed: number): Effect.fn.Return<Outcome, unknown, Scope.Scope> {
    const numbers = Model.seeded(seed)
    const generated = GeneratedChain.make()
    const database = yield* Engine.fromUrl(location.url, location.folder)
    const store = yield* TestStore.open(
      database,
      { name: "eth", id: 1 },
      { projections: GeneratedChain.projections(generated) },
    )
    const hosts = [new Host(location), new Host(location)] as const
    for (const host of hosts)
      yield* Effect.andThen(
        host.restart(),
        Effect.addFinalizer(() => host.stop),
      )
    const { listens, receivers } = listenersOf(numbers)
    const config = yield* Effect.fromResult(configOf(location.url))
    const [chain] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
    const hasOwnClock = location.url.startsWith("postgres")
    const hook = yield* WebhookRun.start({ config, chain: chain!, database, wallets, numbers, hasOwnClock })
    yield* Effect.addFinalizer(() => hook.stop)
    yield* stall(hosts[0])
    for (let step = 0; step < 40; step++) {
      yield* GeneratedChain.change(generated, store, numbers)
      if (numbers.below(3) === 0) yield* hook.disturb
      const most = 1 + numbers.below(12)
      const [listen, host] = [numbers.pick(listens), numbers.pick(hosts)]
      if (numbers.below(2) === 0) yield* listen(host, ({ type }, count) => type === "covered" || count >= most)
      // The connected receiver is disconnected and continues with the other service.
      if (numbers.below(16) === 0) yield* Effect.all([listen(host, () => false), host.restart()], { concurrency: 2 })
    }
    yield* GeneratedChain.append(generated, store, 1, numbers)
    const { hash } = generated.blocks.at(-1)!
    const list = yield* listOf(hosts[0], Rows.alice)
    const differences: Array<string> = (yield* differencesOf(hook, hosts[0])).map((line) => `seed ${seed}, ${line}`)
    for (const [at, { from, receiver }] of receivers.entries()) {
      const isCovered: IsLast = ({ data, type }) => type === "covered" && "hash" in data && data.hash === hash
      for (let attempt = 0; attempt < attempts && receiver.covered !== hash; attempt++) {
        yield* listens[at]!(hosts[attempt % 2]!, isCovered)
      }
      const rows = at === byWebSocket ? list.movements : linesOf(list)
      const expected = rows.filter((line) => Number(line.split(" ")[0]) >= from)
      differences.push(...Tables.differenceOf(`seed ${seed}, receiver ${at}`, tableOf(receiver), expected))
    }
    const all = [...receivers.map(({ receiver }) => receiver), ...hook.receiver.receivers]
    const events = all.reduce((sum, receiver) => sum + receiver.events.length, 0)
    return { events, messages: hook.receiver.messages, attempts: hook.receiver.attempts, differences }
  },
  (effect) => Effect.provide(Effect.scoped(effect), Logger.layer([])),
)
