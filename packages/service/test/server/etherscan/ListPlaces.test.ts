import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Role from "../../../src/ledger/Role.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import type { Coverage } from "../../../src/query/Coverage.ts"
import * as ListPlaces from "../../../src/server/etherscan/ListPlaces.ts"
import * as Rows from "../rows.ts"
import { start, type Started } from "../service.ts"

const chain = { id: 1, config: { rpc: ["a", "b"] } } as unknown as ListPlaces.List["chain"]

const listOf = (order: "ASC" | "DESC", to = Number.MAX_SAFE_INTEGER): ListPlaces.List => ({
  chain,
  wallet: Rows.alice,
  kind: "txlist",
  list: { from: 0, to, order },
})

const withFinalized = (finalized: number | null): Coverage => ({
  checkpoint: { first: 0, head: { number: 20, hash: "" }, headTimestamp: 0, finalized },
  missing: 0,
  reconciledTo: null,
})

/** Coverage of an index whose blocks up to 10 are final. */
const coverage = withFinalized(10)

const at = (block: number, rows: number) => ({ place: { block, index: 0 }, rows })

describe("ListPlaces", () => {
  it("find: returns the last kept position at or before a number of rows of the same list", () => {
    const places = ListPlaces.make()
    places.keep(listOf("ASC"), at(3, 100), coverage)
    places.keep(listOf("ASC"), at(5, 200), coverage)

    expect(places.find(listOf("ASC"), 99)).toBeUndefined()
    expect(places.find(listOf("ASC"), 199)).toEqual(at(3, 100))
    expect(places.find(listOf("ASC", 8), 300)).toEqual(at(5, 200))
    expect(places.find({ ...listOf("ASC"), kind: "tokentx " }, 300)).toBeUndefined()
    expect(places.find({ ...listOf("ASC"), wallet: Rows.bob }, 300)).toBeUndefined()
  })

  it("keep: omits what later blocks or a reorg may change", () => {
    const places = ListPlaces.make()
    places.keep(listOf("ASC"), at(11, 100), coverage)
    places.keep(listOf("DESC"), at(3, 100), coverage)
    places.keep(listOf("DESC", 10), at(3, 100), coverage)
    const rewinding = { ...listOf("ASC"), chain: { id: 31_337, config: { rpc: ["a"] } } as never }
    places.keep(rewinding, at(3, 100), coverage)

    expect(places.find(listOf("ASC"), 100)).toBeUndefined()
    expect(places.find(listOf("DESC"), 100)).toBeUndefined()
    expect(places.find(listOf("DESC", 10), 100)).toEqual(at(3, 100))
    expect(places.find(rewinding, 100)).toBeUndefined()
  })

  it.each<readonly [string, block: number, Coverage, isKept: boolean]>([
    ["of the last final block", 10, coverage, true],
    ["of the first block of an index without a final one", 0, withFinalized(null), false],
    ["of an index without blocks", 0, { ...coverage, checkpoint: null }, false],
  ])("keep: a position %s", (_, block, indexed, isKept) => {
    const places = ListPlaces.make()
    places.keep(listOf("ASC"), at(block, 100), indexed)

    expect(places.find(listOf("ASC"), 100)).toEqual(isKept ? at(block, 100) : undefined)
  })

  it("keep: limits the lists, and the positions of each", () => {
    const places = ListPlaces.make()
    for (let rows = 1; rows <= 100; rows++) places.keep(listOf("ASC"), at(3, rows), coverage)
    const before = places.find(listOf("ASC"), 36)
    for (let number = 0; number < 600; number++) {
      places.keep({ ...listOf("ASC"), wallet: String(number) }, at(3, 1), coverage)
    }

    expect(before).toBeUndefined()
    expect(places.find(listOf("ASC"), 100)).toBeUndefined()
    expect(places.find({ ...listOf("ASC"), wallet: "599" }, 1)).toEqual(at(3, 1))
  })

  const plans = Array.from({ length: 3 }, () => ({
    from: Rows.alice,
    to: Rows.contract,
    topics: Rows.transferTopics,
  }))
  const ledger = {
    id: WalletLedger.id,
    kind: "ledger",
    revision: WalletLedger.revision,
    ledger: () => {
      const roles = Role.bits.internal_callee | Role.bits.token_recipient
      return LedgerCodec.pack(plans.map((_, index) => ({ index, wallet: Rows.bob, roles, movements: [] })))
    },
  } as const

  const read = ({ fetch, key }: Started, action: string, wallet: string, query: string) =>
    Effect.map(
      fetch(`/api?module=account&action=${action}&address=${wallet}${query}&apikey=${key}`),
      ({ json }) => json.result as ReadonlyArray<{ readonly hash: string; readonly blockNumber: string }>,
    )

  it.live("pages are the parts of a list in whatever order they are read, even while blocks are added", () =>
    Effect.gen(function* () {
      const blocks = Array.from({ length: 24 }, (_, number) => Rows.block(number, plans))
      const projections = [WalletTransactions.projection, ledger]
      const service = yield* start({ chains: { eth: { blocks: blocks.slice(0, 20), projections } } })
      const store = service.stores["eth"]!
      yield* Effect.orDie(store.finalize(15))
      const lists = [
        ["txlist", Rows.alice],
        ["tokentx", Rows.bob],
        ["txlistinternal", Rows.bob],
      ] as const
      const compare = Effect.gen(function* () {
        for (const [action, wallet] of lists) {
          for (const range of ["", "&sort=desc", "&sort=desc&endblock=12", "&startblock=3"]) {
            const whole = (yield* read(service, action, wallet, range)).map(({ hash }) => hash)
            expect(whole.length).toBeGreaterThan(30)
            for (const page of [1, 2, 3, 5, 4, 9, 8, 2, 3]) {
              const rows = yield* read(service, action, wallet, `${range}&page=${page}&offset=4`)
              const expected = whole.slice((page - 1) * 4, page * 4)
              expect([action, range, page, rows.map(({ hash }) => hash)]).toEqual([action, range, page, expected])
            }
          }
        }
      })
      yield* compare
      const [head, ...added] = blocks.slice(19)
      yield* Effect.orDie(store.append({ number: head!.number, hash: head!.hash }, added))

      yield* compare
    }).pipe(Effect.scoped),
  )
})
