import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as schema from "../../src/index.ts"
import { coderOf, unread } from "../../src/internal/coder.ts"
import * as fixture from "../fixture.ts"
import { captured, chanceOf, type Json, mutate } from "../mutations.ts"
import { resources } from "../resources.ts"

/** JSON-RPC responses, and an equal number of REST responses, which have more forms that decode. */
const responses = [
  ...captured,
  ...captured.map(() => ({ resource: "WalletPage.WalletPage", json: fixture.walletPage as Json })),
  ...captured.map(() => ({
    resource: "Block.PartialBlock",
    json: { ...fixture.block, transactions: [fixture.legacy, 7] } as Json,
  })),
]

const names = Object.keys(resources)
const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))

/** Options under which only the parser runs. */
const parserOnly = { disableChecks: true } as const

/** Decodes with only the parser, and then applies the checks of the decoded side. */
const parse = (schema: Schema.Codec<unknown, unknown>, wire: unknown): unknown => {
  const parsed = Schema.decodeUnknownResult(schema, parserOnly)(wire)
  return Result.isSuccess(parsed) && Schema.is(Schema.toType(schema))(parsed.success) ? parsed.success : unread
}

const write = (schema: Schema.Codec<unknown, unknown>, value: unknown): unknown =>
  Result.getOrElse(Schema.encodeUnknownResult(schema, parserOnly)(value), () => unread)

const sample = (schema: Schema.Codec<unknown, unknown>, seed: number): unknown =>
  Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 1, seed: `${seed}` }))[0]

describe("coder", () => {
  it.each(Object.entries(resources))("coderOf: %s has a coder", (_, resource) => {
    expect(coderOf(resource)).toBeDefined()
  })

  it.prop(
    "coder: both engines encode and decode every resource the same way",
    [Schema.Literals(names), Seed],
    ([name, seed]) => {
      const schema = resources[name]!
      const coder = coderOf(schema)!
      const value = sample(schema, seed)
      const wire = coder.write(value)
      expect(wire).toEqual(write(schema, value))
      expect(coder.read(wire)).toEqual(parse(schema, wire))
    },
    { arbitrary: { runs: Runs.usual(400) }, timeout: 60_000 },
  )

  it.prop(
    "coder: both engines accept or reject the same mutated responses",
    [Seed],
    ([seed]) => {
      const chance = chanceOf(seed)
      const { json, resource } = responses[Math.floor(chance() * responses.length)]!
      const schema = resources[resource]!
      const wire = mutate(chance, json)
      expect(coderOf(schema)!.read(wire)).toEqual(parse(schema, wire))
    },
    { arbitrary: { runs: Runs.usual(4_000) }, timeout: 60_000 },
  )

  it("coder: rejects an error code that is not a safe integer, as the parser does", () => {
    const wire = { jsonrpc: "2.0", id: 1, error: { code: 2 ** 60, message: "out of range" } }

    expect(coderOf(schema.JsonRpc.Response)!.read(wire)).toBe(unread)
    expect(parse(schema.JsonRpc.Response, wire)).toBe(unread)
  })

  it("coder: decodes and encodes a page as the parser does", () => {
    const page = Schema.decodeUnknownSync(schema.WalletPage.WalletPage)(fixture.walletPage)
    // Coders are used with the default options only.
    const parsed = Schema.decodeUnknownSync(schema.WalletPage.WalletPage, parserOnly)(fixture.walletPage)
    expect(page).toEqual(parsed)
    expect(JSON.stringify(Schema.encodeUnknownSync(schema.WalletPage.WalletPage)(page))).toBe(
      JSON.stringify(Schema.encodeUnknownSync(schema.WalletPage.WalletPage, { disableChecks: true })(parsed)),
    )
  })

  it("coder: preserves the order of keys, including unknown ones", () => {
    const wire = { step: 1, ...fixture.log, extra: [1, { deep: null }] }
    const log = Schema.decodeUnknownSync(schema.Receipt.Log)(wire)
    expect(JSON.stringify(Schema.encodeUnknownSync(schema.Receipt.Log)(log))).toBe(JSON.stringify(wire))
  })

  it("coder: does not share a Date between two values", () => {
    const [first, second] = [fixture.walletLog, fixture.walletLog].map((log) =>
      Schema.decodeUnknownSync(schema.Log.Log)(log),
    )
    first!.block_timestamp.setTime(0)

    expect(second!.block_timestamp).toEqual(new Date("2023-02-15T14:51:23.000Z"))
    expect(Schema.decodeUnknownSync(schema.Log.Log)(fixture.walletLog).block_timestamp.getTime()).not.toBe(0)
  })

  it("coder: does not change its input", () => {
    const wire = structuredClone(fixture.walletPage)
    Schema.decodeUnknownSync(schema.WalletPage.WalletPage)(wire)
    expect(wire).toEqual(fixture.walletPage)
  })

  it("coder: refuses an undefined value of an optional key, as the parser does", () => {
    const coder = coderOf(schema.Receipt.Log)!
    expect(coder.read({ ...fixture.log, removed: undefined })).toBe(unread)
  })
})
