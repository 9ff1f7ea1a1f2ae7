/** A chain with traffic and a service that indexes it and serves the built explorer: what a browser needs for a test. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { createRestClient, type RestPromiseClient } from "@daybook/rest/promise"
import * as Config from "@daybook/service/Config"
import * as Service from "@daybook/service/Service"
import { Effect, Exit, Logger, Redacted, Scope } from "effect"

/** A service that runs. */
interface Running {
  /** Base URL of the service and its pages. */
  readonly url: string
  readonly addKey: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** The chain, and a service on it. */
export interface World {
  readonly node: Anvil.Node
  readonly scenario: Scenario.World
  readonly url: string
  readonly apiKey: string
  /** A client with that key. */
  readonly rest: RestPromiseClient
  /** Runs an effect on the chain. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** Calls the node directly. */
  readonly call: <A = unknown>(method: string, params?: ReadonlyArray<unknown>) => Promise<A>
  /** Stops the service; `start` runs it again on the same port and files. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  /** Waits until the service has indexed the head of the node. */
  readonly indexed: () => Promise<void>
  readonly close: () => Promise<void>
}

/** How much happened on the chain. */
export interface Options {
  readonly blocks?: number
  readonly labels?: Readonly<Record<string, string>>
}

const quiet = Logger.layer([])

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(Effect.provide(effect, quiet))

interface ServiceOptions {
  readonly folder: string
  readonly port: number
  readonly rpc: string
  readonly labels: Readonly<Record<string, string>>
}

const startService = async ({ folder, labels, port, rpc }: ServiceOptions): Promise<Running> => {
  const scope = Scope.makeUnsafe()
  const started = Effect.gen(function* () {
    const config = yield* Effect.fromResult(
      Config.decode({
        listen: { host: "127.0.0.1", port },
        database: "sqlite:data",
        chains: { eth: { rpc: [rpc], fromBlock: 0, pollMillis: 100, labels } },
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

interface Ready {
  readonly indexed: { readonly to: number } | null
  readonly state: string
}

/** Starts a chain, sends traffic, starts a service and waits until it has indexed everything. */
export const start = async ({ blocks = 10, labels = {} }: Options = {}): Promise<World> => {
  const scope = Scope.makeUnsafe()
  const folder = await mkdtemp(join(tmpdir(), "daybook-explorer-"))
  const made = Effect.gen(function* () {
    const node = yield* Anvil.make({ chainId: 1 })
    return { node, scenario: yield* Scenario.run(node, { seed: 7, blocks, blobs: false }) }
  })
  const { node, scenario } = await run(
    Scope.provide(made, scope) as Effect.Effect<Pick<World, "node" | "scenario">, unknown>,
  )
  const named = {
    ...Object.fromEntries(Object.entries(scenario.accounts).map(([name, address]) => [address, name])),
    ...labels,
  }
  const options = { folder, labels: named, rpc: node.url }
  let service = await startService({ ...options, port: 0 })
  const { url } = service
  const port = Number(new URL(url).port)
  const call = <A = unknown>(method: string, params: ReadonlyArray<unknown> = []): Promise<A> =>
    run(node.call<A>(method, params))
  const indexed = () =>
    Eventually.until(
      async () => {
        const head = Number(await call<string>("eth_blockNumber"))
        const response = await fetch(`${url}/ready?chain=eth`).catch(() => null)
        const ready = response === null ? null : ((await response.json()) as Ready)
        return ready?.indexed?.to === head
      },
      { everyMillis: 50, withinMillis: 90_000, what: "the head of the node is indexed" },
    )
  await indexed()
  const apiKey = await service.addKey()
  return {
    ...{ node, scenario, url, call, run, indexed },
    apiKey,
    rest: createRestClient({ baseUrl: url, apiKey }),
    stop: () => service.stop(),
    start: async () => {
      service = await startService({ ...options, port })
    },
    close: async () => {
      await service.stop()
      await run(Scope.close(scope, Exit.void))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
