/**
 * Streams over real sockets: whatever the history, the order, the page size and the faults of the server, each row is
 * returned once and in order.
 */
import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { RestClient } from "../src/index.ts"
import { history, page, random, type Row, servePages, wallet } from "./history.ts"
import { serve } from "@daybook/harness/ScriptedServer"

const below = (limit: number, from = 0) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: from, maximum: limit })))
const orders = Arbitrary.schema(Schema.Literals(["ASC", "DESC"]))

interface Script {
  readonly pages: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
  /** False when the pages end in a fault that no client can recover from. */
  readonly isWhole: boolean
}

/** Splits a list into pages and inserts faults between and inside them. */
const scriptOf = (rows: ReadonlyArray<Row>, seed: number): Script => {
  const next = random(seed)
  const bodies: Array<ReadonlyArray<Row>> = []
  const faults: Array<string> = []
  for (let at = 0; at < rows.length;) {
    const size = 1 + next(6)
    const overlap = next(3) === 0 ? next(Math.min(at, 5) + 1) : 0
    if (overlap > 0) faults.push("overlap")
    bodies.push(rows.slice(at - overlap, at + size))
    at += size
    if (next(4) === 0) {
      faults.push("empty page")
      bodies.push([])
    }
    if (next(5) === 0) {
      faults.push("repeated page")
      bodies.push(bodies[next(bodies.length)] ?? [])
    }
  }
  const ending = next(4)
  const pages = bodies.map((body, at) => {
    const last = at === bodies.length - 1
    const cursor = last ? (ending === 0 ? `c${next(bodies.length)}` : null) : `c${at + 1}`
    const single = body.length === 1 && next(2) === 0 ? body[0] : body
    return page(single, cursor)
  })
  if (ending === 0) faults.push("repeated cursor")
  return { pages, faults, isWhole: ending !== 0 }
}

describe("law", () => {
  it.live.prop(
    "law: a stream returns each row of a history once and in order",
    { seed: below(1_000_000), rows: below(80), limit: below(30, 1), order: orders },
    ({ limit, order, rows, seed }) =>
      Effect.gen(function* () {
        const oldestFirst = history(seed, rows)
        const server = yield* serve(servePages(oldestFirst))
        const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1" })
        const got = yield* Stream.runCollect(rest.walletTransactionsStream({ address: wallet, limit, order }))

        const expected = order === "ASC" ? oldestFirst : oldestFirst.toReversed()
        expect(got.map(({ hash }) => hash)).toStrictEqual(expected.map(({ hash }) => hash))
        expect(server.seen.length).toBe(Math.max(1, Math.ceil(rows / limit)))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Runs.usual(100) }, timeout: 60_000 },
  )

  it.live.prop(
    "law: a stream from a faulty server returns each row once and in order, and ends, or fails with the fault",
    { seed: below(1_000_000), rows: below(40, 1), order: orders },
    ({ order, rows, seed }) =>
      Effect.gen(function* () {
        const oldestFirst = history(seed, rows)
        const expected = (order === "ASC" ? oldestFirst : oldestFirst.toReversed()).map(({ hash }) => hash)
        const { isWhole, pages } = scriptOf(order === "ASC" ? oldestFirst : oldestFirst.toReversed(), seed)
        const server = yield* serve((request, response) => {
          const cursor = new URL(request.url ?? "", "http://test").searchParams.get("cursor")
          response.end(pages[cursor === null ? 0 : Number(cursor.slice(1))])
        })
        const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1" })
        const got: Array<string> = []
        const outcome = yield* rest.walletTransactionsStream({ address: wallet, order }).pipe(
          Stream.runForEach(({ hash }) => Effect.sync(() => got.push(hash))),
          Effect.result,
        )

        const fault = outcome._tag === "Failure" ? outcome.failure : undefined
        expect(got).toStrictEqual(expected)
        expect(fault === undefined).toBe(isWhole)
        if (fault !== undefined)
          expect(fault._tag === "InvalidResponse" ? fault.path : fault._tag).toMatch(/^(cursor|result)$/)
        // A circle of cursors that includes the first page is read once more before a cursor repeats.
        expect(server.seen.length).toBeLessThanOrEqual(isWhole ? pages.length : 2 * pages.length)
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Runs.usual(200) }, timeout: 60_000 },
  )

  it("scriptOf: inserts each fault", () => {
    const injected = Array.from({ length: 100 }, (_, seed) => scriptOf(history(seed, 30), seed).faults).flat()

    expect([...new Set(injected)].sort()).toStrictEqual(["empty page", "overlap", "repeated cursor", "repeated page"])
  })
})
