/** Streams that follow a wallet: newer rows, reorgs, and the end. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { serve } from "@daybook/harness/ScriptedServer"
import * as RestClient from "../src/RestClient.ts"
import { createRestClient } from "../src/promise.ts"
import { history, random, type Row, servePages, wallet } from "./history.ts"
import * as Reorg from "./reorg.ts"

const below = (limit: number, from = 0) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: from, maximum: limit })))
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

interface Kept {
  readonly hash: string
  readonly block: bigint
}

/** What a program keeps that follows a wallet until the signal is aborted. */
const keep = async (url: string, limit: number, signal: AbortSignal): Promise<ReadonlyArray<Kept>> => {
  const rest = createRestClient({ baseUrl: url, apiKey: "key-1" })
  const rows = rest.walletTransactionsStream(
    { address: wallet, limit },
    { follow: 1, onStaleCursor: "restart", signal },
  )
  let kept: ReadonlyArray<Kept> = []
  try {
    for await (const value of rows) {
      if ("_tag" in value) kept = kept.filter(({ block }) => block < value.fromBlock)
      else kept = [...kept, { hash: value.hash, block: value.block_number }]
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return kept
}

describe("follow", () => {
  it.live.prop(
    "law: the rows kept by a program that follows a wallet through reorgs are those of the final chain, each once",
    { seed: below(1_000_000), rows: below(90, 1), limit: below(25, 5) },
    ({ limit, rows, seed }) =>
      Effect.gen(function* () {
        const next = random(seed)
        const strikes = new Map(Array.from({ length: 3 }, () => [2 + next(20), next(110) / 100] as const))
        const chain = Reorg.make(seed, history(seed, rows), () => undefined)
        const head = () => Math.max(0, ...chain.rows().map((one) => Number(one.block_number)))
        const over = new AbortController()
        let requests = 0
        const server = yield* serve((...all) => {
          const share = strikes.get(++requests)
          if (share !== undefined) chain.reorganise(Math.max(1, Math.floor(head() * share)))
          // By then the last reorg was read, whatever the size of a page.
          if (requests === 24 + 4 * Math.ceil(180 / limit)) over.abort()
          return chain.handler(...all)
        })
        const kept = yield* Effect.promise(() => keep(server.url, limit, over.signal))

        expect(new Set(hashes(kept)).size).toBe(kept.length)
        expect(new Set(hashes(kept))).toStrictEqual(new Set(hashes(chain.rows())))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Number(process.env["DAYBOOK_RUNS"] ?? 12) }, timeout: 600_000 },
  )

  it.effect("follow: is refused with a descending order, with an end of the range, or with a cursor", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient.make({ baseUrl: "http://127.0.0.1:9", apiKey: "key-1" })
      const issueOf = (query: object) =>
        Effect.map(
          Effect.flip(
            Stream.runDrain(rest.walletTransactionsStream({ address: wallet, ...query }, { follow: "1 second" })),
          ),
          ({ message }) => message,
        )

      expect(yield* issueOf({ order: "DESC" })).toContain(
        'Invalid option "order": expected ASC, or no order, with follow, received "DESC"',
      )
      expect(yield* issueOf({ to_block: 5 })).toContain(
        'Invalid option "to_block": expected no to_block with follow, which has no end',
      )
      expect(yield* issueOf({ to_date: "2026-01-01" })).toContain(
        'Invalid option "to_date": expected no to_date with follow',
      )
      expect(yield* issueOf({ cursor: "c1" })).toContain('Invalid option "cursor": expected no cursor with follow')
    }),
  )

  it.live("follow: gives the rows of a wallet that had none, as they are indexed, and ends with maxRows", () =>
    Effect.gen(function* () {
      const chain = history(4, 60)
      let served: ReadonlyArray<Row> = []
      let requests = 0
      const server = yield* serve((...all) => {
        requests += 1
        served = chain.slice(0, Math.max(0, (requests - 4) * 7))
        return servePages(served)(...all)
      })
      const rest = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
      const rows = rest.walletTransactionsStream({ address: wallet, limit: 15 }, { follow: 1, maxRows: 55 })
      const given = yield* Effect.promise(async () => {
        const all: Array<string> = []
        for await (const { hash } of rows) all.push(hash)
        return all
      })

      expect(given).toStrictEqual(hashes(chain.slice(0, 55)))
    }).pipe(Effect.scoped),
  )
})
