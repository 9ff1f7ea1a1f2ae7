import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Signature from "@daybook/abi/Signature"
import * as Rows from "../rows.ts"
import { type Started, start } from "../service.ts"

/** The selector of `poke(uint256)`. */
const { key: selector } = Result.getOrThrow(Signature.fromText("function poke(uint256)"))

const poke = (parameter: string) => ({
  type: "function",
  name: "poke",
  inputs: [{ name: parameter, type: "uint256" }],
  outputs: [],
})

const pokeInput = `${selector}${"7".padStart(64, "0")}`

const vault = Rows.address("d")

const blocks = [
  Rows.block(0, []),
  Rows.block(1, [
    { from: Rows.alice, to: vault, input: pokeInput },
    { from: Rows.alice, to: Rows.contract, input: pokeInput },
  ]),
]

const path = (contract: string, query = "") => `/api/v2.2/contracts/${encodeURIComponent(contract)}${query}`

const json = { "content-type": "application/json" }

const put = (service: Started, key: string, contract: string, body: unknown, query = "") =>
  service.fetch(path(contract, query), {
    method: "PUT",
    headers: { "x-api-key": key, ...json },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })

const remove = (service: Started, key: string, contract: string) =>
  service.fetch(path(contract), { method: "DELETE", headers: { "x-api-key": key } })

interface Row {
  readonly to_address_label: string | null
  readonly decoded_call: { readonly label: string; readonly params: ReadonlyArray<{ readonly name: string }> } | null
}

/** For each transaction of alice, oldest first: the label of the recipient, and the parameter of its call. */
const summaries = (service: Started) =>
  Effect.map(service.wallet(Rows.alice, "order=ASC"), ({ json: page }) =>
    (page.result as ReadonlyArray<Row>).map(({ decoded_call: call, to_address_label: label }) => [
      label,
      call?.params[0]?.name ?? null,
    ]),
  )

const scope = { operations: ["putContract", "removeContract"] } as const

const opened = Effect.gen(function* () {
  const service = yield* start({ chains: { eth: { blocks } } })
  return { service, key: yield* service.addKey({ name: "uploads", options: scope }) }
})

