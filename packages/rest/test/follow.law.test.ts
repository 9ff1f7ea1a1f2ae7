/** Streams that follow a wallet: newer rows, reorgs, and the end. */
import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { type Handler, serve } from "@daybook/harness/ScriptedServer"
import * as RestClient from "../src/RestClient.ts"
import { createRestClient } from "../src/promise.ts"
import { history, random, row, type Row, sendPage, servePages, wallet } from "./history.ts"
import * as Reorg from "./reorg.ts"

const below = (limit: number, from = 0) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: from, maximum: limit })))
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

interface Kept {
  readonly hash: string
  readonly block: bigint
}

/** The rows that a program keeps while it follows a wallet until the signal is aborted. */
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

/** The rows and reverts that a program receives while it follows a wallet until the signal is aborted. */
const follow = async (url: string, limit: number, signal: AbortSignal) => {
  const rest = createRestClient({ baseUrl: url, apiKey: "key-1" })
  const rows = rest.walletTransactionsStream(
    { address: wallet, limit },
    { follow: 1, onStaleCursor: "restart", signal },
  )
  const received: Array<string> = []
  const reverts: Array<bigint> = []
  try {
    for await (const value of rows) {
      if ("_tag" in value) reverts.push(value.fromBlock)
      else received.push(value.hash)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return { hashes: received, reverts }
}

describe("follow", () => {
  it.live.prop(
    "law: a program that follows a wallet through reorgs keeps exactly the rows of the final chain, each once",
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
    { arbitrary: { runs: Runs.usual(40) }, timeout: 600_000 },
  )

  it.live.prop(
    "law: following an idle wallet returns each row once and no revert, with up to 5,000 rows per block or timestamp",
    {
      rows: below(5_000, 1),
      perBlock: below(5_000, 1),
      isOneTime: Arbitrary.schema(Schema.Boolean),
      seed: below(1_000),
    },
    ({ isOneTime, perBlock, rows, seed }) =>
      Effect.gen(function* () {
        const next = random(seed)
        const options = isOneTime ? { atMillis: 1_700_000_000_000 } : {}
        const chain: Array<Row> = []
        for (let block = 1; chain.length < rows; block++) {
          const inBlock = Math.min(1 + next(perBlock), rows - chain.length)
          for (let index = 0; index < inBlock; index++) chain.push(row(block, index, options))
        }
        const over = new AbortController()
        const pages = Math.ceil(rows / 500)
        let requests = 0
        const server = yield* serve((...all) => {
          requests += 1
          // Long enough for several polls, whether one is a page or all pages again.
          if (requests === 3 * pages + 12) over.abort()
          return servePages(requests > 2 * pages + 3 ? [...chain, row(10_000, 0)] : chain)(...all)
        })
        const kept = yield* Effect.promise(() => follow(server.url, 500, over.signal))

        expect(kept.reverts).toStrictEqual([])
        expect(kept.hashes).toStrictEqual(hashes([...chain, row(10_000, 0)]))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Runs.usual(26) }, timeout: 600_000 },
  )

  it.live(
    "follow: reports a reorg that a poll noticed from its first block, even if the server then names a later one",
    () =>
      Effect.gen(function* () {
        const stale = { message: "gone", code: "stale_cursor", requestId: "r", resumeFromBlock: 6 }
        const answers = [
          sendPage([row(1, 0), row(9, 0)]),
          sendPage([{ ...row(1, 0), block_hash: `0x${"ab".repeat(32)}` }], "c1"),
          ((_request, response) => {
            response.writeHead(409, { "content-type": "application/json" }).end(JSON.stringify(stale))
          }) satisfies Handler,
        ]
        let pages = 0
        const server = yield* serve((request, response, number) =>
          request.url?.includes("/events") === true
            ? response.writeHead(404).end()
            : answers[pages++]?.(request, response, number),
        )
        const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1" })
        const error = yield* rest
          .walletTransactionsStream({ address: wallet }, { follow: "1 millis" })
          .pipe(Stream.runDrain, Effect.flip)

        expect(error).toMatchObject({ _tag: "StaleCursor", resumeFromBlock: 0n })
      }).pipe(Effect.scoped),
  )

  it.live("follow: continues if a server was unavailable for more attempts than a call has", () =>
    Effect.gen(function* () {
      let pages = 0
      const server = yield* serve((request, response, number) => {
        if (request.url?.includes("/events") === true) return response.writeHead(404).end()
        pages++
        if (pages >= 3 && pages <= 14) return response.writeHead(503).end()
        return sendPage(pages < 3 ? [row(1, 0)] : [row(1, 0), row(2, 0)])(request, response, number)
      })
      const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 2 } })
      const rows = yield* rest
        .walletTransactionsStream({ address: wallet }, { follow: "1 millis", maxRows: 2 })
        .pipe(Stream.runCollect)

      expect(rows.length).toBe(2)
    }).pipe(Effect.scoped),
  )

  it.live("follow: reports an invalid row once, however often it is received", () =>
    Effect.gen(function* () {
      const [bad, worse] = [row(1, 0), row(1, 1)].map((one) => ({ ...one, value: "much" }))
      let pages = 0
      const server = yield* serve((request, response, number) => {
        if (request.url?.includes("/events") === true) return response.writeHead(404).end()
        pages++
        const newer = pages < 8 ? [] : [worse, row(2, 0)]
        return sendPage([row(1, 2), bad, ...newer])(request, response, number)
      })
      const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1" })
      const reported: Array<string | undefined> = []
      const given = yield* rest
        .walletPagesStream(
          { address: wallet },
          { follow: "1 millis", maxRows: 2, onBadRow: ({ hash }) => reported.push(hash) },
        )
        .pipe(Stream.runCollect)

      expect(reported).toStrictEqual([bad!.hash, worse!.hash])
      expect(given.map(({ badRows }) => badRows.map(({ hash }) => hash))).toStrictEqual([[bad!.hash], [worse!.hash]])
    }).pipe(Effect.scoped),
  )

  it.effect("follow: is rejected with a descending order, with an end of the range, or with a cursor", () =>
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
        'Invalid option "order": expected ASC or no order with follow, received "DESC"',
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

  it.live("follow: returns the rows of an empty wallet once they are indexed, and ends with maxRows", () =>
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
