import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as Rows from "../rows.ts"
import { hashesIn, type Response, start } from "../service.ts"

const { alice, block, bob, contract, hashesOf, stranger, transferTopics } = Rows

const ledger = WalletLedger.make(1)
const projections = [WalletTransactions.projection, ledger]

/** Bob is only paid by a contract and by token transfers, and sends one call. */
const blocks = [
  block(0, [{ from: alice, to: contract, topics: transferTopics }]),
  block(1, [{ from: stranger, to: contract }]),
  block(2, [
    { from: stranger, to: stranger },
    { from: bob, to: contract },
  ]),
  block(3, [{ from: stranger, to: alice }], { traces: false }),
]

const started = start({ chains: { eth: { blocks, projections } } })

const all = blocks.slice(0, 3).flatMap(({ transactions }) => transactions.map(({ hash }) => hash))

describe("scope", () => {
  it.live(
    "scope=all: lists each transaction in which the wallet appears once, in either order and with any limit",
    () =>
      Effect.gen(function* () {
        const service = yield* started
        const pagesOf = Effect.fnUntraced(function* (query: string) {
          const found: Array<string> = []
          for (let cursor: string | null = ""; cursor !== null;) {
            const response: Response = yield* service.wallet(bob, `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
            expect(response.status).toBe(200)
            found.push(...hashesIn(response))
            cursor = response.json.cursor
          }
          return found
        })

        for (const limit of [1, 2, 100]) {
          expect(yield* pagesOf(`scope=all&order=ASC&limit=${limit}`)).toEqual(all)
          expect(yield* pagesOf(`scope=all&limit=${limit}`)).toEqual(all.toReversed())
        }
        expect(yield* pagesOf("scope=all&order=ASC&from_block=1&to_block=1")).toEqual(
          hashesOf(blocks, stranger).slice(0, 1),
        )
      }).pipe(Effect.scoped),
  )

  it.live("scope=all: states the roles of the wallet in each transaction, which scope=direct does not", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { json } = yield* service.wallet(bob, "scope=all&order=ASC&include=internal_transactions")
      const page = Schema.decodeUnknownSync(RestOperation.walletTransactions.response)(json)
      const direct = yield* service.wallet(bob)

      expect(page.result.map(({ roles }) => roles)).toEqual([
        ["internal_callee", "token_recipient"],
        ["internal_callee"],
        ["internal_callee"],
        ["sender", "internal_callee"],
      ])
      expect(direct.text).not.toContain('"roles"')
    }).pipe(Effect.scoped),
  )

  it.live("scope=direct: is the default, and lists what the wallet sent or received", () =>
    Effect.gen(function* () {
      const service = yield* started
      const direct = yield* service.wallet(bob, "scope=direct")

      expect(hashesIn(direct)).toEqual(hashesOf(blocks, bob))
      expect((yield* service.wallet(bob)).text).toBe(direct.text)
      expect(hashesIn(yield* service.wallet(alice, "scope=all&order=ASC"))).toEqual(hashesOf(blocks, alice))
    }).pipe(Effect.scoped),
  )

  it.live(
    "scope=all: states up to which block calls of a contract may be missing, which scope=direct does not need",
    () =>
      Effect.gen(function* () {
        const service = yield* started
        const settings = [{ name: "traces", value: "off" }] as const
        const status = { state: "synced", traces: "off", nodeHead: 3, message: "", settings } as const
        yield* Effect.orDie(service.stores["eth"]!.writeStatus(status))
        const pages = yield* Effect.forEach(["scope=all", "scope=direct"], (query) => service.wallet(bob, query))

        expect(pages.map(({ headers }) => headers["daybook-untraced-to"])).toEqual(["3", undefined])
      }).pipe(Effect.scoped),
  )

  it.live("cursor: continues its own scope, and is rejected with another", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { cursor } = (yield* service.wallet(bob, "scope=all&order=ASC&limit=1")).json
      const next = yield* service.wallet(bob, `limit=1&cursor=${cursor}`)
      const refused = yield* service.wallet(bob, `scope=direct&limit=1&cursor=${cursor}`)

      expect(hashesIn(next)).toEqual([all[1]])
      expect(refused.status).toBe(400)
      expect(refused.json).toMatchObject({
        parameter: "cursor",
        message: 'Invalid query parameter "cursor": expected a cursor of scope direct, received one of scope all.',
      })
    }).pipe(Effect.scoped),
  )

  it.live("scope=all: responds 503 until the ledgers of all blocks are derived", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks } } })
      const before = yield* service.wallet(bob, "scope=all")
      yield* Effect.orDie(service.stores["eth"]!.fill(ledger, 1))
      const meanwhile = yield* service.wallet(bob, "scope=all")
      while (!(yield* Effect.orDie(service.stores["eth"]!.fill(ledger, 1))).isDone) yield* Effect.yieldNow
      const after = yield* service.wallet(bob, "scope=all&order=ASC")

      expect([before.status, meanwhile.status, after.status]).toEqual([503, 503, 200])
      expect(meanwhile.headers["retry-after"]).toBe("10")
      expect(meanwhile.json.message).toBe(
        "Scope all not complete: eth, derived up to block 0. Retry later, or use scope=direct.",
      )
      expect(hashesIn(after)).toEqual(all)
    }).pipe(Effect.scoped),
  )

  it.live("scope=all: lists those of a watched wallet, and responds 400 for another one", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { config: { watch: [bob] }, blocks, projections } } })
      const watched = yield* service.wallet(bob, "scope=all&order=ASC")
      const refused = yield* service.wallet(alice, "scope=all")

      expect(hashesIn(watched)).toEqual(all)
      expect([refused.status, refused.json.code]).toEqual([400, "address_not_watched"])
    }).pipe(Effect.scoped),
  )
})
