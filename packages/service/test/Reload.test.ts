import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { Agent, get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "node:tls"
import { Eventually, LocalServer } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted, Result } from "effect"
import { expect } from "vitest"
import * as Config from "../src/config/Config.ts"
import * as ServedChain from "../src/config/ServedChain.ts"
import * as ChainJob from "../src/indexer/job/ChainJob.ts"
import * as Supervisor from "../src/indexer/Supervisor.ts"
import * as Webhook from "../src/push/Webhook.ts"
import * as Service from "../src/Service.ts"
import * as Rows from "./server/rows.ts"
import * as TestStore from "./store/TestStore.ts"
import * as Engine from "../src/store/Engine.ts"
import { notBegun } from "../src/store/WebhookWallets.ts"
import { temporaryFolder } from "./store/temporaryFolder.ts"

const node = (more: object = {}) => ({ rpc: ["http://127.0.0.1:65535/canary0123"], ...more })

const decode = (chains: object, more: object = {}) =>
  Effect.fromResult(
    Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains, limits: { drainIdleMillis: 1 }, ...more }),
  )

const wallet = Rows.alice

const fixtures = join(import.meta.dirname, "server/fixtures")

describe("reload", () => {
  it.live("a reload applies labels, limits and chains to a running service, also on open connections", () =>
    Effect.gen(function* () {
      const baseFolder = yield* temporaryFolder
      for (const [name, id] of [
        ["eth", 1],
        ["base", 8453],
      ] as const) {
        const database = yield* Engine.fromUrl("sqlite:data", baseFolder)
        const store = yield* TestStore.open(database, { name, id }, {})
        yield* Effect.orDie(store.append(null, Rows.chain(0, 3)))
      }
      const config = yield* decode({ eth: node() })
      const { address, keys, reload } = yield* Service.run(config, { roles: ["rest", "relay"], baseFolder })
      const key = Redacted.value((yield* keys.add({ name: "a", operator: false, empty: null }))!)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      const page = (query = "") =>
        Effect.promise(
          () =>
            new Promise<{
              readonly status: number
              readonly limit: string
              readonly text: string
              readonly isReused: boolean
            }>((resolve, reject) => {
              const sent = get(
                `${address!.url}/api/v2.2/${wallet}/verbose?${query}`,
                { agent, headers: { "x-api-key": key } },
                (response) => {
                  let text = ""
                  response.on("data", (chunk: Buffer) => (text += chunk.toString()))
                  response.on("end", () =>
                    resolve({
                      status: response.statusCode ?? 0,
                      limit: String(response.headers["ratelimit-limit"]),
                      text,
                      isReused: sent.reusedSocket,
                    }),
                  )
                },
              )
              sent.on("error", reject)
            }),
        )
      const before = yield* page()
      const notServed = yield* page("chain=base")

      const changes = yield* reload(
        yield* decode(
          { eth: node({ labels: { [wallet]: "My wallet" } }), base: node() },
          { rateLimit: { perSecond: 7, burst: 9 }, listen: "127.0.0.1:1" },
        ),
      )
      const after = yield* page()
      const base = yield* page("chain=base")

      expect([before.status, before.limit, before.text.includes("My wallet"), notServed.status]).toEqual([
        200,
        "50",
        false,
        400,
      ])
      expect(changes).toEqual({
        applied: ["rateLimit", "chains.base (added)", "chains.eth.labels"],
        postponed: ["listen"],
      })
      expect([after.status, after.limit, after.text.includes('"from_address_label":"My wallet"')]).toEqual([
        200,
        "9",
        true,
      ])
      expect([after.isReused, base.status, base.limit]).toEqual([true, 200, "9"])

      yield* reload(yield* decode({ base: node() }))
      expect((yield* page("chain=eth")).status).toBe(400)
      expect((yield* page("chain=base")).status).toBe(200)
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.live("a reload starts the webhooks of a chain that it adds", () =>
    Effect.gen(function* () {
      const baseFolder = yield* temporaryFolder
      const database = yield* Engine.fromUrl("sqlite:data", baseFolder)
      const store = yield* TestStore.open(database, { name: "base", id: 8453 }, {})
      yield* Effect.orDie(store.append(null, Rows.chain(0, 3)))
      const received: Array<string> = []
      const receiver = yield* LocalServer.scoped(() =>
        LocalServer.start(({ body }, response) => {
          received.push(JSON.parse(body.toString()).data.chain)
          response.writeHead(204).end()
        }),
      )
      const webhooks = { webhooks: { key: "k".repeat(40), allowPrivate: true } }
      const config = yield* decode({ eth: node() }, webhooks)
      const { reload } = yield* Service.run(config, { roles: ["rest"], baseFolder })
      const settings = {
        url: receiver.url,
        chain: "base",
        types: ["wallet.transaction"],
        finality: "head",
        from: 0,
      } as const
      const [webhook] = yield* Webhook.make(webhooks.webhooks.key, settings)
      yield* database.webhooks.add("books", Webhook.encode(webhook), [notBegun(wallet)])

      yield* reload(yield* decode({ eth: node(), base: node() }, webhooks))
      yield* Effect.promise(() => Eventually.until(() => received.length > 0, { what: "a message" }))

      expect(received[0]).toBe("base")
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped),
  )

  it.live("a failed reload leaves every part unchanged, including the certificate", () =>
    Effect.gen(function* () {
      const baseFolder = yield* temporaryFolder
      const files = ["cert.pem", "key.pem"]
      const place = (name: string) =>
        files.forEach((file) => copyFileSync(join(fixtures, `${name}.${file}`), join(baseFolder, file)))
      const ca = ["localhost", "renewed"].map((name) => readFileSync(join(fixtures, `${name}.cert.pem`)))
      const tls = { cert: "cert.pem", key: "key.pem" }
      place("localhost")
      const { address, reload } = yield* Service.run(yield* decode({ eth: node() }, { tls }), {
        roles: ["rest", "relay"],
        baseFolder,
      })
      const subject = Effect.callback<string>((resume) => {
        const socket = connect({ host: "127.0.0.1", port: address!.port, ca }, () => {
          resume(Effect.succeed(String(socket.getPeerCertificate().subject.CN)))
          socket.destroy()
        })
      })
      expect(yield* subject).toBe("localhost")
      place("renewed")
      const checked = yield* decode({ eth: node() }, { tls })
      const rpc = [{ url: "http://127.0.0.1:65535", headers: { "not a name": "x" } }] as const
      // A configuration that was made without its check.
      const refused = { ...checked, chains: { eth: { ...checked.chains["eth"]!, rpc } } }

      const error = yield* Effect.flip(reload(refused))

      expect([error._tag, yield* subject]).toEqual(["InvalidOption", "localhost"])
      yield* reload(yield* decode({ eth: node() }, { tls }))
      expect(yield* subject).toBe("renewed")
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped),
  )

  it.live("a reload waits for one in progress, and reports its own changes", () =>
    Effect.gen(function* () {
      const config = yield* decode({ eth: node() })
      const { reload } = yield* Service.run(config, { isInline: true, baseFolder: yield* temporaryFolder })
      const both = [yield* decode({ base: node() }), yield* decode({ eth: node() }, { maxLimit: 7 })]

      const changes = yield* Effect.forEach(both, reload, { concurrency: "unbounded" })

      expect(changes.map(({ applied }) => applied)).toEqual([
        ["chains.base (added)", "chains.eth (removed)"],
        ["maxLimit", "chains.base (removed)", "chains.eth (added)"],
      ])
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped),
  )

  it.live("a reload keeps the indexers of unchanged chains running and restarts the others", () =>
    Effect.gen(function* () {
      const baseFolder = mkdtempSync(join(tmpdir(), "daybook-reload-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(baseFolder, { recursive: true })))
      const jobsOf = (chains: object) =>
        Result.getOrThrow(
          Result.flatMap(Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains }), (config) =>
            Result.map(ServedChain.fromChains(config.chains), (served) =>
              served.map((chain) =>
                ChainJob.fromChain(chain, { database: "sqlite:data", documents: "plain", baseFolder, owner: "owner" }),
              ),
            ),
          ),
        )
      const begun: Array<string> = []
      const supervisor = yield* Supervisor.make({
        jobs: jobsOf({ eth: node(), base: node(), bsc: node() }),
        isInline: true,
        onEvent: (chain, { _tag }) => Effect.sync(() => void (_tag === "Waiting" && begun.push(chain))),
      })
      const until = (...chains: ReadonlyArray<string>) =>
        Effect.promise(() =>
          Eventually.until(() => begun.toSorted().join() === chains.toSorted().join(), { what: chains.join() }),
        )
      yield* until("eth", "base", "bsc")

      yield* supervisor.replace(
        jobsOf({ eth: node({ labels: { [wallet]: "Me" } }), base: node({ pollMillis: 77 }), polygon: node() }),
      )
      yield* until("eth", "base", "bsc", "base", "polygon")

      expect(begun.filter((chain) => chain === "eth")).toHaveLength(1)
    }).pipe(Effect.provide(Logger.layer([]))),
  )
})
