import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Dates from "../../../src/server/rest/Dates.ts"
import * as Rows from "../rows.ts"
import { type Response, start } from "../service.ts"

const { alice, bob } = Rows

/** Status and body of an error without its id, which differs each time. */
const errorOf = ({ json, status }: Response) => {
  const { requestId, ...body } = json
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  return { status, ...body }
}

describe("walletTransactions", () => {
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
})