describe("uploads of contracts", () => {
  it.live("PUT decodes the rows of its contract from the next request, and DELETE restores the previous state", () =>
    Effect.gen(function* () {
      const { key, service } = yield* opened
      const before = yield* summaries(service)

      const added = yield* put(service, key, vault.toUpperCase().replace("X", "x"), {
        name: "Vault",
        abi: [poke("times")],
      })
      const withVault = yield* summaries(service)
      yield* put(service, key, vault, { name: "Safe" })
      const withLabel = yield* summaries(service)
      yield* put(service, key, "my pack", { abi: [poke("packed"), { type: "constructor", inputs: [] }] })
      const withPack = yield* summaries(service)
      const removed = yield* remove(service, key, vault)
      yield* remove(service, key, "my pack")

      expect([added.status, added.json]).toEqual([200, { contract: vault, name: "Vault", items: "1" }])
      expect(before).toEqual([
        [null, null],
        [null, null],
      ])
      expect(withVault).toEqual([
        ["Vault", "times"],
        [null, null],
      ])
      expect(withLabel).toEqual([
        ["Safe", null],
        [null, null],
      ])
      expect(withPack).toEqual([
        ["Safe", "packed"],
        [null, "packed"],
      ])
      expect(removed.json).toEqual({ contract: vault, removed: true })
      expect((yield* remove(service, key, vault)).json).toEqual({ contract: vault, removed: false })
      expect(yield* summaries(service)).toEqual(before)
    }),
  )

  it.live("the tag of a page changes with an ABI that decodes one of its rows, and changes back without it", () =>
    Effect.gen(function* () {
      const { key, service } = yield* opened
      const tag = Effect.map(service.wallet(Rows.alice), ({ headers }) => headers["etag"])
      const before = yield* tag
      yield* put(service, key, "my pack", { abi: [poke("packed")] })
      const decoded = yield* tag
      yield* remove(service, key, "my pack")

      expect(before).toMatch(/^W\/"/)
      expect(decoded).not.toBe(before)
      expect(yield* tag).toBe(before)
    }),
  )

  it.live("only a key that names the operation may write, on its chains", () =>
    Effect.gen(function* () {
      const { key, service } = yield* opened
      const other = yield* service.addKey({ name: "other", options: { ...scope, chains: ["base"] } })
      const only = yield* service.addKey({ name: "only", options: { operations: ["putContract"] } })
      const body = { name: "Vault" }

      const answers = [
        yield* put(service, service.key, vault, body),
        yield* put(service, other, vault, body),
        yield* remove(service, only, vault),
        yield* service.fetch(path(vault), { method: "PUT", headers: json, body: JSON.stringify(body) }),
        yield* service.fetch(`/api/v2.2/${Rows.alice}/verbose`, { headers: { "x-api-key": key } }),
      ]

      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 401, 403])
      expect(answers[0]!.json.message).toBe(
        "API key not allowed for the operation putContract. It allows walletTransactions, movements, userOperations, balances, statement, signedStatement, walletEvents, relay.",
      )
      expect(yield* summaries(service)).toEqual([
        [null, null],
        [null, null],
      ])
    }),
  )

  it.live("a malformed, hostile or oversized body or key is rejected, and nothing is stored", () =>
    Effect.gen(function* () {
      const { key, service } = yield* opened
      const nested = (levels: number) => `{"name":"V","abi":${"[".repeat(levels)}${"]".repeat(levels)}}`
      const cases: ReadonlyArray<readonly [contract: string, body: unknown, status: number, message: RegExp]> = [
        [
          "0x1234",
          { name: "V" },
          400,
          /^Invalid path parameter "contract": expected an address, or the name of a pack/,
        ],
        ["a\u202eb", { abi: [poke("a")] }, 400, /^Invalid path parameter "contract"/],
        [vault, "{", 400, /expected JSON in UTF-8/],
        [vault, "7", 400, /^Invalid request body/],
        [vault, {}, 400, /^Invalid request body "name": expected the name of the address, received none\./],
        [vault, { name: "V", abi: "x" }, 400, /^Invalid request body "abi"/],
        [vault, { name: "V", abi: [] }, 400, /"abi": expected functions, events or errors that can be decoded/],
        [vault, { name: "a\nb" }, 400, /^Invalid request body "name": expected a line of 1 to 100 visible characters/],
        [vault, { name: "x".repeat(101) }, 400, /^Invalid request body "name"/],
        [vault, { name: "V", extra: 1 }, 400, /^Invalid request body "extra"/],
        ["pack", { name: "V", abi: [poke("a")] }, 400, /"name": expected no name, because the path names the pack/],
        ["pack", { abi: [] }, 400, /"abi": expected functions/],
        ["pack", {}, 400, /"abi": expected functions/],
        [vault, nested(70), 400, /at most 64 levels of nesting/],
        [vault, `{"name":"V","abi":[${"0,".repeat(20_001)}0]}`, 400, /at most 20000 values/],
        [vault, { name: "V", abi: ["x".repeat(1_100_000)] }, 413, /Request body too large/],
      ]
      for (const [contract, body, status, message] of cases) {
        const answer = yield* put(service, key, contract, body)
        expect([answer.status, answer.json.message]).toEqual([status, expect.stringMatching(message)])
      }

      expect((yield* put(service, key, vault, { name: "V" }, "?chain=base")).json.code).toBe("chain_not_served")
      expect(yield* service.stores["eth"]!.database.contracts.list({ name: "eth", id: 1 })).toEqual([])
    }),
  )

  it.live(
    "an upload counts as many requests as its ABI has parts, and is rejected before it is read if too few are left",
    () =>
      Effect.gen(function* () {
        const { service } = yield* opened
        const options = { ...scope, rateLimit: { perSecond: 1, burst: 10 } }
        const key = yield* service.addKey({ name: "slow", options })
        const abi = Array.from({ length: 1_024 }, (_, index) => ({ ...poke("times"), name: `poke${index}` }))

        const accepted = yield* put(service, key, vault, { name: "V", abi })
        const refused = yield* put(service, key, vault, { name: "W", abi: [...abi, ...abi] })

        expect([accepted.status, accepted.headers["ratelimit-remaining"]]).toEqual([200, "4"])
        expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"])
        expect(yield* summaries(service)).toEqual([
          ["V", null],
          [null, null],
        ])
      }),
  )

  it.live("an ABI with too many parameters in total is rejected", () =>
    Effect.gen(function* () {
      const { key, service } = yield* opened
      const deep = { name: "a", type: `uint256${"[]".repeat(15)}` }
      const item = (name: string) => ({ type: "function", name, inputs: Array.from({ length: 250 }, () => deep) })

      const refused = yield* put(service, key, vault, { name: "V", abi: "abcdefghi".split("").map(item) })

      expect([refused.status, refused.json.message]).toEqual([
        400,
        expect.stringMatching(/"abi": expected at most 32768 items, parameters and levels of lists, received more/),
      ])
    }),
  )

  it.live("a chain with the maximum of contracts accepts no more until one is removed", () =>
    Effect.gen(function* () {
      const { key, service } = yield* opened
      const { contracts } = service.stores["eth"]!.database
      const large = { address: vault, name: "Large", source: "command", implementations: [] }
      yield* contracts.put({ name: "eth", id: 1 }, [{ ...large, abi: `[${" ".repeat(16 * 1024 * 1024)}]` }])

      const refused = yield* put(service, key, Rows.contract, { name: "V" })
      yield* remove(service, key, vault)
      const accepted = yield* put(service, key, Rows.contract, { name: "V" })

      expect([refused.status, refused.json.message]).toEqual([400, expect.stringMatching(/; remove some\.$/)])
      expect(accepted.status).toBe(200)
    }),
  )
})
