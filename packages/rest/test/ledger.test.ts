import { describe, expect, it } from "@effect/vitest"
import * as Wei from "@daybook/schema/Wei"
import { Effect, Result, Stream } from "effect"
import { Query, RestClient } from "../src/index.ts"
import { createRestClient, type StreamPage, type WalletPage } from "../src/promise.ts"
import { page, row, sendPage, wallet } from "./history.ts"
import { reply, script, serve, type Server } from "@daybook/harness/ScriptedServer"

const query = { address: wallet }
const token = "0x00000000000000000000000000000000000000dd"
const hash = (digits: string) => `0x${digits.padStart(64, "0")}`

const movement = (block: number, index: number, at: number, more: object = {}) => ({
  kind: "value",
  asset: "native",
  token_id: null,
  token: null,
  amount: String(at - 5),
  counterparty: null,
  counterparty_label: null,
  transaction_hash: hash(`${block}${index}`),
  transaction_index: String(index),
  log_index: null,
  movement_index: String(at),
  block_number: String(block),
  block_hash: hash(String(block)),
  block_timestamp: new Date(1_600_000_000_000 + block * 12_000).toISOString(),
  failed: false,
  incomplete: false,
  roles: ["sender"],
  ...more,
})

/** Three movements of one transaction, one of its block, and two of the block below. */
const rows = [
  movement(2, 0, 0, { amount: "7", transaction_hash: null, transaction_index: null }),
  ...[2, 1, 0].map((at) => movement(2, 0, at)),
  ...[1, 0].map((at) => movement(1, 0, at)),
]

/** Serves pages of rows, whose cursor is the index of the first row. */
const servePages = (size: number) =>
  serve((request, response) => {
    const start = Number(new URL(request.url ?? "", "http://test").searchParams.get("cursor") ?? 0)
    const end = start + size
    response.writeHead(200, { "content-type": "application/json" })
    response.end(page(rows.slice(start, end), end < rows.length ? String(end) : null))
  })

const clientOf = (server: Server) =>
  RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 5 } })

const describeRow = (row: {
  readonly block_number: bigint
  readonly movement_index: number
  readonly amount: bigint
}) => `${row.block_number}.${row.movement_index} ${row.amount}`

const places = ["2.0 7", "2.2 -3", "2.1 -4", "2.0 -5", "1.1 -4", "1.0 -5"]

const balance = { asset: "native", token_id: null, token: null, balance: "-5", proved_at_block: null }
const incomplete = { opening: true, places: "1", first_block: "1" }
const balances = { block_number: "2", block_hash: hash("2"), incomplete, result: [balance] }
const statement = {
  address: wallet,
  from_block: "1",
  block_number: "2",
  block_hash: hash("2"),
  block_timestamp: "2023-02-15T14:51:23.000Z",
  opening: { block_number: "0", result: [] },
  sums: [
    {
      asset: token,
      token_id: null,
      kind: "erc20",
      count: "1",
      in: "1500000",
      out: "0",
      amount: "1500000",
      token: {
        address: token,
        name: null,
        symbol: "GLD",
        decimals: "6",
        block_number: "2",
      },
    },
  ],
  closing: balances,
  proof: null,
  incomplete,
}

const json = (value: unknown) => reply(200, JSON.stringify(value), { "content-type": "application/json" })

