/**
 * Local environment: an embedded chain with seeded traffic, the service on SQLite in a temporary folder, and an API key.
 * Everything is removed when the scope closes.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil, Scenario } from "@daybook/chain"
import { Address } from "@daybook/schema"
import * as Config from "@daybook/service/Config"
import * as Service from "@daybook/service/Service"
import { Clock, Deferred, Effect, Schema } from "effect"
import { Screen } from "./Screen.ts"
import type { Provider } from "./WalkThrough.ts"

/** How to set up the local environment. */
export interface Options {
  /** Seed of the traffic. Default 1. */
  readonly seed?: number
  /** Minimum number of blocks. Default 60. */
  readonly blocks?: number
  /** Keys that override the service's configuration. */
  readonly config?: Readonly<Record<string, unknown>>
}

/** A running local environment. */
export interface Local {
  readonly provider: Provider
  /** The chain, for comparison with what the service returns. */
  readonly node: Anvil.Node
  /** Accounts, contracts and transactions of the traffic. */
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

/** Labels of the accounts and contracts, for the service's configuration. */
const labelsOf = (world: Scenario.World): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...world.accounts, ...world.contracts }).map(([name, address]) => [address, name]),
  )

const formatSeconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

const startChain = Effect.fn("Local.startChain")(function* (options: Options) {
  const screen = yield* Screen
  const { seed = 1, blocks = 60 } = options
  yield* screen.title("Embedded chain")
  const node = yield* Anvil.make({ chainId: 1 })
  yield* screen.line(`   anvil at ${node.url}, chain id ${node.chainId}`)
  const startedAt = yield* Clock.currentTimeMillis
  const onProgress = (progress: Scenario.Progress) =>
    screen.progress(`block ${progress.blocks} of ${progress.ofBlocks}, ${progress.transactions} transactions`)
  // A chain needs seconds for its first blob, which no page shows.
  const world = yield* Scenario.run(node, { seed, blocks, blobs: false, onProgress })
  const elapsed = formatSeconds((yield* Clock.currentTimeMillis) - startedAt)
  yield* screen.line(
    `   mined ${world.lastBlock} blocks with ${world.all.length} transactions in ${elapsed} (seed ${seed})`,
  )
  return { node, world }
})

const startService = Effect.fn("Local.startService")(function* (
  { node, world }: Pick<Local, "node" | "world">,
  override: Options["config"],
) {
  const screen = yield* Screen
  yield* screen.title("Service on SQLite")
  const folder = yield* temporaryFolder
  const config = yield* Effect.fromResult(
    Config.decode({
      listen: { host: "127.0.0.1", port: 0 },
      database: "sqlite:data",
      chains: { eth: { rpc: [node.url], fromBlock: 0, pollMillis: 100, labels: labelsOf(world) } },
      ...override,
    }),
  )
  const synced = yield* Deferred.make<Totals>()
  const service = yield* Service.run(config, {
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
  if (apiKey === null) return yield* Effect.die(new Error("New database already has a key: demo."))
  const { blocks, elapsedMillis, transactions } = yield* Deferred.await(synced)
  yield* screen.line(`   indexed ${blocks} blocks with ${transactions} transactions in ${formatSeconds(elapsedMillis)}`)
  return { baseUrl, rpcUrl: `${baseUrl}/rpc`, apiKey }
})

/** Starts the chain and the service, and waits until every block is indexed. */
export const start = Effect.fn("Local.start")(function* (options: Options = {}) {
  const chain = yield* startChain(options)
  const endpoints = yield* startService(chain, options.config)
  const address = Schema.decodeUnknownSync(Address.Address)(chain.world.accounts.alice)
  const local: Local = { ...chain, provider: { ...endpoints, address, chain: "eth" } }
  return local
})
