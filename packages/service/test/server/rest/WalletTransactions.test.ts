import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Effect } from "effect"
import { expect } from "vitest"
import * as ContractDecoder from "../../../src/contract/ContractDecoder.ts"
import * as Dates from "../../../src/server/rest/Dates.ts"
import * as WalletTransactions from "../../../src/server/rest/WalletTransactions.ts"
import type { PageRow } from "../../../src/store/ChainReader.ts"
import * as Steps from "../../../src/supervision/Steps.ts"
import * as TestStore from "../../store/TestStore.ts"
import * as Rows from "../rows.ts"
import { type Response, decodePage, encodePage, hashesIn, start, type Started } from "../service.ts"

const { alice, bob, contract, stranger } = Rows

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
  describe("page", () => {
    it.live("lists a wallet's transactions newest first, with the coverage of the index in headers", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(3, 12)
        const service = yield* start({ chains: { eth: { blocks } } })
        yield* Effect.orDie(service.stores["eth"]!.finalize(7))

        const answer = yield* service.wallet(alice)

        expect(answer.status).toBe(200)
        expect(answer.headers).toMatchObject({
          "content-type": "application/json",
          "daybook-indexed-from": "3",
          "daybook-indexed-to": "12",
          "daybook-finalized-to": "7",
          "cache-control": "no-store",
        })
        expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/)
        expect(Object.keys(answer.json)).toEqual(["cursor", "page", "page_size", "result"])
        expect(answer.json).toMatchObject({ cursor: null, page: "0", page_size: "100" })
        expect(hashesIn(answer)).toEqual(Rows.hashesOf(blocks, alice).toReversed())
      }),
    )

    it.live("equals the encoding of its decoded form", () =>
      Effect.gen(function* () {
        const plans = [
          { from: alice, to: contract, input: Rows.transferInput, topics: Rows.transferTopics },
          { from: alice, to: null, input: "0x" },
          { from: alice, to: bob },
        ]
        const label = 'a "quoted" name \\ \u2028'
        const service = yield* start({
          chains: { eth: { config: { labels: { [alice]: label } }, blocks: [Rows.block(0, plans)] } },
        })

        for (const query of ["", "include=internal_transactions"]) {
          const answer = yield* service.wallet(alice, query)
          expect(encodePage(decodePage(answer.json))).toEqual(answer.json)
          expect(JSON.stringify(answer.json)).toBe(answer.text)
          expect(answer.json.result).toHaveLength(3)
          expect("internal_transactions" in answer.json.result[0]).toBe(query !== "")
        }
        const { json } = yield* service.wallet(alice)
        expect(json.result[2]).toMatchObject({ from_address_label: label, to_address_label: null })
        expect(json.result[1]).toMatchObject({
          to_address: null,
          to_address_label: null,
          receipt_contract_address: contract,
        })
        expect(json.result[2].decoded_call.signature).toBe("transfer(address,uint256)")
      }),
    )

    it.live("include adds internal transactions as the last field of each row, even if sent as a list of one", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { blocks: [Rows.block(5, [{ from: alice, to: bob }])] } } })

        const answer = yield* service.wallet(alice, "include=internal_transactions")
        const listed = yield* service.wallet(alice, "include%5B%5D=internal_transactions")

        expect(Object.keys(answer.json.result[0]).at(-1)).toBe("internal_transactions")
        expect(answer.json.result[0].internal_transactions).toMatchObject([{ block_number: 5, type: "CALL", to: bob }])
        expect(listed.text).toBe(answer.text)
      }),
    )

    it.live("lists a wallet as sender, recipient and created contract, whatever the case of its address", () =>
      Effect.gen(function* () {
        const blocks = [
          Rows.block(0, [
            { from: alice, to: bob },
            { from: stranger, to: null },
          ]),
        ]
        const service = yield* start({ chains: { eth: { blocks } } })
        const [first, second] = blocks[0]!.transactions

        expect(hashesIn(yield* service.wallet(alice))).toEqual([first!.hash])
        expect(hashesIn(yield* service.wallet(bob.toUpperCase().replace("0X", "0x")))).toEqual([first!.hash])
        expect(hashesIn(yield* service.wallet(contract))).toEqual([second!.hash])
        expect(hashesIn(yield* service.wallet(Rows.address("1")))).toEqual([])
      }),
    )

    it.live("rows of an older decoder are decoded again", () =>
      Effect.gen(function* () {
        const plans = [{ from: alice, to: contract, input: Rows.transferInput, topics: Rows.transferTopics }]
        const service = yield* start({ chains: { eth: { blocks: [Rows.block(0, plans, { staleRows: true })] } } })

        const { json } = yield* service.wallet(alice)

        expect(json.result[0].decoded_call.label).toBe("transfer")
        expect(json.result[0].logs[0].decoded_event.label).toBe("Transfer")
      }),
    )

    it.live("empty values are null if the service or the key is configured so", () =>
      Effect.gen(function* () {
        const plans = [{ from: alice, to: contract, topics: Rows.transferTopics }]
        const blocks = [Rows.block(0, plans)]
        const service = yield* start({ chains: { eth: { blocks } }, config: { empty: "null" } })
        const strict = yield* service.addKey({ name: "strict", empty: "string" })

        const asNull = yield* service.wallet(alice)
        const asText = yield* service.fetch(`/api/v2.2/${alice}/verbose`, { headers: { "X-API-Key": strict } })

        expect(asNull.json.result[0]).toMatchObject({ receipt_contract_address: null, receipt_root: null })
        expect(asNull.json.result[0].logs[0]).toMatchObject({ topic0: Rows.transferTopics[0], topic3: null })
        expect(asText.json.result[0]).toMatchObject({ receipt_contract_address: "", receipt_root: "" })
        expect(asText.json.result[0].logs[0]).toMatchObject({ topic3: "" })
        expect(encodePage(decodePage(asNull.json))).toEqual(asText.json)
      }),
    )

    it.live("an empty index returns an empty page without coverage headers", () =>
      Effect.gen(function* () {
        const service = yield* start()

        const answer = yield* service.wallet(alice, "include=internal_transactions")

        expect(answer.json).toEqual({ cursor: null, page: "0", page_size: "100", result: [] })
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("daybook-"))).toEqual([])
      }),
    )
  })

  describe("range", () => {
    const blocks = Rows.chain(2, 20)
    const numbersIn = (answer: Response) => [
      ...new Set(
        (answer.json.result as ReadonlyArray<{ block_number: string }>).map((row) => Number(row.block_number)),
      ),
    ]
    const inRange = (from: number, to: number) =>
      blocks
        .filter(
          ({ number, transactions }) =>
            number >= from && number <= to && transactions.some(({ addresses }) => addresses.includes(bob)),
        )
        .map(({ number }) => number)

    it.live("blocks and dates bound the range at each end, and a block takes precedence over a date", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { blocks } } })
        const at = Rows.timeOf
        const between = (number: number) => String((Rows.genesisSeconds + number * 10 + 5) * 1000)
        const cases: ReadonlyArray<readonly [string, number, number]> = [
          ["from_block=5&to_block=9", 5, 9],
          ["from_block=0&to_block=99999999999999999999", 2, 20],
          [`from_date=${at(5)}&to_date=${at(9)}`, 5, 9],
          [`from_date=${between(5)}&to_date=${between(9)}`, 6, 9],
          [`from_block=7&from_date=${at(3)}`, 7, 20],
          [`to_block=7&to_date=${at(18)}`, 2, 7],
          [`from_block=7&to_date=${at(9)}`, 7, 9],
          [`from_date=${at(6)}&to_block=8`, 6, 8],
          ["from_date=2021-05-07T13:09:35+02:00", 6, 20],
          [`from_date=${Rows.genesisSeconds + 60}`, 6, 20],
          ["from_date=1999-01-01", 2, 20],
          ["to_date=2999-01-01", 2, 20],
        ]
        for (const [query, from, to] of cases) {
          const answer = yield* service.wallet(bob, `${query}&order=ASC`)
          expect([query, answer.status]).toEqual([query, 200])
          expect([query, ...numbersIn(answer)]).toEqual([query, ...inRange(from, to)])
        }
      }),
    )

    it.live("from_date rounds up and to_date rounds down to the second of a block", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { blocks } } })
        const at = (number: number, millis: number) =>
          new Date((Rows.genesisSeconds + number * Rows.blockSeconds) * 1000 + millis).toISOString()
        const cases: ReadonlyArray<readonly [query: string, from: number, to: number]> = [
          [`from_date=${at(5, 0)}`, 5, 20],
          [`from_date=${at(5, 1)}`, 6, 20],
          [`from_date=${at(5, -1)}`, 5, 20],
          [`to_date=${at(9, 0)}`, 2, 9],
          [`to_date=${at(9, 999)}`, 2, 9],
          [`to_date=${at(9, -1)}`, 2, 8],
        ]
        for (const [query, from, to] of cases) {
          const answer = yield* service.wallet(bob, `${query}&order=ASC`)
          expect([query, ...numbersIn(answer)]).toEqual([query, ...inRange(from, to)])
        }
      }),
    )

    it.live("a range outside the index returns an empty page", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { blocks } } })
        for (const query of [
          "from_block=21",
          "to_block=1",
          "from_date=2999-01-01",
          "to_date=1999-01-01",
          "from_block=10&to_date=2021-05-07",
          "from_block=99999999999999999999",
        ]) {
          const answer = yield* service.wallet(bob, query)
          expect([query, answer.status, answer.json.result, answer.json.cursor]).toEqual([query, 200, [], null])
          expect(answer.headers["daybook-indexed-to"]).toBe("20")
        }
      }),
    )
  })

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

  describe("invalid parameters", () => {
    it.live("respond 400 with the parameter, the expected value and the received value", () =>
      Effect.gen(function* () {
        const service = yield* start({
          chains: { eth: { blocks: Rows.chain(0, 3) }, polygon: {} },
          config: { maxLimit: 50 },
        })
        const known = RestOperation.parameterNames(RestOperation.walletTransactions).join(", ")
        const invalid = (parameter: string, expected: string, received: string) =>
          `Invalid query parameter "${parameter}": expected ${expected}, received ${received}.`
        const limit = "a whole number of at least 1"
        const served = "a chain that is served here (eth, polygon) by name or identifier"
        const cases: ReadonlyArray<readonly [query: string, parameter: string, message: string]> = [
          ["limit=0", "limit", invalid("limit", limit, `"0"`)],
          ["limit=51", "limit", invalid("limit", "a whole number from 1 to 50", `"51"`)],
          ["limit=1.5", "limit", invalid("limit", limit, `"1.5"`)],
          ["limit=-1", "limit", invalid("limit", limit, `"-1"`)],
          ["limit=", "limit", invalid("limit", limit, "an empty string")],
          ["limit", "limit", invalid("limit", limit, "an empty string")],
          ["from_block=0x10", "from_block", invalid("from_block", "a block number in decimal digits", `"0x10"`)],
          ["to_block=latest", "to_block", invalid("to_block", "a block number in decimal digits", `"latest"`)],
          ["from_block=1&from_block=1", "from_block", invalid("from_block", "one value", "2 values")],
          ["order=up", "order", invalid("order", "ASC or DESC", `"up"`)],
          ["include=logs", "include", invalid("include", `"internal_transactions"`, `"logs"`)],
          ["from_block=9&to_block=8", "from_block", invalid("from_block", "at most to_block (block 8)", "block 9")],
          [
            "from_date=2022-01-01&to_date=2021-01-01",
            "from_date",
            invalid("from_date", "at most to_date (2021-01-01T00:00:00.000Z)", "2022-01-01T00:00:00.000Z"),
          ],
          ["format=json", "format", invalid("format", `one of the keys ${known}`, "an unknown key")],
          ["Limit=5", "Limit", invalid("Limit", `one of the keys ${known}`, "an unknown key")],
          ["from_date=%zz", "from_date", invalid("from_date", Dates.expected, `"%zz"`)],
          ["chain=atlantis", "chain", `Invalid query parameter "chain": expected ${served}, received "atlantis".`],
          ["chain=", "chain", `Invalid query parameter "chain": expected ${served}, received an empty string.`],
        ]
        for (const [query, parameter, message] of cases) {
          const answer = yield* service.wallet(alice, query)
          expect([query, errorOf(answer)]).toEqual([query, { status: 400, code: "bad_request", parameter, message }])
          expect(answer.json.requestId).toBe(answer.headers["x-request-id"])
        }
        for (const query of ["from_date=page+2", "from_block=1&from_date=yesterday", "to_block=1&to_date=2021-02-30"]) {
          const answer = errorOf(yield* service.wallet(alice, query))
          expect(answer).toMatchObject({
            status: 400,
            code: "bad_request",
            parameter: query.includes("to_date") ? "to_date" : "from_date",
          })
          expect(answer.message).toContain("expected ISO 8601 such as 2021-05-07T11:08:35Z")
        }
        for (const wallet of ["0x12", "vitalik.eth", `${alice}0`, "%zz", alice.slice(2), "%20"]) {
          const answer = errorOf(yield* service.wallet(wallet))
          expect(answer).toMatchObject({ status: 400, code: "bad_request", parameter: "address" })
          expect(answer.message).toMatch(
            /^Invalid path parameter "address": expected an address of 20 bytes in hex, received ".+"(?: \(43 characters\))?\.$/,
          )
        }
        for (const cursor of ["abc", "%20", "AQEB", "eyJhbGciOiJIUzI1NiJ9.e30.abc"]) {
          const answer = errorOf(yield* service.wallet(alice, `cursor=${cursor}`))
          expect(answer).toMatchObject({ status: 400, code: "bad_request", parameter: "cursor" })
        }
      }),
    )

    it.live("include shows null for rows that were indexed while traces were off, beside those with traces", () =>
      Effect.gen(function* () {
        const plan = { from: alice, to: bob }
        const blocks = [Rows.block(0, [plan]), Rows.block(1, [plan], { traces: false }), Rows.block(2, [plan])]
        const service = yield* start({ chains: { eth: { blocks } } })

        yield* Effect.orDie(service.stores["eth"]!.finalize(2))
        const mixed = yield* service.wallet(alice, "include=internal_transactions&from_block=0&to_block=2")
        const traced = yield* service.wallet(alice, "include=internal_transactions&from_block=2&to_block=2")

        expect(mixed.status).toBe(200)
        expect(
          mixed.json.result.map(
            (row: { internal_transactions: ReadonlyArray<unknown> | null }) =>
              row.internal_transactions?.length ?? null,
          ),
        ).toEqual([1, null, 1])
        expect([traced.status, traced.json.result[0].internal_transactions.length]).toEqual([200, 1])
        // A null value may be traced later.
        expect([mixed, traced].map(({ headers }) => headers["cache-control"])).toEqual([
          "no-store",
          "private, max-age=3600",
        ])
      }),
    )

    it.live("include shows null for a transaction whose trace is a gap, and the status counts it", () =>
      Effect.gen(function* () {
        const traced = Rows.block(0, [{ from: alice, to: bob }])
        const next = Rows.block(1, [{ from: alice, to: bob }])
        const untraced = {
          ...next,
          transactions: next.transactions.map((transaction) => ({ ...transaction, internal: "null" })),
          gaps: [{ kind: "trace", transaction: next.transactions[0]!.hash, reason: "missing trie node" } as const],
        }
        const service = yield* start({ chains: { eth: { blocks: [traced, untraced] } } })

        const page = yield* service.wallet(alice, "include=internal_transactions")
        const { json } = yield* service.fetch("/ready")

        expect(page.status).toBe(200)
        expect(page.json.result[0].internal_transactions).toBe(null)
        expect(page.json.result[1].internal_transactions).toHaveLength(1)
        expect(json.chains[0].gaps).toEqual({ trace: 1, receipt: 0, transaction: 0, check: 0 })
      }),
    )

    it.live("states how many transactions have no record, as no node returned them", () =>
      Effect.gen(function* () {
        const whole = Rows.block(0, [{ from: alice, to: bob }])
        const gaps = [
          { kind: "receipt", transaction: `0x${"7".repeat(64)}`, reason: "No node has the receipt." },
          { kind: "transaction", reason: "It does not decode." },
          { kind: "check", reason: "blooms" },
        ] as const
        const lacking = { ...Rows.block(1, []), gaps }
        const service = yield* start({ chains: { eth: { blocks: [whole, lacking] }, bsc: { blocks: [whole] } } })
        const header = "daybook-missing-transactions"

        expect((yield* service.wallet(alice, "")).headers[header]).toBe("2")
        expect((yield* service.wallet(alice, "chain=bsc")).headers[header]).toBe(undefined)
      }),
    )

    it.live(
      "include returns the stored internal transactions of a chain whose traces are now off, and null for the others",
      () =>
        Effect.gen(function* () {
          const traced = Rows.block(0, [{ from: alice, to: bob }])
          const next = Rows.block(1, [
            { from: alice, to: bob },
            { from: alice, to: Rows.address("2") },
          ])
          const untraced = {
            ...next,
            transactions: next.transactions.map((transaction) => ({ ...transaction, internal: null })),
          }
          const service = yield* start({ chains: { eth: { config: { traces: "off" }, blocks: [traced, untraced] } } })
          const settings = [
            { name: "traces", value: "on" },
            { name: "traces", value: "off", from: 1 },
          ] as const
          const off = { state: "synced", traces: "off", nodeHead: 1, message: "", settings } as const
          yield* Effect.orDie(service.stores["eth"]!.writeStatus(off))

          const page = yield* service.wallet(alice, "include=internal_transactions")
          const later = yield* service.wallet(Rows.address("2"), "include=internal_transactions")
          const empty = yield* service.wallet(Rows.address("1"), "include=internal_transactions")

          expect([page.status, later.status, empty.status]).toEqual([200, 200, 200])
          expect(page.json.result.at(-1).internal_transactions).toHaveLength(1)
          expect(page.json.result[0].internal_transactions).toBeNull()
          expect(later.json.result[0].internal_transactions).toBeNull()
        }),
    )

    it.live("include on a chain without traces responds 400, even for an empty page", () =>
      Effect.gen(function* () {
        const blocks = Rows.chain(0, 8, { traces: false })
        const service = yield* start({ chains: { eth: { blocks }, polygon: { config: { traces: "off" } } } })
        const off = { state: "synced", traces: "off", nodeHead: 8, message: "" } as const
        yield* Effect.orDie(service.stores["eth"]!.writeStatus(off))
        for (const [wallet, chain] of [
          [bob, "eth"],
          [Rows.address("1"), "eth"],
          [bob, "polygon"],
        ] as const) {
          const answer = yield* service.wallet(wallet, `include=internal_transactions&chain=${chain}`)
          expect(errorOf(answer)).toEqual({
            status: 400,
            code: "traces_not_indexed",
            parameter: "include",
            message: `Traces not indexed: ${chain}. Send the request without "include".`,
          })
        }
        expect((yield* service.wallet(bob)).status).toBe(200)
      }),
    )
  })

  describe("watch list", () => {
    it.live("a wallet outside the watch list is rejected instead of an empty page", () =>
      Effect.gen(function* () {
        const blocks = [Rows.block(0, [{ from: alice, to: bob }])]
        const config = { watch: [alice.toUpperCase().replace("0X", "0x")] }
        const service = yield* start({ chains: { eth: { config, blocks }, base: { config } } })

        expect((yield* service.wallet(alice)).json.result).toHaveLength(1)
        expect((yield* service.wallet(alice, "chain=base")).json.result).toEqual([])
        for (const chain of ["eth", "base"]) {
          expect(errorOf(yield* service.wallet(bob, `chain=${chain}`))).toEqual({
            status: 400,
            code: "address_not_watched",
            parameter: "address",
            message: `Wallet not indexed: ${bob} on ${chain}. Use a wallet that this service indexes.`,
          })
        }
      }),
    )

    it.live("pages of a wallet that was added later begin with the first block that has all of its transactions", () =>
      Effect.gen(function* () {
        const blocks = [0, 1, 2, 3].map((number) => Rows.block(number, [{ from: alice, to: bob }]))
        const service = yield* start({ chains: { eth: { config: { watch: [alice] }, blocks: blocks.slice(0, 3) } } })
        const store = service.stores["eth"]!
        yield* Effect.orDie(store.database.chain(store.ref).changeWatch({ _tag: "Add", wallets: [bob] }))
        const before = yield* service.wallet(bob)
        const added = yield* Effect.orDie(TestStore.open(store.database, store.ref, { watch: new Set([alice]) }))
        yield* Effect.orDie(added.append({ number: 2, hash: blocks[2]!.hash }, blocks.slice(3)))

        expect([before.status, before.json.result]).toEqual([200, []])
        expect(before.headers["daybook-indexed-from"]).toBe("3")
        for (const range of ["", "from_block=1", "from_date=1970-01-01"]) {
          const answer = yield* service.wallet(bob, range)
          expect(hashesIn(answer)).toEqual([blocks[3]!.transactions[0]!.hash])
          expect(answer.headers["daybook-indexed-from"]).toBe("3")
        }
        expect((yield* service.wallet(alice)).headers["daybook-indexed-from"]).toBe("0")
        expect((yield* service.wallet(bob, "to_block=2")).json.result).toEqual([])
      }).pipe(Effect.scoped),
    )
  })

  describe("chain", () => {
    it.live("accepts every spelling of a chain and defaults to eth", () =>
      Effect.gen(function* () {
        const service = yield* start({
          chains: {
            eth: { blocks: [Rows.block(1, [{ from: alice, to: bob }])] },
            amoy: { blocks: [Rows.block(2, [{ from: alice, to: bob }])] },
            "my chain": { config: { id: 31337 }, blocks: [Rows.block(3, [{ from: alice, to: bob }])] },
          },
        })
        const at = (number: string) => (answer: Response) =>
          expect(answer.json).toMatchObject({ result: [{ block_number: number }] })
        at("1")(yield* service.wallet(alice))
        for (const chain of ["eth", "ETH", "0x1", "0x01", "1", "eip155:1"])
          at("1")(yield* service.wallet(alice, `chain=${chain}`))
        for (const chain of [
          "polygon amoy",
          "polygon+amoy",
          "polygon-amoy",
          "Polygon%20Amoy",
          "amoy",
          "0x13882",
          "80002",
        ]) {
          at("2")(yield* service.wallet(alice, `chain=${chain}`))
        }
        for (const chain of ["my+chain", "My-Chain", "0x7a69", "31337"])
          at("3")(yield* service.wallet(alice, `chain=${chain}`))
      }),
    )

    it.live("a chain that is not served is rejected with the names of those that are", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { linea: {}, base: {} } })
        expect(errorOf(yield* service.wallet(alice))).toEqual({
          status: 400,
          code: "chain_not_served",
          parameter: "chain",
          message:
            'Invalid query parameter "chain": expected a chain that is served here (linea, base), since the default eth is not, received nothing.',
        })
        expect(errorOf(yield* service.wallet(alice, "chain=0xa"))).toMatchObject({
          code: "chain_not_served",
          message: `Invalid query parameter "chain": expected a chain that is served here (linea, base), received "0xa" (optimism).`,
        })
        expect(errorOf(yield* service.wallet(alice, "chain=0x7a69"))).toMatchObject({
          code: "chain_not_served",
          message: `Invalid query parameter "chain": expected a chain that is served here (linea, base), received "0x7a69".`,
        })
        expect((yield* service.wallet(alice, "chain=0xe705")).status).toBe(200)
      }),
    )

    it.live("an identifier of two served chains is rejected with both names", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { linea: {}, "linea sepolia": {} } })

        expect(errorOf(yield* service.wallet(alice, "chain=0xe705"))).toEqual({
          status: 400,
          code: "bad_request",
          parameter: "chain",
          message: `Invalid query parameter "chain": expected the name of one chain (linea, linea sepolia share this identifier), received "0xe705".`,
        })
        expect((yield* service.wallet(alice, "chain=0xe708")).status).toBe(200)
      }),
    )
  })
})

describe("rowDecoder", () => {
  const decoder = KnownSignatures.decoder()
  const contracts = Steps.runSync(ContractDecoder.make([], decoder))
  const input = `0xa9059cbb${"1".padStart(64, "0")}${"2".padStart(64, "0")}`
  const body = JSON.stringify({ to_address: Rows.bob, input, logs: [], decoded_call: null })
  // Sound: nothing else is read of a row.
  const row = (revision: number) => ({ revision, body, block: 1, stored: "kept" }) as unknown as PageRow
  const read = (of: PageRow, maxBytes: number) => WalletTransactions.rowDecoder(decoder, maxBytes)(of, contracts)

  it("rowDecoder: keeps a row of the current decoder, and one that is too large, unchanged", () => {
    const [current, earlier] = [row(decoder.revision), row(decoder.revision - 1)]

    expect(read(current, body.length)).toBe(current)
    expect(read(earlier, body.length - 1)).toBe(earlier)
  })

  it("rowDecoder: decodes a row of an earlier decoder again, even of the largest size", () => {
    const { body: decoded, stored } = read(row(decoder.revision - 1), body.length)

    expect(JSON.parse(decoded).decoded_call).toMatchObject({ label: "transfer" })
    expect(stored).toBeUndefined()
  })
})
