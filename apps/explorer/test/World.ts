/** A chain with traffic, and a service that indexes it and serves the built explorer, for tests in a browser. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { createRestClient, type RestPromiseClient } from "@daybook/rest/promise"
import * as Config from "@daybook/service/Config"
import * as Service from "@daybook/service/Service"
import { Effect, Exit, Logger, Redacted, Scope } from "effect"
import * as Project from "./Project.ts"

/** A running service. */
interface Running {
  /** Base URL of the service and its pages. */
  readonly url: string
  readonly addKey: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** A chain and its service. */
export interface World {
  readonly node: Anvil.Node
  readonly scenario: Scenario.World
  readonly url: string
  readonly apiKey: string
  /** A client with the API key. */
  readonly rest: RestPromiseClient
  /** Runs an effect on the chain. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** Calls the node directly. */
  readonly call: <A = unknown>(method: string, params?: ReadonlyArray<unknown>) => Promise<A>
  /** Stops the service; `start` restarts it on the same port and files. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  /** Restarts the node on the same port with a new chain. */
  readonly restartNode: () => Promise<void>
  /** Waits until the service has indexed the head of the node. */
  readonly indexed: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Size of the chain, and options of the service. */
export interface Options {
  readonly blocks?: number
  /** Transactions per block. */
  readonly size?: number
  readonly labels?: Readonly<Record<string, string>>
  /** Kind of the project from which the service reads the contracts of the scenario. */
  readonly project?: Project.Kind
  /** Time of block 0, in Unix seconds. */
  readonly genesisTimestamp?: number
  /** True if the service sends webhooks, including to this machine. */
  readonly sendsWebhooks?: boolean
  /** Further configuration of the chain. */
  readonly chain?: Readonly<Record<string, unknown>>
}

const quiet = Logger.layer([])

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(Effect.provide(effect, quiet))

interface ServiceOptions {
  readonly folder: string
  readonly port: number
  readonly chain: Readonly<Record<string, unknown>>
  /** Further configuration. */
  readonly more: Readonly<Record<string, unknown>>
}

const startService = async ({ chain, folder, more, port }: ServiceOptions): Promise<Running> => {
  const scope = Scope.makeUnsafe()
  const started = Effect.gen(function* () {
    const config = yield* Effect.fromResult(
      Config.decode({
        listen: { host: "127.0.0.1", port },
        database: "sqlite:data",
        chains: { eth: { fromBlock: 0, pollMillis: 100, ...chain } },
        ...more,
      }),
    )
    return yield* Service.run(config, { baseFolder: folder })
  })
  const service = await run(Scope.provide(started, scope) as Effect.Effect<Service.Running, unknown>)
  const addKey = async () => {
    const key = await run(service.keys.add({ name: "test", operator: false, empty: null }) as Effect.Effect<unknown>)
    return Redacted.value(key as Redacted.Redacted)
  }
  return { url: service.address?.url ?? "", addKey, stop: () => run(Scope.close(scope, Exit.void)) }
}

/** Waits until the service has the ABI of a contract. */
const untilDescribed = (url: string, apiKey: string, address: string) =>
  Eventually.until(
    async () => {
      const response = await fetch(`${url}/api/v2.2/contracts/${address}`, { headers: { "x-api-key": apiKey } })
      const { result } = (await response.json()) as { readonly result: object | null }
      return result !== null
    },
    { everyMillis: 50, withinMillis: 30_000, what: "the service knows the contracts of the project" },
  )

interface Ready {
  readonly indexed: { readonly to: number } | null
  readonly state: string
}

/** A node with its scope. */
interface RunningNode {
  readonly node: Anvil.Node
  readonly scope: Scope.Closeable
}

const startNode = async (options: Anvil.Options = {}): Promise<RunningNode> => {
  const scope = Scope.makeUnsafe()
  const node = await run(Scope.provide(Anvil.make({ chainId: 1, ...options }), scope))
  return { node, scope }
}

const stopNode = ({ scope }: RunningNode): Promise<void> => run(Scope.close(scope, Exit.void))

/** Starts a chain, sends traffic, starts a service and waits until it has indexed everything. */
export const start = async (given: Options = {}): Promise<World> => {
  const { blocks = 10, chain = {}, genesisTimestamp, labels = {}, project, sendsWebhooks = false, size = 10 } = given
  const folder = await mkdtemp(join(tmpdir(), "daybook-explorer-"))
  let running = await startNode(genesisTimestamp === undefined ? {} : { genesisTimestamp })
  const { node } = running
  const scenario = await run(Scenario.run(node, { seed: 7, blocks, size, blobs: false }))
  const named = {
    ...Object.fromEntries(Object.entries(scenario.accounts).map(([name, address]) => [address, name])),
    ...labels,
  }
  const projects = project === undefined ? [] : [Project.writeProject(folder, project, scenario)]
  const more = sendsWebhooks ? { webhooks: { key: "k".repeat(40), allowPrivate: true } } : {}
  const options = { folder, more, chain: { rpc: [node.url], labels: named, artifacts: projects, ...chain } }
  let service = await startService({ ...options, port: 0 })
  const { url } = service
  const port = Number(new URL(url).port)
  const call = <A = unknown>(method: string, params: ReadonlyArray<unknown> = []): Promise<A> =>
    run(running.node.call<A>(method, params))
  const indexed = () =>
    Eventually.until(
      async () => {
        const head = Number(await call<string>("eth_blockNumber"))
        const response = await fetch(`${url}/ready?chain=eth`).catch(() => null)
        const ready = response === null ? null : ((await response.json()) as Ready)
        return ready?.indexed?.to === head
      },
      { everyMillis: 50, withinMillis: 600_000, what: "the head of the node is indexed" },
    )
  await indexed()
  const apiKey = await service.addKey()
  if (project !== undefined) await untilDescribed(url, apiKey, scenario.contracts.gold)
  return {
    scenario,
    url,
    call,
    run,
    indexed,
    get node() {
      return running.node
    },
    restartNode: async () => {
      await stopNode(running)
      running = await startNode({ port: Number(new URL(node.url).port) })
    },
    apiKey,
    rest: createRestClient({
      baseUrl: url,
      apiKey,
    }),
    stop: () => service.stop(),
    start: async () => {
      service = await startService({
        ...options,
        port,
      })
    },
    close: async () => {
      await service.stop()
      await stopNode(running)
      await rm(folder, {
        recursive: true,
        force: true,
      })
    },
  }
}
