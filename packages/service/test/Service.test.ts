import { describe, it } from "@effect/vitest"
import { LocalServer } from "@daybook/harness"
import { Deferred, Effect, Exit, Logger, Redacted, Scope } from "effect"
import { expect } from "vitest"
import * as Config from "../src/config/Config.ts"
import type { IndexerEvent } from "../src/indexer/IndexerEvent.ts"
import * as Service from "../src/Service.ts"
import * as Engine from "../src/store/Engine.ts"
import * as TestStore from "./store/TestStore.ts"
import * as Node from "./server/node.ts"
import * as Rows from "./server/rows.ts"
import { hashesIn, request } from "./server/service.ts"
import { temporaryFolder } from "./store/temporaryFolder.ts"

const configOf = (rpc: ReadonlyArray<string>, port = 0, host = "127.0.0.1") =>
  Effect.fromResult(Config.decode({ listen: { host, port }, database: "sqlite:data", chains: { eth: { rpc } } }))

/** Nothing listens there. */
const nowhere = "http://127.0.0.1:65535/"

/** A port that another program listens on. */
const takenPort = Effect.map(
  LocalServer.scoped(() => LocalServer.start(() => {})),
  ({ port }) => port,
)

/** Starts the service in the role `all` and waits for the indexer's first word of a kind. */
const untilEvent = Effect.fnUntraced(function* (rpc: string, tag: IndexerEvent["_tag"], baseFolder: string) {
  const received = yield* Deferred.make<IndexerEvent>()
  const { address } = yield* Service.run(yield* configOf([rpc]), {
    baseFolder,
    onEvent: (_chain, event) => (event._tag === tag ? Effect.asVoid(Deferred.succeed(received, event)) : Effect.void),
  })
  return { url: address!.url, event: yield* Deferred.await(received) }
})

/** Runs a test without the service's lines. */
const quiet = Effect.provide(Logger.layer([]))