describe("movements", () => {
  it.live("movements: sends the query in the form of the interface and returns signed amounts", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage(rows))
      const rest = yield* clientOf(server)
      const { result } = yield* rest.movements({
        ...query,
        asset: ["Native", token.toUpperCase().replace("0X", "0x")],
        kind: "fee, erc20" as "fee",
        direction: "out",
        limit: 10,
        order: "DESC",
      })

      expect(decodeURIComponent(server.seen[0]?.url ?? "")).toBe(
        `/api/v2.2/${wallet}/movements?asset=native,${token}&kind=fee,erc20&direction=out&limit=10&order=DESC`,
      )
      expect(result.map(describeRow)).toStrictEqual(places)
      expect(result[0]).toMatchObject({ transaction_hash: null, transaction_index: null, block_number: 2n })
    }),
  )

  it.live("movementsStream: returns each movement of a transaction once and in order, with pages of any size", () =>
    Effect.gen(function* () {
      for (const size of [1, 2, 3, 4, 10]) {
        const rest = yield* clientOf(yield* servePages(size))
        const found = yield* Stream.runCollect(rest.movementsStream({ ...query, limit: size }))
        expect([size, ...found.map(describeRow)]).toStrictEqual([size, ...places])
      }
    }),
  )

  it.live("movementsStream: skips pages without rows, and drops repeated rows", () =>
    Effect.gen(function* () {
      const server = yield* script(
        sendPage([], "a"),
        sendPage(rows.slice(0, 3), "b"),
        sendPage(rows.slice(1, 5), "c"),
        sendPage([], "d"),
        sendPage(rows.slice(5)),
      )
      const found = yield* Stream.runCollect((yield* clientOf(server)).movementsStream(query))

      expect(found.map(describeRow)).toStrictEqual(places)
    }),
  )

  it.live("movementPagesStream: resumes in the middle of a transaction", () =>
    Effect.gen(function* () {
      const rest = yield* clientOf(yield* servePages(2))
      const pages = yield* Stream.runCollect(Stream.take(rest.movementPagesStream({ ...query, limit: 2 }), 1))
      const resume = pages[0]!.position
      const rest2 = yield* Stream.runCollect(rest.movementsStream({ ...query, limit: 2 }, { resume }))

      expect([...pages[0]!.page.result, ...rest2].map(describeRow)).toStrictEqual(places)
    }),
  )

  it.live(
    "movementsStream: rejects the position of a stream of transactions, of which no row would be found again",
    () =>
      Effect.gen(function* () {
        for (const order of ["ASC", "DESC"] as const) {
          const server = yield* script(sendPage([row(4, 0)]))
          const rest = yield* clientOf(server)
          const [read] = yield* Stream.runCollect(rest.walletPagesStream({ ...query, order }))
          const { position: resume } = read as StreamPage<WalletPage>
          const error = yield* Effect.flip(Stream.runDrain(rest.movementsStream({ ...query, order }, { resume })))

          expect(error.message).toBe(
            `Invalid option "resume": expected a position of the same query; only limit may differ, received a position of a query with operation walletTransactions.`,
          )
          expect(server.seen.length).toBe(1)
        }
      }),
  )

  it.live("movementsStream: a stale cursor fails, or returns a marker and the rows again", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ message: "gone", code: "stale_cursor", requestId: "r", resumeFromBlock: 2 })
      const stale = reply(409, body, { "content-type": "application/json" })
      const first = sendPage(rows.slice(0, 5), "a")
      const failing = yield* clientOf(yield* script(first, stale))
      const failed = yield* Effect.result(Stream.runCollect(failing.movementsStream(query)))
      const again = [movement(2, 3, 0, { block_hash: hash("22") })]
      const restarting = yield* clientOf(yield* script(first, stale, sendPage(again), sendPage(rows.slice(4))))
      const found = yield* Stream.runCollect(restarting.movementsStream(query, { onStaleCursor: "restart" }))

      expect(Result.isFailure(failed) && failed.failure).toMatchObject({ _tag: "StaleCursor", resumeFromBlock: 2n })
      expect(found.map((one) => ("_tag" in one ? `reverted ${one.fromBlock}` : describeRow(one)))).toStrictEqual([
        ...places.slice(0, 5),
        "reverted 2",
        "2.0 -5",
        "1.0 -5",
      ])
    }),
  )

  it.live("movements: reports and omits an invalid row if permitted", () =>
    Effect.gen(function* () {
      const rest = yield* clientOf(yield* script(sendPage([movement(1, 0, 0, { amount: "1.5" }), rows[5]])))
      const bad: Array<string> = []
      const { result } = yield* rest.movements(query, { onBadRow: ({ hash: of, path }) => bad.push(`${path} ${of}`) })

      expect(result.map(describeRow)).toStrictEqual(["1.0 -5"])
      expect(bad).toStrictEqual([`result[0].amount ${hash("10")}`])
    }),
  )
})

