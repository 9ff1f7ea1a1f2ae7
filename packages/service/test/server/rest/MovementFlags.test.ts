import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import * as Lookalikes from "../../../src/query/Lookalikes.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as Rows from "../rows.ts"
import { type Json, type Response, start, type Started } from "../service.ts"
import { read, writeTokens } from "./ledgers.ts"

const { alice, bob, contract, stranger } = Rows
const paid = `0xabcd${"1".repeat(32)}ef01`
const lookalike = `0xabcd${"2".repeat(32)}ef01`
const [fakeDollar, gift] = [Rows.address("5"), Rows.address("6")]

const topicOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`
const transfer = (address: string, from: string, to: string, amount: number) => ({
  address,
  topics: [Rows.transferTopics[0]!, topicOf(from), topicOf(to)],
  data: `0x${amount.toString(16).padStart(64, "0")}`,
})

const byStranger = (...logs: ReadonlyArray<ReturnType<typeof transfer>>) => ({ from: stranger, to: contract, logs })
const pay = (to: string) => ({ from: alice, to })

/** Alice pays an address; others send her tokens from it, from its lookalike, and from bob. */
const blocks = [
  Rows.block(0, [byStranger(transfer(gift, lookalike, alice, 7)), pay(paid)]),
  Rows.block(1, [byStranger(transfer(fakeDollar, lookalike, alice, 5), transfer(fakeDollar, paid, alice, 6))]),
  Rows.block(2, [byStranger(transfer(gift, bob, alice, 3)), { from: lookalike, to: alice }]),
  Rows.block(3, [
    byStranger(transfer(fakeDollar, alice, lookalike, 0)),
    { from: alice, to: contract, logs: [transfer(gift, alice, bob, 1), transfer(gift, alice, lookalike, 0)] },
  ]),
]

const tokens = new Map([
  [fakeDollar, { name: "USD Coin", symbol: "USDС", decimals: 6, block: 1 }],
  [gift, { name: "Claim at usd-gift.com", symbol: "GIFT", decimals: 0, block: 1 }],
])

const projections = [WalletTransactions.projection, WalletLedger.make(1)]

const started = Effect.tap(start({ chains: { eth: { blocks, projections } } }), (service) =>
  writeTokens(service, tokens),
)

const walk = Effect.fnUntraced(function* (service: Started, query: string) {
  const found: Array<Json> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Response = yield* read(service, "movements", `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
    expect([page.status, page.json.message]).toEqual([200, undefined])
    Schema.decodeUnknownSync(RestOperation.movements.response)(page.json)
    found.push(...page.json.result)
    cursor = page.json.cursor
  }
  return found
})

const withoutFlags = ({ flags: _flags, ...row }: Json) => row

const marked = (rows: ReadonlyArray<Json>) =>
  rows.map(({ amount, block_number: block, counterparty, flags }) => [
    `${block} ${amount} ${counterparty === lookalike ? "lookalike" : counterparty === paid ? "paid" : "other"}`,
    flags ?? [],
  ])

describe("flags of movements", () => {
  it.live(
    "movements: flags a lookalike of a paid address after its payment, a fake symbol, and a link in incoming tokens",
    () =>
      Effect.gen(function* () {
        const service = yield* started
        const rows = (yield* walk(service, "order=ASC&limit=100")).filter(
          ({ kind }) => kind !== "fee" && kind !== "internal",
        )

        expect(marked(rows)).toEqual([
          ["0 7 lookalike", ["link"]],
          ["0 -1000000000000000000 paid", []],
          ["1 5 lookalike", ["poisoning", "fake_symbol"]],
          ["1 6 paid", ["fake_symbol"]],
          ["2 3 other", ["link"]],
          ["2 1000000000000000000 lookalike", ["poisoning"]],
          ["3 -1000000000000000000 other", []],
          ["3 -1 other", []],
        ])
      }).pipe(Effect.scoped),
  )

  it.live("movements: a flag belongs to its row, whatever the page, the order, the range and the filter", () =>
    Effect.gen(function* () {
      const service = yield* started
      const whole = yield* walk(service, "order=ASC&limit=100")
      for (const limit of [1, 2, 3, 5]) {
        expect(yield* walk(service, `order=ASC&limit=${limit}`)).toEqual(whole)
        expect(yield* walk(service, `limit=${limit}`)).toEqual(whole.toReversed())
        const later = whole.filter((row) => Number(row.block_number) >= 2)
        expect(yield* walk(service, `order=ASC&from_block=2&limit=${limit}`)).toEqual(later)
        expect(yield* walk(service, `from_block=2&limit=${limit}`)).toEqual(later.toReversed())
        expect(yield* walk(service, `order=ASC&kind=erc20&limit=${limit}`)).toEqual(
          whole.filter((row) => row.kind === "erc20"),
        )
      }
    }).pipe(Effect.scoped),
  )

  it.live("movements: flags remove no row, reorder none, and change no sum", () =>
    Effect.gen(function* () {
      const service = yield* started
      const plain = yield* start({ chains: { eth: { blocks, projections } } })
      const [rows, before] = [yield* walk(service, "limit=2"), yield* walk(plain, "limit=2")]
      const described = ({ token: _token, ...row }: Json) => row

      expect(rows.map(withoutFlags).map(described)).toEqual(before.map(withoutFlags).map(described))
      for (const operation of ["balances", "statement"]) {
        const [own, other] = [yield* read(service, operation), yield* read(plain, operation)]
        const sumsOf = ({ json }: Response) =>
          (json.result ?? json.closing.result).map(({ asset, balance }: Json) => [asset, balance])
        expect(sumsOf(own)).toEqual(sumsOf(other))
      }
    }).pipe(Effect.scoped),
  )

  it.live("movements: compares only with the most recent payments, in both orders", () =>
    Effect.gen(function* () {
      const between = (count: number) => [
        Rows.block(0, [pay(paid)]),
        Rows.block(
          1,
          Array.from({ length: count }, () => byStranger(transfer(gift, bob, alice, 1))),
        ),
        Rows.block(2, [{ from: lookalike, to: alice }]),
      ]
      for (const [count, expected] of [
        [Lookalikes.windowPlaces - 1, ["poisoning"]],
        [Lookalikes.windowPlaces, undefined],
      ] as const) {
        const service = yield* start({ chains: { eth: { blocks: between(count), projections } } })
        for (const order of ["ASC", "DESC"]) {
          const { json } = yield* read(service, "movements", `kind=value&direction=in&order=${order}`)
          expect([count, order, json.result[0].flags]).toEqual([count, order, expected])
        }
      }
    }).pipe(Effect.scoped),
  )

  it.live("tokentx: has the same flags as text, and flags zero-amount transfers by others", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { json } = yield* service.fetch(
        `/v2/api?chainid=1&module=account&action=tokentx&address=${alice}&sort=asc&apikey=${service.key}`,
      )

      expect(json.result.map(({ blockNumber, flags, value }: Json) => [blockNumber, value, flags])).toEqual([
        ["0", "7", "link"],
        ["1", "5", "poisoning,fake_symbol"],
        ["1", "6", "fake_symbol"],
        ["2", "3", "link"],
        ["3", "0", "poisoning,fake_symbol"],
        ["3", "1", undefined],
        ["3", "0", undefined],
      ])
    }).pipe(Effect.scoped),
  )
})
