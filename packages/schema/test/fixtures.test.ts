/** Captured responses of local nodes: `fixtures/<node>.json`, written by `node tooling/bench/capture.ts`. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as DecodeWarning from "../src/DecodeWarning.ts"
import { resources } from "./resources.ts"

interface Fixture {
  readonly node: string
  readonly how: string
  readonly answers: ReadonlyArray<{ readonly resource: string; readonly of: string; readonly json: unknown }>
}

const folder = join(import.meta.dirname, "fixtures")
const fixtures = readdirSync(folder).map(
  (file): Fixture => JSON.parse(readFileSync(join(folder, file), "utf8")) as Fixture,
)

/** Warnings of the responses of each node. */
const canonicalForms: Readonly<Record<string, ReadonlyArray<string>>> = {
  anvil: ["Receipt.Receipt blockTimestamp number_for_text"],
  ganache: [],
}

describe.each(fixtures)("responses of $node", ({ node, answers }) => {
  it.each(answers)("$resource of $of: decodes and encodes without loss", ({ resource, json }) => {
    const schema = resources[resource]!
    const again = Schema.encodeUnknownSync(schema)(Schema.decodeUnknownSync(schema)(json))
    const forms = Result.getOrThrow(DecodeWarning.find(schema, json)).map(
      ({ path, rule }) => `${resource} ${path.join(".")} ${rule}`,
    )

    expect(forms.filter((form) => !canonicalForms[node]!.includes(form))).toEqual([])
    if (forms.length === 0) expect(JSON.stringify(again)).toBe(JSON.stringify(json))
    expect(Result.getOrThrow(DecodeWarning.find(schema, again))).toEqual([])
  })
})

describe("captured responses", () => {
  const typesOf = (node: string) =>
    new Set(
      fixtures
        .find((fixture) => fixture.node === node)!
        .answers.filter((answer) => answer.resource === "Transaction.Transaction")
        .map((answer) => (answer.json as { readonly type: string }).type),
    )

  it("captured responses: cover every transaction type of Ethereum, pending transactions and both forms of traces", () => {
    expect([...typesOf("anvil")].toSorted()).toEqual(["0x0", "0x1", "0x2", "0x3", "0x4"])
    expect([...typesOf("ganache")].toSorted()).toEqual(["0x0", "0x1", "0x2"])
    const all = fixtures.flatMap((fixture) => fixture.answers)
    expect(all.filter((answer) => answer.of === "pending").length).toBeGreaterThanOrEqual(5)
    const kinds = new Set(all.map((answer) => answer.resource))
    for (const kind of ["Trace.FlatTrace", "Trace.TransactionTrace", "Trace.CallFrame", "Receipt.Receipt"]) {
      expect(kinds).toContain(kind)
    }
  })
})
