import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { sameKey } from "../../store/sameKey.ts"
import * as Rows from "../rows.ts"
import { type Response, hashesIn, start, type Started } from "../service.ts"

const { alice, bob } = Rows

/** Status and body of an error without its id, which differs each time. */
const errorOf = ({ json, status }: Response) => {
  const { requestId, ...body } = json
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  return { status, ...body }
}

/** Reads a wallet's pages to the last. */
const walk = Effect.fnUntraced(function* (service: Started, wallet: string, query: string) {
  const pages: Array<Response> = []
  for (let cursor = ""; ;) {
    const answer = yield* service.wallet(wallet, `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
    expect(answer).toMatchObject({ status: 200 })
    pages.push(answer)
    if (answer.json.cursor === null) return pages
    cursor = answer.json.cursor
  }
})

describe("walletTransactions", () => {
  describe("cursor", () => {
    it.live("pages contain each transaction once, in both orders and for every page size", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 30)
        const service = yield* start({ chains: { eth: { blocks } } })
        const oldest = Rows.hashesOf(blocks, bob)
        for (const order of ["ASC", "DESC"]) {
          for (const limit of [1, 2, 3, 7, oldest.length - 1, oldest.length, 100]) {
            const pages = yield* walk(service, bob, `order=${order}&limit=${limit}`)
            expect(pages.flatMap(hashesIn)).toEqual(order === "ASC" ? oldest : oldest.toReversed())
            expect(pages.length).toBe(Math.ceil(oldest.length / limit))
            expect(pages.map(({ json }) => json.page)).toEqual(pages.map((_, at) => String(at)))
            expect(pages.every(({ json }) => json.page_size === String(limit))).toBe(true)
          }
        }
      }),
    )

    it.live("a page ends after many rows of another wallet with the same key, and the next ones have the others", () =>
      Effect.gen(function* () {
        const [own, busy] = sameKey
        const ofBusy = Array.from({ length: 300 }, () => ({ from: alice, to: busy }))
        const blocks = [0, 1].map((number) => Rows.block(number, [...ofBusy, { from: alice, to: own }]))
        const service = yield* start({ chains: { eth: { blocks } } })
        const oldest = Rows.hashesOf(blocks, own)

        for (const order of ["ASC", "DESC"]) {
          const pages = yield* walk(service, own, `order=${order}`)
          expect(pages.flatMap(hashesIn)).toEqual(order === "ASC" ? oldest : oldest.toReversed())
          // Each reads at most 256 of the 600 rows of the other wallet.
          expect(pages.map((page) => hashesIn(page).length)).toEqual(order === "ASC" ? [0, 1, 1] : [1, 1, 0])
        }
      }),
    )

    it.live("later pages belong to the list of the first page when blocks are appended", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 12)
        const service = yield* start({ chains: { eth: { blocks } } })
        const store = service.stores["eth"]!
        const first = yield* service.wallet(bob, "order=ASC&limit=4")
        const down = yield* service.wallet(bob, `to_date=2999-01-01&limit=4`)
        yield* Effect.orDie(store.append(blocks.at(-1)!, Rows.chain(13, 20)))

        const rest = yield* service.wallet(bob, `order=ASC&limit=100&cursor=${first.json.cursor}`)
        const downRest = yield* service.wallet(bob, `to_date=2999-01-01&cursor=${down.json.cursor}`)

        expect([...hashesIn(first), ...hashesIn(rest)]).toEqual(Rows.hashesOf(blocks, bob))
        expect([...hashesIn(down), ...hashesIn(downRest)]).toEqual(Rows.hashesOf(blocks, bob).toReversed())
        expect(rest.headers["daybook-indexed-to"]).toBe("20")
        expect(rest.json).toMatchObject({ page: "1", page_size: "100", cursor: null })
      }),
    )

    it.live(
      "later pages belong to the list of the first page when blocks are added below, and state what it covers",
      () =>
        Effect.gen(function* () {
          const blocks = Rows.chain(0, 20)
          const service = yield* start({ chains: { eth: { blocks: blocks.slice(10) } } })
          const store = service.stores["eth"]!
          const list = Rows.hashesOf(blocks.slice(10), bob)
          const queries = ["order=DESC", "order=ASC", "from_block=3", `from_date=${Rows.timeOf(3)}`, "from_block=12"]
          const firsts = yield* Effect.forEach(queries, (query) => service.wallet(bob, `${query}&limit=4`))
          yield* Effect.orDie(store.prepend(blocks[10]!, blocks.slice(5, 10)))

          const rests = yield* Effect.forEach(queries, (query, at) =>
            service.wallet(bob, `${query}&cursor=${firsts[at]!.json.cursor}`),
          )

          const listed = firsts.map((first, at) => [...hashesIn(first), ...hashesIn(rests[at]!)])
          const down = list.toReversed()
          expect(listed).toEqual([down, list, down, down, Rows.hashesOf(blocks.slice(12), bob).toReversed()])
          expect(rests.map(({ json }) => json.cursor)).toEqual(queries.map(() => null))
          expect(rests.map(({ headers }) => headers["daybook-indexed-from"])).toEqual(["10", "10", "10", "10", "5"])
          const again = yield* service.wallet(bob)
          expect(again.headers["daybook-indexed-from"]).toBe("5")
          expect(hashesIn(again)).toEqual(Rows.hashesOf(blocks.slice(5), bob).toReversed())
        }),
    )

    it.live("a page that reaches its size limit ends early with a cursor, and a larger row is a separate page", () =>
      Effect.gen(function* () {
        // A page of this size is sent in chunks.
        const large = `0x${"ab".repeat(131_072)}`
        const inputs = ["0x", "0x", large, "0x", "0x", "0x", large, large, "0x"]
        const blocks = [
          Rows.block(
            1,
            inputs.map((input) => ({ from: alice, to: bob, input })),
          ),
        ]
        const service = yield* start({ chains: { eth: { blocks } }, config: { limits: { pageBytes: 8_000 } } })

        for (const order of ["ASC", "DESC"] as const) {
          const pages = yield* walk(service, bob, `order=${order}`)

          const hashes = Rows.hashesOf(blocks, bob)
          expect(pages.flatMap(hashesIn)).toEqual(order === "ASC" ? hashes : hashes.toReversed())
          const counts = pages.map((page) => hashesIn(page).length)
          expect(counts).toEqual(order === "ASC" ? [2, 1, 3, 1, 1, 1] : [1, 1, 1, 3, 1, 2])
          expect(pages.map(({ json }) => json.page_size)).toEqual(pages.map(() => "100"))
        }
      }),
    )

    it.live("an empty cursor is that of the first page of the default chain, which the key must permit", () =>
      Effect.gen(function* () {
        const chain = { blocks: Rows.chain(0, 4) }
        const service = yield* start({ chains: { eth: chain, polygon: chain } })
        const key = yield* service.addKey({ name: "polygon", options: { chains: ["polygon"] } })
        const path = `/api/v2.2/${bob}/verbose?limit=2&cursor=`

        const first = yield* service.wallet(bob, "limit=2")
        const empty = yield* service.wallet(bob, "limit=2&cursor=")
        const forbidden = yield* service.fetch(path, { headers: { "x-api-key": key } })

        expect([empty.status, empty.json]).toEqual([200, first.json])
        expect(forbidden.status).toBe(403)
      }),
    )

    it.live("chain, order and range are taken from the cursor if a request omits them", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 12)
        const service = yield* start({ chains: { polygon: { blocks } } })
        const first = yield* service.wallet(bob, "chain=polygon&order=ASC&from_block=3&to_block=9&limit=3")

        const rest = yield* service.wallet(bob, `cursor=${first.json.cursor}`)

        const list = Rows.hashesOf(blocks.slice(3, 10), bob)
        expect([...hashesIn(first), ...hashesIn(rest)]).toEqual(list)
      }),
    )

    it.live("a cursor of another query is rejected with the parameter that differs", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 12)
        const service = yield* start({ chains: { eth: { blocks }, polygon: { blocks } } })
        const { json } = yield* service.wallet(bob, "from_block=2&to_date=2999-01-01&limit=2&order=ASC")
        const cursor = `cursor=${json.cursor}`
        const cases: ReadonlyArray<readonly [string, string, string]> = [
          [alice, cursor, `of wallet ${alice}, received one of wallet ${bob}`],
          [bob, `${cursor}&chain=polygon`, "of chain 137, received one of chain 1"],
          [bob, `${cursor}&order=DESC`, "of order DESC, received one of order ASC"],
          [bob, `${cursor}&from_block=3`, "of lower bound block 3, received one of lower bound block 2"],
          [bob, `${cursor}&to_block=3`, "of upper bound block 3, received one of upper bound 2999-01-01T00:00:00.000Z"],
        ]
        for (const [wallet, query, difference] of cases) {
          const answer = errorOf(yield* service.wallet(wallet, query))
          expect(answer).toMatchObject({ status: 400, code: "bad_request", parameter: "cursor" })
          expect(answer.message).toBe(`Invalid query parameter "cursor": expected a cursor ${difference}.`)
        }
      }),
    )

    it.live("a cursor stays valid after a reorg of other blocks and is stale after a reorg of its own", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 12)
        const service = yield* start({ chains: { eth: { blocks } } })
        const store = service.stores["eth"]!
        const below = yield* service.wallet(bob, "to_block=6&limit=3")
        const whole = yield* service.wallet(bob, "limit=3")
        const up = yield* service.wallet(bob, "order=ASC&limit=3")
        yield* Effect.orDie(store.unwind(blocks[12]!, blocks[9]!))
        yield* Effect.orDie(
          store.append(blocks[9]!, [
            Rows.block(10, Rows.plansOf(10), { fork: "b" }, blocks[9]!.hash),
            Rows.block(11, Rows.plansOf(11), { fork: "b" }),
          ]),
        )

        const belowRest = yield* service.wallet(bob, `limit=100&cursor=${below.json.cursor}`)
        const stale = yield* service.wallet(bob, `cursor=${whole.json.cursor}`)
        const staleUp = yield* service.wallet(bob, `order=ASC&cursor=${up.json.cursor}`)

        expect([...hashesIn(below), ...hashesIn(belowRest)]).toEqual(
          Rows.hashesOf(blocks.slice(0, 7), bob).toReversed(),
        )
        const message =
          "Stale cursor: block 10 and later blocks were reorged. Start again without a cursor, from_block=10; in descending order, then continue with to_block=9."
        expect(errorOf(stale)).toMatchObject({ status: 409, code: "stale_cursor", message, resumeFromBlock: 10 })
        expect(stale.headers["daybook-indexed-to"]).toBe("11")
        expect(errorOf(staleUp)).toMatchObject({ status: 409, code: "stale_cursor", resumeFromBlock: 10 })
      }),
    )

    it.live(
      "a stale cursor resumes at the deepest of several reorgs, or after the last final block if no reorg is remembered",
      () =>
        Effect.gen(function* () {
          const blocks = Rows.chain(0, 12)
          const service = yield* start({ chains: { eth: { blocks } } })
          const store = service.stores["eth"]!
          const { json } = yield* service.wallet(bob, "limit=3")
          yield* Effect.orDie(store.unwind(blocks[12]!, blocks[10]!))
          const fork = Rows.block(11, Rows.plansOf(11), { fork: "b" }, blocks[10]!.hash)
          yield* Effect.orDie(store.append(blocks[10]!, [fork]))
          yield* Effect.orDie(store.unwind(fork, blocks[6]!))

          const stale = yield* service.wallet(bob, `cursor=${json.cursor}`)

          expect(errorOf(stale)).toMatchObject({ status: 409, resumeFromBlock: 7 })
          const other = yield* start({ chains: { eth: { blocks: Rows.chain(3, 15, { fork: "c" }) } } })
          expect(errorOf(yield* other.wallet(bob, `cursor=${json.cursor}`))).toMatchObject({
            status: 409,
            resumeFromBlock: 3,
          })
          yield* Effect.orDie(other.stores["eth"]!.finalize(8))
          expect(errorOf(yield* other.wallet(bob, `cursor=${json.cursor}`))).toMatchObject({
            status: 409,
            resumeFromBlock: 9,
          })
        }),
    )

    it.live("a cursor stays valid when its blocks are removed and appended again", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 12)
        const service = yield* start({ chains: { eth: { blocks } } })
        const store = service.stores["eth"]!
        const first = yield* service.wallet(bob, "limit=3")
        yield* Effect.orDie(store.unwind(blocks[12]!, blocks[8]!))
        yield* Effect.orDie(store.append(blocks[8]!, blocks.slice(9)))

        const rest = yield* service.wallet(bob, `limit=100&cursor=${first.json.cursor}`)

        expect([...hashesIn(first), ...hashesIn(rest)]).toEqual(Rows.hashesOf(blocks, bob).toReversed())
      }),
    )
  })
})
