import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as ContractDecoder from "../../../src/contract/ContractDecoder.ts"
import * as WalletTransactions from "../../../src/server/rest/WalletTransactions.ts"
import type { PageRow } from "../../../src/store/ChainReader.ts"
import * as Steps from "../../../src/supervision/Steps.ts"
import * as TestStore from "../../store/TestStore.ts"
import * as Rows from "../rows.ts"
import { type Response, decodePage, encodePage, hashesIn, start } from "../service.ts"

const { alice, bob, contract, stranger } = Rows

/** Status and body of an error without its id, which differs each time. */
const errorOf = ({ json, status }: Response) => {
  const { requestId, ...body } = json
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  return { status, ...body }
}

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
