/**
 * Everything on this machine: an embedded chain with seeded traffic, the service on SQLite in a temporary folder, a fresh
 * key. All of it is gone when the scope ends.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil, Scenario } from "@daybook/chain"
import { Address } from "@daybook/schema"
import * as Config from "@daybook/service/config/Config"
import * as Service from "@daybook/service/Service"
import { Clock, Deferred, Effect, Schema } from "effect"
import { Screen } from "./Screen.ts"
import type { Provider } from "./Story.ts"

/** How the local world is made. */
export interface Options {
  /** Of the traffic. Default 1. */
  readonly seed?: number
  /** Blocks of traffic at least. Default 60. */
  readonly blocks?: number
  /** Whether to send a blob, which the chain takes some seconds for the first time. Default true. */
  readonly blobs?: boolean
  /** Keys of the service's configuration, over the demo's own. */
  readonly config?: Readonly<Record<string, unknown>>
}

/** A running local world. */
export interface Local {
  readonly provider: Provider
  /** The chain itself, to ask for the truth. */
  readonly node: Anvil.Node
  /** What the traffic was. */
  readonly world: Scenario.World
}

interface Totals {
  readonly blocks: number
  readonly transactions: number
  readonly elapsedMillis: number
}

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "daybook-demo-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

/** The names of the traffic's accounts and contracts, as an operator would write them into the configuration. */
const labelsOf = (world: Scenario.World): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...world.accounts, ...world.contracts }).map(([name, address]) => [address, name]),
  )

const elapsed = Effect.fnUntraced(function* (since: number) {
  return `${(((yield* Clock.currentTimeMillis) - since) / 1000).toFixed(1)} s`
})

/** Starts the local world and waits until the service has indexed it. */
export const start = Effect.fn("Local.start")(function* (options: Options = {}) {
  const screen = yield* Screen
  const { seed = 1, blocks = 60, blobs = true } = options

  yield* screen.title("An embedded chain")
  const node = yield* Anvil.make({ chainId: 1 })
  yield* screen.line(`   anvil at ${node.url}, chain id ${node.chainId}`)
  const seedingSince = yield* Clock.currentTimeMillis
  const world = yield* Scenario.run(node, {
    seed,
    blocks,
    blobs,
    onProgress: (progress) =>
      screen.progress(
        `seeding: block ${progress.blocks} of ${progress.ofBlocks}, ${progress.transactions} transactions`,
      ),
  })
  yield* screen.line(
    `   seeded ${world.lastBlock} blocks, ${world.all.length} transactions in ${yield* elapsed(seedingSince)} (seed ${seed})`,
  )

  yield* screen.title("The service, on SQLite")
  const folder = yield* temporaryFolder
  const config = yield* Effect.fromResult(
    Config.decode({
      listen: { host: "127.0.0.1", port: 0 },
      database: "sqlite:data",
      chains: { eth: { rpc: [node.url], fromBlock: 0, pollMillis: 100, labels: labelsOf(world) } },
      ...options.config,
    }),
  )
  const synced = yield* Deferred.make<Totals>()
  const service = yield* Service.run(config, {
    role: "all",
    baseFolder: folder,
    onEvent: (_chain, event) => {
      if (event._tag === "Indexed") {
        return Effect.sync(() => screen.progress(`indexing: block ${event.head} of ${event.nodeHead}`))
      }
      return event._tag === "Synced" ? Deferred.succeed(synced, event) : Effect.void
    },
  })
  const baseUrl = service.address?.url ?? ""
  yield* screen.line(`   listening at ${baseUrl}`)
  const apiKey = yield* service.keys.add({ name: "demo", operator: false, empty: null })
  if (apiKey === null) return yield* Effect.die(new Error("a new database has a key already"))
  const totals = yield* Deferred.await(synced)
  yield* screen.line(
    `   indexed ${totals.blocks} blocks, ${totals.transactions} transactions in ${(totals.elapsedMillis / 1000).toFixed(1)} s`,
  )

  const local: Local = {
    node,
    world,
    provider: {
      baseUrl,
      rpcUrl: `${baseUrl}/rpc`,
      apiKey,
      address: Schema.decodeUnknownSync(Address.Address)(world.accounts.alice),
      chain: "eth",
    },
  }
  return local
})
