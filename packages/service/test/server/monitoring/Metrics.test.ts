import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as Metrics from "../../../src/server/monitoring/Metrics.ts"
import type { Status } from "../../../src/server/monitoring/Status.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const status: Status = {
  chain: 'my "chain"',
  chainId: 1,
  ready: true,
  state: "synced",
  indexed: { from: 2, to: 8 },
  finalized: null,
  head: 10,
  lag: 2,
  traces: "off",
  message: "",
  gaps: { trace: 3, receipt: 0, transaction: 0, check: 0 },
  indexedTimestamp: 1_700_000_000,
  counts: { blocks: 9, transactions: 20, reorgs: 1, obstacles: 2 },
}

const wireOf = (name: string) => ({
  listen: "127.0.0.1:0",
  database: "sqlite:data",
  chains: { [name]: { rpc: ["http://127.0.0.1:1"] } },
})

describe("Metrics", () => {
  it("format: writes a sample for each known value, with its label escaped", () => {
    const lines = Metrics.format({ registry: new Map() }, [status]).split("\n")

    expect(lines).toContain("# TYPE daybook_indexed_to_block gauge")
    expect(lines).toContain('daybook_indexed_timestamp_seconds{chain="my \\"chain\\""} 1700000000')
    expect(lines).toContain("# TYPE daybook_reorgs_total counter")
    expect(lines).toContain('daybook_indexed_transactions_total{chain="my \\"chain\\""} 20')
    expect(lines).toContain('daybook_indexed_to_block{chain="my \\"chain\\""} 8')
    expect(lines).toContain('daybook_blocks_per_second{chain="my \\"chain\\""} 0')
    expect(lines).toContain('daybook_gaps{chain="my \\"chain\\"",kind="trace"} 3')
    expect(lines.some((line) => line.startsWith("daybook_finalized_block{"))).toBe(false)
    expect(lines.some((line) => line.startsWith("daybook_eta_seconds{"))).toBe(false)
    expect(lines).toContain('daybook_prepend_blocks{chain="my \\"chain\\""} 0')
    expect(lines.some((line) => line.startsWith("daybook_prepend_eta_seconds{"))).toBe(false)
  })

  it("format: writes the blocks left below the first one, and the time left", () => {
    const prepend = { to: 0, blocks: 2, blocksPerSecond: 4, etaMillis: 500 }
    const lines = Metrics.format({ registry: new Map() }, [{ ...status, chain: "eth", prepend }]).split("\n")

    expect(lines).toContain('daybook_prepend_blocks{chain="eth"} 2')
    expect(lines).toContain('daybook_prepend_eta_seconds{chain="eth"} 0.5')
  })

  it.effect("make: responds within a scrape even if the database does not, however many chains there are", () =>
    Effect.gen(function* () {
      const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const chains = ["eth", "base", "optimism"].flatMap((name) =>
        Result.getOrThrow(ServedChain.fromChains(Result.getOrThrow(Config.decode(wireOf(name))).chains)),
      )
      // Like a PostgreSQL statement, which ends only with the server's response.
      const unending = Effect.uninterruptible(Effect.never)
      let begun = 0
      const hung = chains.map((chain) => ({
        ...IndexedChain.fromDatabase(database)(chain),
        reader: {
          ...database.chain(chain).reader,
          snapshot: () =>
            Effect.andThen(
              Effect.sync(() => begun++),
              unending,
            ),
        },
        diskUse: unending,
      }))
      const sources = { chains: hung, isIndexing: false, webhooks: { counts: unending } }
      const scrape = Metrics.make(Metrics.empty(undefined), sources)
      const scrapes = yield* Effect.forkChild(Effect.replicateEffect(scrape, 2))
      yield* TestClock.adjust(10_000)
      const { body } = (yield* Fiber.join(scrapes)).at(-1)!
      const text = body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""

      for (const { name } of chains) expect(text).toContain(`daybook_ready{chain="${name}"} 0`)
      expect(text).toContain("process_cpu_seconds_total")
      // The second scrape waits for the reads of the first one.
      expect(begun).toBe(chains.length)
    }),
  )

  it.live("/metrics shows the reported status of each chain without an API key, and no outdated value", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks: Rows.chain(2, 8) }, base: {} } })
      const written = {
        state: "backfill",
        traces: "off",
        nodeHead: 58,
        message: "",
        blocksPerSecond: 12.5,
        headBlocksPerSecond: 2.5,
        headAgeMillis: 700,
      } as const
      yield* Effect.orDie(service.stores["eth"]!.writeStatus(written))
      const answer = yield* service.fetch("/metrics")

      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
      const lines = answer.text.split("\n")
      expect(lines).toContain('daybook_lag_blocks{chain="eth"} 50')
      expect(lines).toContain('daybook_blocks_per_second{chain="eth"} 12.5')
      expect(lines).toContain('daybook_eta_seconds{chain="eth"} 5')
      expect(lines).toContain('daybook_ready{chain="base"} 0')
      expect(lines.some((line) => /^daybook_store_bytes\{chain="eth"\} [1-9]\d*$/.test(line))).toBe(true)

      yield* Effect.orDie(service.stores["eth"]!.writeStatus(written, 20_000))
      const later = (yield* service.fetch("/metrics")).text
      expect(later).toContain('daybook_ready{chain="eth"} 0')
      expect(later).toContain('daybook_indexed_to_block{chain="eth"} 8')
      expect(later).not.toMatch(/daybook_(lag_blocks|node_head_block|blocks_per_second|eta_seconds)\{chain="eth"\}/)
    }),
  )
})