describe("Service", () => {
  describe("run", () => {
    it.live("run: starts while its node is down, reports it and retries, and its indexer stops with its scope", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const baseFolder = yield* temporaryFolder
        const { event, url } = yield* Scope.provide(untilEvent(nowhere, "Waiting", baseFolder), scope)

        const ready = yield* request(`${url}/ready?chain=eth`)

        expect(event).toMatchObject({ _tag: "Waiting", message: expect.stringContaining("127.0.0.1:65535") })
        expect([ready.status, ready.json.state, ready.json.indexed]).toEqual([503, "waiting", null])
        // Without an API key the name of the node is not shown.
        expect(ready.json.message).toContain("Could not connect to the node")
        expect(ready.json.message).not.toContain("65535")
        expect((yield* request(`${url}/ready`)).status).toBe(200)
        expect((yield* request(`${url}/health`)).status).toBe(200)
        yield* Scope.close(scope, Exit.void)
        const { status } = yield* Engine.fromUrl("sqlite:data", baseFolder)
        // An indexer that had to be ended leaves its last status.
        expect((yield* status.read({ name: "eth", id: 1 }))?.state).toBe("stopped")
      }).pipe(quiet),
    )

    it.live(
      "run: a process that only indexes serves health, readiness and metrics at a separate address, and no pages",
      () =>
        Effect.gen(function* () {
          const config = yield* Effect.fromResult(
            Config.decode({
              listen: "127.0.0.1:1",
              monitoring: "127.0.0.1:0",
              database: "sqlite:data",
              chains: { eth: { rpc: [nowhere] } },
            }),
          )
          const waits = yield* Deferred.make<void>()
          const { address, reload } = yield* Service.run(config, {
            baseFolder: yield* temporaryFolder,
            roles: ["index"],
            isInline: true,
            onEvent: () => Effect.asVoid(Deferred.succeed(waits, undefined)),
          })
          yield* Deferred.await(waits)
          const paths = ["/health", "/ready", "/ready?chain=eth", "/metrics", "/api/v2.2/0x1/verbose", "/rpc/eth/key"]
          const statuses = yield* Effect.forEach(paths, (path) =>
            Effect.map(request(`${address!.url}${path}`), ({ status }) => status),
          )
          const { text } = yield* request(`${address!.url}/metrics`)
          const changes = yield* reload({ ...config, maxLimit: 7 })
          const after = yield* request(`${address!.url}/health`)

          expect(statuses).toEqual([200, 200, 503, 200, 404, 404])
          expect(text).toContain('daybook_ready{chain="eth"} 0')
          expect(text).toMatch(/^daybook_node_requests_total\{chain="eth",node="0",outcome="none"\} [1-9]/m)
          expect(text).toMatch(/^daybook_database_duration_seconds_count\{operation="status_write"\} [1-9]/m)
          expect([changes.applied, after.status]).toEqual([["maxLimit"], 200])
        }).pipe(quiet),
    )

    it.live("run: rejects a node of another chain and names both chain ids", () =>
      Effect.gen(function* () {
        const node = yield* Node.start(() => Node.result("null"), 137)
        const { event, url } = yield* untilEvent(node.url, "Misconfigured", yield* temporaryFolder)

        const ready = yield* request(`${url}/ready?chain=eth`)

        expect(event).toMatchObject({ _tag: "Misconfigured" })
        expect([ready.status, ready.json.state]).toEqual([503, "misconfigured"])
        expect(ready.json.message).toContain("expected chain id 1 (0x1), received 137 (0x89)")
      }).pipe(quiet),
    )

    it.live("run: fails with one clear line when its port is taken", () =>
      Effect.gen(function* () {
        const port = yield* takenPort
        const config = yield* configOf([nowhere], port)

        const error = yield* Effect.flip(
          Service.run(config, { baseFolder: yield* temporaryFolder, roles: ["rest", "relay"] }),
        )

        expect([error._tag, error.message]).toEqual([
          "ListenError",
          `Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the other program, or change "listen" in the configuration.`,
        ])
      }).pipe(quiet),
    )

    it.live("run: fails with one clear line when the address is not this machine's", () =>
      Effect.gen(function* () {
        const config = yield* configOf([nowhere], 0, "192.0.2.1")
        const error = yield* Effect.flip(
          Service.run(config, { baseFolder: yield* temporaryFolder, roles: ["rest", "relay"] }),
        )
        expect(error.message).toBe(
          `Cannot listen on 192.0.2.1:0: this machine has no such address. Correct "listen" in the configuration.`,
        )
      }).pipe(quiet),
    )

    it.live("run: the role index indexes and does not listen; the roles rest and relay listen and do not index", () =>
      Effect.gen(function* () {
        const baseFolder = yield* temporaryFolder
        const config = yield* configOf([nowhere])
        const isIndexing = yield* Deferred.make<void>()
        const index = yield* Service.run(config, {
          baseFolder,
          roles: ["index"],
          onEvent: () => Effect.asVoid(Deferred.succeed(isIndexing, undefined)),
        })
        const served = yield* Service.run(config, {
          baseFolder,
          roles: ["rest", "relay"],
          onEvent: () => Effect.die("indexes"),
        })
        yield* Deferred.await(isIndexing)

        expect(index.address).toBeNull()
        expect((yield* request(`${served.address!.url}/ready?chain=eth`)).json.state).toBe("waiting")
      }).pipe(quiet),
    )

    it.live.each([
      { role: "rest", pages: 401, calls: 404 },
      { role: "relay", pages: 404, calls: 401 },
    ] as const)("run: the role $role serves its own routes and those for operators only", ({ calls, pages, role }) =>
      Effect.gen(function* () {
        const service = yield* Service.run(yield* configOf([nowhere]), {
          baseFolder: yield* temporaryFolder,
          roles: [role],
        })
        const { url } = service.address!
        const page = yield* request(`${url}/api/v2.2/${Rows.bob}/verbose`)
        const call = yield* request(`${url}/rpc/eth/wrong`, { method: "POST", body: "{}" })
        const health = yield* request(`${url}/health`)

        expect([page.status, call.status, health.status]).toEqual([pages, calls, 200])
      }).pipe(quiet),
    )

    it.live("run: any number of replicas serve one database, and each accepts the others' cursors and keys", () =>
      Effect.gen(function* () {
        const baseFolder = yield* temporaryFolder
        const config = yield* configOf([nowhere])
        const blocks = Rows.chain(0, 12)
        const database = yield* Engine.fromUrl(config.database, baseFolder)
        const store = yield* TestStore.open(database, { name: "eth", id: 1 })
        yield* Effect.orDie(store.append(null, blocks))
        const replicas = yield* Effect.forEach([1, 2], () =>
          Service.run(config, { baseFolder, roles: ["rest", "relay"] }),
        )
        const key = Redacted.value(
          (yield* Effect.orDie(replicas[0]!.keys.add({ name: "a", operator: false, empty: null })))!,
        )
        const hashes: Array<string> = []
        let cursor: string | null = ""

        for (let turn = 0; cursor !== null; turn++) {
          const { url } = replicas[turn % 2]!.address!
          const query: string = cursor === "" ? "" : `&cursor=${cursor}`
          const page = yield* request(`${url}/api/v2.2/${Rows.bob}/verbose?limit=2${query}`, {
            headers: { "x-api-key": key },
          })
          hashes.push(...hashesIn(page))
          cursor = page.json.cursor
        }

        expect(hashes).toEqual(Rows.hashesOf(blocks, Rows.bob).toReversed())
      }).pipe(quiet),
    )
  })
})
