/**
 * Walks that are interrupted, saved, resumed by another client, and overtaken by reorganisations: the kept rows are
 * exactly the chain.
 */
import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import type { RestClient } from "../src/index.ts"
import { createRestClient } from "../src/promise.ts"
import { history, random, type Row, servePages, wallet } from "./history.ts"
import * as Reorg from "./reorg.ts"
import { serve } from "@daybook/harness/ScriptedServer"

const below = (limit: number, from = 0) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: from, maximum: limit })))
const orders = Arbitrary.schema(Schema.Literals(["ASC", "DESC"]))
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

interface Kept {
  readonly hash: string
  readonly block: bigint
}

const isVoid = (value: object): value is RestClient.RowsReverted => "_tag" in value

/** Streams in several runs, each with a new client that has only the position as text. */
const inRuns = async (
  url: string,
  query: { readonly order: "ASC" | "DESC"; readonly limit: number },
  next: (below: number) => number,
): Promise<{ readonly kept: ReadonlyArray<Kept>; readonly runs: number }> => {
  let kept: ReadonlyArray<Kept> = []
  let resume: string | undefined
  for (let runs = 1; ; runs++) {
    const rest = createRestClient({ baseUrl: url, apiKey: "key-1" })
    // The limit may change between runs.
    const limit = 1 + ((query.limit + next(3)) % 30)
    const rows = rest.walletTransactionsStream(
      { address: wallet, ...query, limit },
      { onStaleCursor: "restart", resume, prefetch: next(2) === 0 },
    )
    let left = 1 + next(25)
    let isBroken = false
    for await (const value of rows) {
      if (isVoid(value)) kept = kept.filter(({ block }) => block < value.fromBlock)
      else kept = [...kept, { hash: value.hash, block: value.block_number }]
      if (--left === 0) {
        isBroken = true
        break
      }
    }
    resume = rows.position() ?? resume
    if (!isBroken) return { kept, runs }
    expect(runs).toBeLessThan(500)
  }
}

let reorganisations = 0

describe("resume", () => {
  it.live.prop(
    "law: a stream in several runs returns each row once and in order",
    { seed: below(1_000_000), rows: below(90), limit: below(25, 1), order: orders },
    ({ limit, order, rows, seed }) =>
      Effect.gen(function* () {
        const oldestFirst = history(seed, rows)
        const server = yield* serve(servePages(oldestFirst))
        const { kept } = yield* Effect.promise(() => inRuns(server.url, { order, limit }, random(seed)))

        expect(hashes(kept)).toStrictEqual(hashes(order === "ASC" ? oldestFirst : oldestFirst.toReversed()))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Runs.usual(80) }, timeout: 60_000 },
  )

  it.live.prop(
    "law: the rows kept through reorgs are those of the final chain, each once",
    { seed: below(1_000_000), rows: below(90, 1), limit: below(25, 1), order: orders },
    ({ limit, order, rows, seed }) =>
      Effect.gen(function* () {
        const next = random(seed)
        const strikes = new Map(Array.from({ length: 3 }, () => [2 + next(12), next(110) / 100] as const))
        const chain = Reorg.make(seed, history(seed, rows), (request) => strikes.get(request))
        const server = yield* serve(chain.handler)
        const { kept } = yield* Effect.promise(() => inRuns(server.url, { order, limit }, next))

        reorganisations += chain.reorganisations()
        expect(new Set(hashes(kept)).size).toBe(kept.length)
        const oldestFirst = kept.toSorted((a, b) => Number(a.block - b.block)).map(({ block }) => String(block))
        expect(oldestFirst).toStrictEqual(chain.rows().map((one: Row) => one.block_number))
        expect(new Set(hashes(kept))).toStrictEqual(new Set(hashes(chain.rows())))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Runs.usual(120) }, timeout: 600_000 },
  )

  it("resume: the streams of the law passed through reorgs", () => {
    expect(reorganisations).toBeGreaterThanOrEqual(15)
  })

  it.live(
    "resume: an ascending stream that ended continues with newer rows, and reports rows that a reorg reverted",
    () =>
      Effect.gen(function* () {
        const chain = history(4, 60)
        let served: ReadonlyArray<Row> = chain.slice(0, 40)
        const server = yield* serve((...all) => servePages(served)(...all))
        const rest = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
        const query = { address: wallet, order: "ASC", limit: 15 } as const
        const first = rest.walletTransactionsStream(query)
        const before = yield* Effect.promise(() => collect(first))
        served = chain
        const second = rest.walletTransactionsStream(query, { resume: first.position() })
        const since = yield* Effect.promise(() => collect(second))
        const last = chain.at(-1)
        served = chain.map((one) => (one === last ? { ...one, block_hash: `0x${"5".repeat(64)}` } : one))
        const third = rest.walletTransactionsStream(query, { resume: second.position(), onStaleCursor: "restart" })
        const replaced = yield* Effect.promise(() => collect(third))

        expect(hashes(before)).toStrictEqual(hashes(chain.slice(0, 40)))
        expect(hashes(since)).toStrictEqual(hashes(chain.slice(40)))
        // Blocks between the last unchanged row and the one that changed may have new rows.
        const unchanged = chain.findLast(({ block_number }) => block_number !== last?.block_number)
        const fromBlock = BigInt(unchanged?.block_number ?? 0) + 1n
        const inBlock = chain.filter(({ block_number }) => block_number === last?.block_number)
        expect(replaced.map((value) => (isVoid(value) ? value : value.hash))).toStrictEqual([
          { _tag: "RowsReverted", fromBlock, position: expect.any(String) },
          ...hashes(inBlock),
        ])
      }),
  )

  it.live.each(["ASC", "DESC"] as const)(
    "resume: a program that stops between a marker and its rows receives them, %s, even if the first fork is back",
    (order) =>
      Effect.gen(function* () {
        const chain = history(4, 60)
        const fork = chain.map((one) => ({ ...one, block_hash: `0x${"5".repeat(64)}` }))
        let served: ReadonlyArray<Row> = chain
        const server = yield* serve((...all) => servePages(served)(...all))
        const rest = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
        const read = async (
          resume: string | undefined,
          kept: ReadonlyArray<Kept>,
          isEnough: (last: object) => boolean,
        ) => {
          const rows = rest.walletTransactionsStream(
            { address: wallet, order, limit: 15 },
            { resume, onStaleCursor: "restart", prefetch: false },
          )
          for await (const value of rows) {
            if (isVoid(value)) kept = kept.filter(({ block }) => block < value.fromBlock)
            else kept = [...kept, { hash: value.hash, block: value.block_number }]
            if (isEnough(value)) break
          }
          return { kept, position: rows.position() }
        }
        let count = 0
        const first = yield* Effect.promise(() => read(undefined, [], () => ++count === 45))
        served = fork
        const second = yield* Effect.promise(() => read(first.position, first.kept, isVoid))
        served = chain
        const third = yield* Effect.promise(() => read(second.position, second.kept, () => false))

        expect(second.kept.length).toBeLessThan(first.kept.length)
        expect(hashes(third.kept).toSorted()).toStrictEqual(hashes(chain).toSorted())
      }),
  )
})
