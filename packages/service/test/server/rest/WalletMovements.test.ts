import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import * as Rows from "../rows.ts"
import { type Json, start } from "../service.ts"
import { blockLevel, chainOf, type Ledger, read, token, walk, writeProof, writeTokens } from "./ledgers.ts"

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ kind: "fee", amount: -7n, counterparty: null }, { amount: -5n }] },
  2: {
    0: [
      { kind: "erc20", asset: token, amount: 10n },
      { kind: "erc20", asset: token, amount: -3n },
      { kind: "erc721", asset: token, tokenId: "9", amount: 1n },
    ],
    2: [{ kind: "fee", amount: -1n, counterparty: null, isFailed: true }],
    [blockLevel]: [{ kind: "withdrawal", amount: 40n, counterparty: null }],
  },
  3: { 1: [{ kind: "internal", amount: 6n }] },
}

const amounts = ["-7", "-5", "10", "-3", "1", "-1", "40", "6"]
const started = start({ chains: { eth: chainOf(ledgers, 4, [[3, 1]]) } })
const amountsOf = (rows: ReadonlyArray<Json>) => rows.map(({ amount }) => amount)

describe("movements", () => {
  it.live("movements: pages of any limit, in either order, equal one page", () =>
    Effect.gen(function* () {
      const service = yield* started
      const whole = (yield* walk(service, "order=ASC", 100)).found

      expect(amountsOf(whole)).toEqual(amounts)
      for (let limit = 1; limit <= amounts.length; limit++) {
        const up = yield* walk(service, "order=ASC", limit)
        const down = yield* walk(service, "", limit)
        expect([limit, up.found]).toEqual([limit, whole])
        expect([limit, down.found]).toEqual([limit, whole.toReversed()])
        expect(up.pages).toBe(Math.ceil(amounts.length / limit))
      }
    }).pipe(Effect.scoped),
  )

  it.live("movements: each has the names of the interface, and null if a block moved something itself", () =>
    Effect.gen(function* () {
      const service = yield* start({
        chains: { eth: { ...chainOf(ledgers, 4), config: { labels: { [Rows.bob]: "Bob" } } } },
      })
      const { headers, json } = yield* read(service, "movements", "from_block=2&to_block=2&order=ASC")
      const block = { block_number: "2", block_hash: Rows.blockHash(2), block_timestamp: Rows.timeOf(2) }
      const common = { failed: false, incomplete: false, roles: ["sender"], ...block }

      expect(json).toMatchObject({ cursor: null, page: "0", page_size: "100" })
      expect(json.result[2]).toEqual({
        kind: "erc721",
        asset: token,
        token: null,
        token_id: "9",
        amount: "1",
        counterparty: Rows.bob,
        counterparty_label: "Bob",
        transaction_hash: Rows.hashOf(`${Rows.blockHash(2)} 0`),
        transaction_index: "0",
        log_index: null,
        movement_index: "2",
        ...common,
      })
      expect(json.result[3]).toMatchObject({ transaction_index: "2", failed: true })
      expect(json.result[4]).toEqual({
        kind: "withdrawal",
        asset: "native",
        token_id: null,
        token: null,
        amount: "40",
        counterparty: null,
        counterparty_label: null,
        transaction_hash: null,
        transaction_index: null,
        log_index: null,
        movement_index: "0",
        ...common,
      })
      expect(headers).toMatchObject({ "daybook-indexed-from": "0", "daybook-indexed-to": "4" })
      Schema.decodeUnknownSync(RestOperation.movements.response)(json)
    }).pipe(Effect.scoped),
  )

  it.live("movements, balances, statement: have a token's description of itself, if it was read", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 4) } })
      yield* writeTokens(service, new Map([[token, { name: "Gold", symbol: null, decimals: 18, block: 3 }]]))
      const described = { address: token, name: "Gold", symbol: null, decimals: "18", block_number: "3" }
      const tokensIn = (rows: ReadonlyArray<Json>) =>
        rows.map((row) => [row.asset, row.token]).filter(([asset]) => asset === token)
      const movements = (yield* read(service, "movements")).json
      const balances = (yield* read(service, "balances")).json
      const statement = (yield* read(service, "statement", "from_block=3")).json

      expect(tokensIn(movements.result)).toEqual(Array.from({ length: 3 }, () => [token, described]))
      for (const rows of [balances.result, statement.opening.result, statement.closing.result]) {
        expect(tokensIn(rows)).toEqual([
          [token, described],
          [token, described],
        ])
        expect(rows[0]).toMatchObject({ asset: "native", token: null })
      }
      const sums = (yield* read(service, "statement")).json.sums
      expect(tokensIn(sums).map(([, one]) => one)).toEqual([described, described])
      Schema.decodeUnknownSync(RestOperation.movements.response)(movements)
      Schema.decodeUnknownSync(RestOperation.balances.response)(balances)
      Schema.decodeUnknownSync(RestOperation.statement.response)(statement)
    }).pipe(Effect.scoped),
  )

  it.live("every operation of a wallet states the block up to which it is proved, and no other wallet's", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 4) } })
      const block = { number: 3, hash: Rows.blockHash(3) }
      const operations = ["verbose", "verbose?scope=all", "movements", "balances", "statement", "verbose?from_block=9"]
      const stated = Effect.forEach(operations, (operation) =>
        Effect.map(read(service, operation), ({ headers }) => headers["daybook-reconciled-to"]),
      )
      const before = yield* stated
      yield* writeProof(service, { block, provedBlock: 2, holdings: [], unchecked: [] })

      expect(before).toEqual(operations.map(() => undefined))
      expect(yield* stated).toEqual(operations.map(() => "2"))
      expect((yield* service.wallet(Rows.bob)).headers["daybook-reconciled-to"]).toBe(undefined)
    }).pipe(Effect.scoped),
  )

  it.live("movements: marks those of a transaction in which others may be missing", () =>
    Effect.gen(function* () {
      const { found } = yield* walk(yield* started, "", 100)

      expect(found.filter(({ incomplete }) => incomplete).map(({ block_number }) => block_number)).toEqual(["3"])
    }).pipe(Effect.scoped),
  )

  it.live("movements: filters by asset, kind and direction", () =>
    Effect.gen(function* () {
      const service = yield* started
      const selections: Readonly<Record<string, ReadonlyArray<string>>> = {
        "asset=native": ["-7", "-5", "-1", "40", "6"],
        [`asset=${token.toUpperCase().replace("0X", "0x")}`]: ["10", "-3", "1"],
        [`asset=native,${token}&direction=in`]: ["10", "1", "40", "6"],
        "kind=fee": ["-7", "-1"],
        "kind=fee,internal&direction=out": ["-7", "-1"],
        [`asset=${token}&kind=erc20&direction=out`]: ["-3"],
        "kind=reward": [],
      }
      for (const [query, expected] of Object.entries(selections)) {
        for (const limit of [1, 2, 100]) {
          expect([query, amountsOf((yield* walk(service, `${query}&order=ASC`, limit)).found)]).toEqual([
            query,
            expected,
          ])
          const down = amountsOf((yield* walk(service, query, limit)).found)
          expect([query, down]).toEqual([query, expected.toReversed()])
        }
      }
    }).pipe(Effect.scoped),
  )

  it.live("movements: a cursor keeps its filter, and is rejected with another one", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { cursor } = (yield* read(service, "movements", "kind=fee&limit=1&order=ASC")).json
      const next = yield* read(service, "movements", `cursor=${cursor}`)
      const other = yield* read(service, "movements", `kind=value&cursor=${cursor}`)
      const added = yield* read(service, "movements", `direction=in&cursor=${cursor}`)
      const pages = yield* service.wallet(Rows.alice, `cursor=${cursor}`)

      expect(amountsOf(next.json.result)).toEqual(["-1"])
      expect([other.status, other.json.message]).toEqual([
        400,
        'Invalid query parameter "cursor": expected a cursor of kind value, received one of kind fee.',
      ])
      expect(added.json.message).toBe(
        'Invalid query parameter "cursor": expected a cursor of direction in, received one of direction none.',
      )
      expect(pages.json).toMatchObject({ code: "bad_request", parameter: "cursor" })
    }).pipe(Effect.scoped),
  )

  it.live("movements: a page whose filter rarely matches ends early with a cursor", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 9_000 }, () => ({ amount: 1n }))
      const rare = { kind: "withdrawal", amount: 2n } as const
      const long = { 1: { 0: many, 1: many }, 2: { 0: many, 1: many }, 3: { 0: [rare], 1: [{ amount: 1n }] } }
      const service = yield* start({ chains: { eth: chainOf(long, 3) } })
      const first = yield* read(service, "movements", "kind=withdrawal&order=ASC")
      const { found, pages } = yield* walk(service, "kind=withdrawal&order=ASC", 5)

      expect(first.json.result).toEqual([])
      expect(first.json.cursor).toMatch(/^\w/)
      expect(amountsOf(found)).toEqual(["2"])
      expect(pages).toBe(2)
      expect((yield* walk(service, "direction=out", 5)).found).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.live("movements: a cursor is stale after a reorg of its block", () =>
    Effect.gen(function* () {
      const service = yield* started
      const store = service.stores["eth"]!
      const { cursor } = (yield* read(service, "movements", "order=ASC&limit=4")).json
      const blocks = chainOf(ledgers, 4).blocks
      yield* Effect.orDie(store.unwind(blocks[4]!, blocks[1]!))
      const forked = [2, 3, 4].map((number) =>
        Rows.block(number, [], { fork: "b" }, number === 2 ? blocks[1]!.hash : Rows.blockHash(number - 1, "b")),
      )
      yield* Effect.orDie(store.append(blocks[1]!, forked))
      const stale = yield* read(service, "movements", `cursor=${cursor}`)

      expect(stale.status).toBe(409)
      expect(stale.json).toMatchObject({ code: "stale_cursor", resumeFromBlock: 2 })
      expect(stale.headers["daybook-indexed-to"]).toBe("4")
    }).pipe(Effect.scoped),
  )

  it.live("movements, balances, statement: respond 503 until the ledgers of all blocks are derived", () =>
    Effect.gen(function* () {
      const { blocks, projections } = chainOf(ledgers, 4)
      const service = yield* start({ chains: { eth: { blocks } } })
      const before = yield* Effect.forEach(["movements", "balances", "statement"], (name) => read(service, name))
      const fill = Effect.orDie(service.stores["eth"]!.fill(projections[1]!, 1))
      let last = before[0]!
      while (!(yield* fill).isDone) last = yield* read(service, "movements")
      const after = yield* Effect.forEach(["movements", "balances", "statement"], (name) => read(service, name))

      expect([last.status, last.json.message]).toEqual([
        503,
        "Ledger not complete: eth, derived up to block 3. Retry later.",
      ])
      expect(before.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(before.map(({ headers }) => headers["retry-after"])).toEqual(["10", "10", "10"])
      expect(before[0]!.json.message).toBe("Ledger not complete: eth, derived up to block -1. Retry later.")
      expect(after.map(({ status }) => status)).toEqual([200, 200, 200])
    }).pipe(Effect.scoped),
  )

  it.live(
    "movements, balances, statement: respond 400 for a wallet that is not watched, and 503 while its past is searched",
    () =>
      Effect.gen(function* () {
        const chain = { config: { watch: [Rows.stranger] }, ...chainOf(ledgers, 4) }
        const service = yield* start({ chains: { eth: chain } })
        const { database, ref } = service.stores["eth"]!
        const { changeWatch } = database.chain(ref)
        const all = Effect.forEach(["movements", "balances", "statement"], (name) => read(service, name))
        const of = (responses: Effect.Success<typeof all>) =>
          responses.map(({ headers, json, status }) => [status, json.code, headers["daybook-searched-to"]])
        const refused = yield* all
        yield* changeWatch({ _tag: "Add", wallets: [Rows.alice] })
        yield* changeWatch({ _tag: "Searched", wallets: [Rows.alice], from: -1, to: 0 })
        const meanwhile = yield* all
        const { head } = (yield* service.stores["eth"]!.snapshot(({ checkpoint }) => checkpoint))!
        yield* changeWatch({ _tag: "Searched", wallets: [Rows.alice], from: 0, to: head.number })
        const after = yield* all

        expect(of(refused)).toEqual(Array(3).fill([400, "address_not_watched", undefined]))
        expect(of(meanwhile)).toEqual([
          [200, undefined, "0"],
          [503, "unavailable", "0"],
          [503, "unavailable", "0"],
        ])
        expect(meanwhile[1]!.json.message).toBe(
          `Ledger not complete: ${Rows.alice} on eth, whose past is searched up to block 0 of ${head.number}. Retry later.`,
        )
        expect(of(after)).toEqual(Array(3).fill([200, undefined, String(head.number)]))
      }).pipe(Effect.scoped),
  )
})
