/** Runs the HTTP server of the service on a free port, with SQLite files in a temporary folder that the end of the scope removes. */
import { join } from "node:path"
import * as WalletPage from "@daybook/schema/WalletPage"
import { Effect, Logger, Redacted, References, Schema } from "effect"
import type { Scope } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import type { ApiKeys, KeyGrant } from "../../src/store/ApiKeys.ts"
import type { Projection } from "../../src/block/Projection.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

export interface Options {
  /** Configuration in addition to `listen`, `database` and `chains`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Chains by name: their configuration except the node, and their stored blocks. */
  readonly chains?: Readonly<
    Record<
      string,
      {
        readonly config?: Readonly<Record<string, unknown>>
        readonly blocks?: ReadonlyArray<BlockRows>
        /** Projections of the store. Default: those that its blocks need. */
        readonly projections?: ReadonlyArray<Projection>
        /** True if no indexer has run yet, so that there is no file. */
        readonly isAbsent?: boolean
      }
    >
  >
}

/** A body of any shape, whose fields the tests check. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

/** A response with its complete body. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly json: Json
}

export interface Started {
  readonly url: string
  readonly key: string
  readonly keys: ApiKeys
  /** Adds an API key in addition to the default one. */
  readonly addKey: (grant: Partial<KeyGrant> & { readonly name: string }) => Effect.Effect<string>
  /** Stores of the chains, opened for writing. */
  readonly stores: Readonly<Record<string, TestStore.TestStore>>
  /** Folder of the database. */
  readonly folder: string
  /** All log lines. */
  readonly logs: ReadonlyArray<string>
  readonly fetch: (path: string, init?: RequestInit) => Effect.Effect<Response>
  /** Sends a GET request with the default key. */
  readonly get: (path: string) => Effect.Effect<Response>
  /** Requests a wallet's page with the default key. */
  readonly wallet: (address: string, query?: string) => Effect.Effect<Response>
  /** Sends a POST request to the relay, with the default chain and key unless others are given. */
  readonly call: (body: unknown, chain?: string, key?: string) => Effect.Effect<Response>
}

export const request = (url: string, init?: RequestInit): Effect.Effect<Response> =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    const text = await response.text()
    let json: Json
    try {
      json = JSON.parse(text)
    } catch {
      json = undefined
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), text, json }
  })

/** A URL on which no server listens. */
const nowhere = "http://127.0.0.1:65535/"

const unreachedLimit = { perSecond: 1_000_000, burst: 1_000_000 }

/** Starts the service with the role `serve`. */
export const start = (options: Options = {}): Effect.Effect<Started, Service.StartError, Scope.Scope> => {
  const logs: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    logs.push(`${logLevel} ${(Array.isArray(message) ? message : [message]).map(String).join(" ")}`)
  })
  return Effect.gen(function* () {
    const baseFolder = yield* temporaryFolder
    const given = options.chains ?? { eth: {} }
    const chains = Object.fromEntries(
      Object.entries(given).map(([name, { config }]) => [name, { rpc: [nowhere], ens: "off", ...config }]),
    )
    const listen = { host: "127.0.0.1", port: 0 }
    const config = yield* Effect.fromResult(
      Config.decode({
        listen,
        database: "sqlite:data",
        chains,
        rateLimit: unreachedLimit,
        ...options.config,
        limits: {
          drainIdleMillis: 1,
          ...(options.config?.["limits"] as object | undefined),
        },
      }),
    )
    const database = yield* Engine.fromUrl(config.database, baseFolder)
    const stores: Record<string, TestStore.TestStore> = {}
    for (const { config: chain, id, key, name } of yield* Effect.fromResult(ServedChain.fromChains(config.chains))) {
      if (given[key]?.isAbsent === true) continue
      const watch = chain.watch === undefined ? null : new Set(chain.watch.map((wallet) => wallet.toLowerCase()))
      const { projections } = given[key] ?? {}
      const registered = projections === undefined ? {} : { projections }
      const store = yield* TestStore.open(database, { name, id }, { watch, ...registered })
      const blocks = given[key]?.blocks ?? []
      if (blocks.length > 0) yield* Effect.orDie(store.append(null, blocks))
      stores[key] = store
    }
    const { address, keys } = yield* Service.run(config, { roles: ["rest", "relay"], baseFolder })
    const addKey: Started["addKey"] = (grant) =>
      keys.add({ operator: false, empty: null, ...grant }).pipe(
        Effect.orDie,
        Effect.map((key) => Redacted.value(key!)),
      )
    const url = address!.url
    const key = yield* addKey({ name: "usual" })
    const get = (path: string) => request(`${url}${path}`, { headers: { "x-api-key": key } })
    return {
      url,
      key,
      keys,
      addKey,
      stores,
      folder: join(baseFolder, "data"),
      logs,
      fetch: (path, init) => request(`${url}${path}`, init),
      get,
      wallet: (wallet, query = "") => get(`/api/v2.2/${wallet}/verbose${query === "" ? "" : `?${query}`}`),
      call: (body, chain = "eth", other = key) =>
        request(`${url}/rpc/${chain}/${other}`, {
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
    } satisfies Started
  }).pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Trace"))
}

export const decodePage = Schema.decodeUnknownSync(WalletPage.WalletPage)
export const encodePage = Schema.encodeSync(WalletPage.WalletPage)

/** Transaction hashes of a page. */
export const hashesIn = (page: Response): ReadonlyArray<string> =>
  (page.json.result as ReadonlyArray<{ readonly hash: string }>).map(({ hash }) => hash)
