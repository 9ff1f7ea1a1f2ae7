import * as RestApi from "@daybook/schema/RestApi"
import { describe, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import * as UnavailableLog from "../../../src/server/http/UnavailableLog.ts"
import * as Health from "../../../src/server/monitoring/Health.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as Issue from "../../../src/store/postgres/Issue.ts"
import type { IndexerStatus } from "../../../src/store/StatusBoard.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as Rows from "../rows.ts"
import { type Json, start } from "../service.ts"

const synced: IndexerStatus = {
  state: "synced",
  traces: "trace_block",
  nodeHead: 8,
  message: "Synced.",
}

describe("Health", () => {
  it.live("/health responds 200 while the process runs", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const answer = yield* service.fetch("/health")
      expect([answer.status, answer.json]).toEqual([200, { status: "ok" }])
    }),
  )

  describe("/ready", () => {
    it.live("/ready?chain responds 200 with the status of a synced chain", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { blocks: Rows.chain(2, 8) } } })
        const store = service.stores["eth"]!
        yield* Effect.orDie(store.writeStatus({ ...synced, nodeHead: 10 }))

        const answer = yield* service.fetch("/ready?chain=0x1")

        expect([answer.status, answer.json]).toEqual([
          200,
          {
            chain: "eth",
            chainId: 1,
            ready: true,
            state: "synced",
            indexed: { from: 2, to: 8 },
            indexedTimestamp: expect.any(Number),
            finalized: null,
            gaps: { trace: 0, receipt: 0, transaction: 0, check: 0 },
            journal: { oldest: 1, newest: 1 },
            head: 10,
            lag: 2,
            traces: "trace_block",
            message: "2 blocks behind the head of the node.",
          },
        ])
      }),
    )

    it.live("/ready?chain responds 503 for a chain that is not synced", () =>
      Effect.gen(function* () {
        const service = yield* start({
          chains: { eth: { blocks: Rows.chain(2, 8) }, base: {}, palm: { isAbsent: true } },
        })
        const store = service.stores["eth"]!
        const cases: ReadonlyArray<readonly [change: Partial<IndexerStatus>, state: string, ageMillis?: number]> = [
          [{ state: "backfill" }, "backfill"],
          [{ state: "waiting" }, "waiting"],
          [{ state: "misconfigured" }, "misconfigured"],
          [{ nodeHead: 100 }, "backfill"],
          [{ nodeHead: null }, "waiting"],
          [{}, "unresponsive", 16_000],
          [{ state: "stopped" }, "stopped", 60_000],
        ]
        for (const [change, state, ageMillis] of cases) {
          yield* Effect.orDie(store.writeStatus({ ...synced, ...change }, ageMillis))
          const answer = yield* service.fetch("/ready?chain=eth")
          expect([answer.status, answer.json.ready, answer.json.state]).toEqual([503, false, state])
        }
        for (const [state, ageMillis] of [
          ["waiting", 0],
          ["stopped", 0],
          ["synced", 16_000],
        ] as const) {
          const stale = { ...synced, blocksPerSecond: 9, state }
          yield* Effect.orDie(store.writeStatus(stale, ageMillis))
          const { json } = yield* service.fetch("/ready?chain=eth")
          expect([json.head, json.lag, json.blocksPerSecond, json.etaMillis]).toEqual([
            null,
            null,
            undefined,
            undefined,
          ])
        }
        expect((yield* service.fetch("/ready?chain=eth")).json.message).toMatch(
          /^No heartbeat from the indexer for 1\d s \(killed, unresponsive, or disk full\)\. Last status: Synced\.$/,
        )
        for (const chain of ["base", "palm"]) {
          const answer = yield* service.fetch(`/ready?chain=${chain}`)
          expect([answer.status, answer.json.state, answer.json.indexed]).toEqual([503, "not_started", null])
        }
        expect((yield* service.fetch("/ready?chain=bsc")).json).toMatchObject({
          code: "chain_not_served",
          message: `Invalid query parameter "chain": expected a chain that is served here (eth, base, palm), received "bsc".`,
        })
      }),
    )

    it.live("/ready responds 200 while the service can answer, whatever the state of its chains", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { isAbsent: true }, base: {} } })
        const answer = yield* service.fetch("/ready")
        expect(answer.status).toBe(200)
        expect(answer.json).toMatchObject({ ready: true, chains: [{ chain: "eth" }, { chain: "base", ready: false }] })
      }),
    )
  })

  it.live("/ready states that the database does not answer, and names it in the log alone", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const error = Issue.unanswered("books.example:6432/ledgers")
      const database = "postgres://app:secret@books.example:6432/ledgers"
      const wire = { listen: "127.0.0.1:0", database, chains: { eth: { rpc: ["http://geth:8545"] } } }
      const config = Result.getOrThrow(Config.decode(wire))
      const engine = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const [chain] = Result.getOrThrow(ServedChain.fromChains(config.chains)).map(IndexedChain.fromDatabase(engine))
      const ready = Health.ready({
        chains: [{ ...chain!, reader: { ...chain!.reader, snapshot: () => Effect.fail(error) } }],
        database,
        baseFolder: "",
        keys: { ready: Effect.fail(error) },
        webhooks: null,
        isIndexing: false,
      })

      const response = yield* ready(undefined).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(UnavailableLog.LoggedAt, new Map()),
      )

      const { body } = response
      expect(JSON.parse(body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : "")).toMatchObject({
        ready: false,
        chains: [
          {
            state: "not_started",
            message: "Database does not respond. Check the load, the disks and the network of its machine.",
          },
        ],
      })
      expect([response.status, lines]).toEqual([
        503,
        [
          "Requests are refused: Database does not respond: books.example:6432/ledgers. Check the load, the disks and the network of its machine.",
        ],
      ])
    }),
  )

  describe("/openapi.json", () => {
    it.live("/openapi.json is the document of the contract with the configured limit", () =>
      Effect.gen(function* () {
        const service = yield* start({ config: { maxLimit: 40 } })

        const { headers, json } = yield* service.fetch("/openapi.json")

        expect(headers["content-type"]).toBe("application/json")
        expect(json).toEqual(JSON.parse(JSON.stringify(RestApi.openApi({ maxLimit: 40 }))))
        const { get } = json.paths["/api/v2.2/{address}/verbose"]
        const of = (name: string) =>
          get.parameters.find((parameter: { name: string }) => parameter.name === name).schema
        expect(of("limit")).toEqual({ type: "integer", minimum: 1, maximum: 40, default: 40 })
        for (const [status, response] of Object.entries<Json>(get.responses)) {
          const name = response.content?.["application/json"]?.schema?.["$ref"]?.split("/").at(-1)
          if (status === "200") continue
          const codes = json.components.schemas[name].properties.code.enum
          for (const code of codes) expect([code, ErrorResponse.statusOfCode(code)]).toEqual([code, Number(status)])
        }
      }),
    )

    it.live("/openapi.json resolves each of its references", () =>
      Effect.gen(function* () {
        const service = yield* start()
        const { json, text } = yield* service.fetch("/openapi.json")
        const found = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
        expect(found.length).toBeGreaterThan(0)
        for (const path of new Set(found)) {
          const target = path.split("/").reduce((at: Json, part) => at?.[part.replaceAll("~1", "/")], json)
          expect([path, typeof target]).toEqual([path, "object"])
        }
      }),
    )
  })
})
