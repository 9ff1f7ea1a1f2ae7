import { describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import * as KeyFlags from "../../src/cli/KeyFlags.ts"

const nothing: KeyFlags.Given = {
  chain: [],
  method: [],
  operation: [],
  perSecond: Option.none(),
  burst: Option.none(),
  expires: Option.none(),
}

const parse = (given: Partial<KeyFlags.Given>) =>
  KeyFlags.parse({ ...nothing, ...given }, (name) => ["eth", "base"].includes(name))

const messageOf = (given: Partial<KeyFlags.Given>) => Effect.map(Effect.flip(parse(given)), ({ message }) => message)

describe("KeyFlags", () => {
  it.effect("parse: returns the restrictions of a key, and none without flags", () =>
    Effect.gen(function* () {
      expect(yield* parse({})).toEqual({})
      expect(
        yield* parse({
          chain: ["eth", "base"],
          method: ["eth_call"],
          operation: ["relay", "movements"],
          perSecond: Option.some(5),
          expires: Option.some("90d"),
        }),
      ).toEqual({
        options: {
          chains: ["eth", "base"],
          methods: ["eth_call"],
          operations: ["relay", "movements"],
          rateLimit: { perSecond: 5, burst: 10 },
        },
        expires: 90 * 86_400_000,
      })
      expect(yield* parse({ expires: Option.some("2027-01-31") })).toEqual({ expires: Date.UTC(2027, 0, 31) })
      expect(yield* parse({ perSecond: Option.some(600_000_000) })).toEqual({
        options: { rateLimit: { perSecond: 600_000_000, burst: 1_000_000_000 } },
      })
      expect(yield* parse({ perSecond: Option.some(5), burst: Option.some(6) })).toEqual({
        options: { rateLimit: { perSecond: 5, burst: 6 } },
      })
    }),
  )

  it.effect("parse: an error names the flag, the received value and the accepted values", () =>
    Effect.gen(function* () {
      const invalid = (flag: string, expected: string, received: string) =>
        `Invalid option "${flag}": expected ${expected}, received ${received}.`

      expect(yield* messageOf({ chain: ["eth", "moon"] })).toBe(
        invalid("--chain", "a chain of the configuration", '"moon"'),
      )
      expect(yield* messageOf({ method: ["eth_sendRawTransaction"] })).toBe(
        invalid("--method", "a method of METHODS.md of @daybook/schema, or of Otterscan", '"eth_sendRawTransaction"'),
      )
      expect(yield* messageOf({ operation: ["pages"] })).toBe(
        invalid(
          "--operation",
          "one of walletTransactions, movements, userOperations, balances, statement, signedStatement, walletEvents, relay, webhooks, putContract, removeContract, proveWallet",
          '"pages"',
        ),
      )
      expect(yield* messageOf({ perSecond: Option.some(0) })).toBe(
        invalid("--per-second", "a whole number from 1 to 1000000000", "0"),
      )
      expect(yield* messageOf({ perSecond: Option.some(2_000_000_000) })).toBe(
        invalid("--per-second", "a whole number from 1 to 1000000000", "2000000000"),
      )
      expect(yield* messageOf({ method: Array.from({ length: 201 }, () => "eth_call") })).toBe(
        invalid("--method", "at most 200 names", "201"),
      )
      expect(yield* messageOf({ burst: Option.some(5) })).toBe(
        invalid("--burst", "--burst together with --per-second", "--burst alone"),
      )
      for (const text of ["1970-01-01", "0d", "soon", "2027-13-01", "2027-02-29", "1.5h", ""]) {
        expect(yield* messageOf({ expires: Option.some(text) })).toMatch(/^Invalid option "--expires": /)
      }
    }),
  )

  it("describe: states what a key permits", () => {
    expect(KeyFlags.describe({ name: "a", operator: false, empty: null })).toEqual([])
    expect(
      KeyFlags.describe({
        name: "a",
        operator: true,
        empty: "null",
        options: {
          chains: ["eth"],
          methods: ["eth_call"],
          operations: ["relay"],
          rateLimit: { perSecond: 1, burst: 2 },
        },
        expires: 0,
      }),
    ).toEqual([
      "operator",
      "empty null",
      "chains eth",
      "methods eth_call",
      "operations relay",
      "1 per second, 2 at once",
      "until 1970-01-01",
    ])
  })
})