describe("balances and statement", () => {
  it.live("balances: retries while the server derives ledgers, and returns signed sums", () =>
    Effect.gen(function* () {
      const server = yield* script(
        reply(503, JSON.stringify({ code: "unavailable", message: "Ledger not complete: eth.", requestId: "r" })),
        json(balances),
      )
      const found = yield* (yield* clientOf(server)).balances({ ...query, to_block: 2, asset: "native" })

      expect(server.seen.map(({ url }) => url)).toStrictEqual(
        Array.from({ length: 2 }, () => `/api/v2.2/${wallet}/balances?to_block=2&asset=native`),
      )
      expect(found).toMatchObject({
        block_number: 2n,
        incomplete: { opening: true, places: 1, first_block: 1n },
        result: [{ asset: "native", balance: -5n, proved_at_block: null }],
      })
    }),
  )

  it.live("statement: returns amounts that formatUnits shows", () =>
    Effect.gen(function* () {
      const server = yield* script(json(statement))
      const { closing, sums } = yield* (yield* clientOf(server)).statement({ ...query, from_date: "2024-01-01" })

      expect(
        sums.map(({ amount, token: found }) => [Wei.formatUnits(amount, found?.decimals ?? 0), found?.symbol]),
      ).toStrictEqual([["1.5", "GLD"]])
      expect(closing.result[0]?.balance).toBe(-5n)
    }),
  )

  it.live("balancesWithResponse, statementWithResponse: return the index coverage with the sums, in both styles", () =>
    Effect.gen(function* () {
      const headers = { "daybook-indexed-to": "9", "daybook-untraced-to": "4", "x-request-id": "r-1" }
      const covered = (body: object) => reply(200, JSON.stringify(body), headers)
      const server = yield* script(covered(balances), covered(statement), covered(balances), covered(statement))
      const rest = yield* clientOf(server)
      const promised = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
      const sums = [
        yield* rest.balancesWithResponse(query),
        yield* rest.statementWithResponse(query),
        yield* Effect.promise(() => promised.balancesWithResponse(query)),
        yield* Effect.promise(() => promised.statementWithResponse(query)),
      ]

      expect(sums.map(({ indexCoverage: { indexedTo, untracedTo } }) => [indexedTo, untracedTo])).toStrictEqual(
        sums.map(() => [9n, 4n]),
      )
      expect(sums.map(({ page: found }) => ("closing" in found ? found.closing : found).block_number)).toStrictEqual(
        sums.map(() => 2n),
      )
    }),
  )

  it.live("statement: an invalid response and an invalid parameter are typed errors", () =>
    Effect.gen(function* () {
      const server = yield* script(json({ ...statement, sums: [{ ...statement.sums[0], in: "many" }] }))
      const rest = yield* clientOf(server)
      const invalid = yield* Effect.flip(rest.statement(query))
      const empty = yield* Effect.flip(rest.statement({ ...query, from_block: 3, to_block: 2 }))
      const asset = yield* Effect.flip(rest.balances({ ...query, asset: "ether" }))

      expect(invalid).toMatchObject({ _tag: "InvalidResponse", path: "sums[0].in", received: '"many"' })
      expect(empty).toMatchObject({ _tag: "BadRequest", parameter: "from_block" })
      expect(asset).toMatchObject({ _tag: "BadRequest", parameter: "asset" })
      expect(server.seen.length).toBe(1)
    }),
  )

  it("encodeMovements: rejects a parameter of another operation", () => {
    const given = { ...query, include: "internal_transactions" } as Query.MovementQuery
    expect(Query.encodeMovements(given)).toMatchObject({ failure: { path: "include" } })
  })
})

describe("promise", () => {
  it.live("movements, balances, statement: have the same calls as promises", () =>
    Effect.gen(function* () {
      const server = yield* servePages(4)
      const rest = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
      const stream = rest.movementsStream({ ...query, limit: 4 })
      const found: Array<string> = []
      yield* Effect.promise(async () => {
        for await (const row of stream) found.push(describeRow(row))
      })
      const { page: first, requestId } = yield* Effect.promise(() => rest.movements(query).withResponse())
      const other = createRestClient({ baseUrl: (yield* script(json(balances), json(statement))).url, apiKey: "k" })

      expect(found).toStrictEqual(places)
      expect(first.result.length).toBe(4)
      expect(requestId).toBe(undefined)
      expect((yield* Effect.promise(() => other.balances(query))).block_number).toBe(2n)
      expect((yield* Effect.promise(() => other.statement(query))).closing.block_number).toBe(2n)
    }),
  )
})
