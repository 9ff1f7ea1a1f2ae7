/** Fixtures for tests of the sender of webhooks: a database with a chain and webhooks, and a receiver. */
import * as LocalServer from "@daybook/harness/LocalServer"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { Effect } from "effect"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as NameLookups from "../../../src/push/NameLookups.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as RecentChanges from "../../../src/query/RecentChanges.ts"
import * as ChainContracts from "../../../src/server/chain/ChainContracts.ts"
import type * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import type { KeyOptions } from "../../../src/store/ApiKeys.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import * as Engine from "../../../src/store/Engine.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import { notBegun, type WebhookWallet } from "../../../src/store/WebhookWallets.ts"
import * as GeneratedChain from "../../push/GeneratedChain.ts"
import * as Rows from "../rows.ts"
import type { Json } from "../service.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as TestStore from "../../store/TestStore.ts"

export const key = "k".repeat(40)

/** Blocks with one transaction from alice to bob each. */
export const blocks = Array.from({ length: 4 }, (_, number) => Rows.block(number, [{ from: Rows.alice, to: Rows.bob }]))

/** Properties of an added webhook that differ from one of the operator with the rows of all blocks. */
export interface Added {
  readonly wallets?: ReadonlyArray<WebhookWallet>
  readonly holder?: string
  readonly from?: Webhook.Settings["from"]
  readonly types?: Webhook.Settings["types"]
  readonly change?: (webhook: Webhook.Webhook) => Webhook.Webhook
}

export interface Options {
  readonly watch?: ReadonlyArray<string> | undefined
  /** True if no ledger is derived. */
  readonly isUnderived?: boolean
}

/** A database with an empty chain that indexes some wallets, by default all, until the scope ends. */
export const openedDatabase = Effect.fnUntraced(function* ({ isUnderived = false, watch }: Options) {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const listen = { host: "127.0.0.1", port: 0 }
  const rpc = ["http://127.0.0.1:65535/"]
  const chains = { eth: watch === undefined ? { rpc } : { rpc, watch } }
  const config = yield* Effect.fromResult(Config.decode({ listen, database: "sqlite:data", chains }))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const ref = { name: served!.name, id: served!.id }
  const store = yield* TestStore.open(database, ref, {
    projections: isUnderived ? [] : GeneratedChain.projections(GeneratedChain.make()),
    watch: watch === undefined ? null : new Set(watch),
  })
  return { config, database, ref, served: served!, store }
})

/** A chain that counts reads, webhooks that count statements, and a receiver that responds with 204 unless it has another handler. */
export const opened = Effect.fnUntraced(function* (chain: Options = {}) {
  const statements: Array<string> = []
  const counts = {
    snapshots: 0,
    messages: 0,
    looks: 0,
    get statements() {
      return statements.length
    },
  }
  const { config, database, served, store } = yield* openedDatabase(chain)
  const indexed = IndexedChain.fromDatabase(database)(served)
  const snapshot: ChainReader["snapshot"] = (read) => {
    counts.snapshots++
    return indexed.reader.snapshot(read)
  }
  const reader = { ...indexed.reader, snapshot }
  const counted =
    <A extends ReadonlyArray<unknown>, B, E>(name: string, run: (...values: A) => Effect.Effect<B, E>) =>
    (...values: A): Effect.Effect<B, E> =>
      Effect.suspend(() => {
        statements.push(name)
        return run(...values)
      })
  const { acquire, change, find, having, walletsOf } = database.webhooks
  const webhooks: Webhooks = {
    ...database.webhooks,
    acquire: counted("acquire", acquire),
    change: counted("change", change),
    find: counted("find", find),
    having: counted("having", having),
    walletsOf: counted("walletsOf", walletsOf),
    overview: Effect.tap(database.webhooks.overview, () => Effect.sync(() => counts.looks++)),
  }
  const respond: LocalServer.Handler = (_request, response) => void response.writeHead(204).end()
  const requests: Array<LocalServer.Request> = []
  const receiver = { respond, requests }
  const { url } = yield* LocalServer.scoped(() =>
    LocalServer.start((request, response, message) => {
      counts.messages++
      requests.push(request)
      receiver.respond(request, response, message)
    }),
  )
  const decoder = KnownSignatures.decoder()
  const options: WebhookSender.Options = {
    lookups: NameLookups.make(),
    settings: { key, allowPrivate: true, perKey: 10, addressesPerKey: 100, addressesPerWebhook: 100, total: 1_000 },
    config,
    chains: [{ ...indexed, reader, recent: RecentChanges.make(reader) }],
    contracts: ChainContracts.make(database.contracts, decoder),
    decoder,
    webhooks,
    keys: database.apiKeys,
  }
  /** Adds a webhook, by default for alice; its messages are posted to a path with its name. */
  const add = Effect.fnUntraced(function* (name: string, added: Added = {}) {
    const { change: changed = (made) => made, from = 0, holder = null, types = ["wallet.transaction"] } = added
    const settings = { url: `${url}/${name}`, chain: "eth", finality: "head", from, holder, types } as const
    const [webhook] = yield* Webhook.make(key, settings)
    yield* database.webhooks.add(name, Webhook.encode(changed(webhook)), added.wallets ?? [notBegun(Rows.alice)])
  })
  const addKey = (name: string, keyOptions?: KeyOptions) =>
    database.apiKeys.add({ name, operator: false, empty: null, options: keyOptions })
  const stored = (name: string) =>
    Effect.flatMap(database.webhooks.find(name), (storedWebhook) => Webhook.decode(storedWebhook!.content))
  return { add, addKey, counts, database, options, receiver, statements, store, stored }
})

/** Bodies that a receiver got. */
export const bodiesOf = ({
  requests,
}: {
  readonly requests: ReadonlyArray<LocalServer.Request>
}): ReadonlyArray<Json> => requests.map(({ body }) => JSON.parse(body))
