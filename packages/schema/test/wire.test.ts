/**
 * Recorded responses of public nodes and providers. `fixtures.test.ts` has the same tests for captured responses.
 */
import * as Recordings from "@daybook/harness/Recordings"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { afterAll, describe, expect, it } from "vitest"
import * as DecodeWarning from "../src/DecodeWarning.ts"
import { resources } from "./resources.ts"

/** Warnings of each response; a response without any encodes to the same text. */
const canonicalForms: Readonly<Record<string, ReadonlyArray<string>>> = {
  "blocks/104.json": [
    "transactions.0.v leading_zeros",
    "transactions.1.v leading_zeros",
    "transactions.2.v leading_zeros",
    "transactions.3.v leading_zeros",
  ],
  "calltraces/072.json": [
    "value decimal_for_hex",
    "input empty_bytes",
    "gas decimal_for_hex",
    "gasUsed decimal_for_hex",
  ],
  "logs/001.json": ["address upper_case"],
  "rest/verbose-transaction-2023.json": [
    "receipt_contract_address null_for_empty",
    "receipt_root null_for_empty",
    "logs.0.topic3 null_for_empty",
    "from_address_label missing",
    "to_address_label missing",
  ],
  "rest/verbose-wallet-2022.json": [
    "page_size number_for_text",
    "page number_for_text",
    "result.0.receipt_contract_address null_for_empty",
    "result.0.receipt_root null_for_empty",
    "result.0.logs.0.topic3 null_for_empty",
    "result.0.logs.0.decoded_event missing",
    "result.0.decoded_call missing",
    "result.0.from_address_label missing",
    "result.0.to_address_label missing",
  ],
  "transactions/016.json": ["blockHash missing", "blockNumber missing", "transactionIndex missing"],
}

/** Responses that do not decode, with the invalid key: a hash of 12 bits, invented for a test in another project. */
const refused: Readonly<Record<string, string>> = { "blocks/194.json": "hash" }

interface Row {
  readonly file: string
  readonly kind: string
  readonly resource: string
  readonly inResponse: boolean
}

const rows: ReadonlyArray<Row> = Recordings.all.flatMap(({ file, kind, schema }) => {
  const match = /^(\w+\.\w+)( \(at \.response\))?$/.exec(schema)
  return match === null ? [] : [{ file, kind, resource: match[1]!, inResponse: match[2] !== undefined }]
})

const read = (row: Row): unknown => {
  const json = Recordings.json(row.file)
  return row.inResponse ? (json as { readonly response: unknown }).response : json
}

const formsOf = (schema: Schema.Codec<unknown, unknown>, wire: unknown): ReadonlyArray<string> =>
  Result.getOrThrow(DecodeWarning.find(schema, wire)).map(({ path, rule }) => `${path.join(".")} ${rule}`)

const counts = new Map<string, number>()

describe("recorded responses", () => {
  afterAll(() => {
    const list = [...counts].map(([kind, count]) => `${kind} ${count}`).join(", ")
    console.log(`recorded responses that decode and encode again: ${list}`)
  })

  it("recordings: at least 200 name a resource", () => {
    expect(rows.length).toBeGreaterThanOrEqual(200)
    expect(rows.filter((row) => resources[row.resource] === undefined)).toEqual([])
  })

  it.each(rows.filter((row) => refused[row.file] === undefined))(
    "$file: decodes as $resource and encodes without loss",
    (row) => {
      const schema = resources[row.resource]!
      const wire = read(row)
      const again = Schema.encodeUnknownSync(schema)(Schema.decodeUnknownSync(schema)(wire))

      const forms = formsOf(schema, wire)
      expect(forms).toEqual(canonicalForms[row.file] ?? [])
      if (forms.length === 0) expect(JSON.stringify(again)).toBe(JSON.stringify(wire))
      expect(formsOf(schema, again)).toEqual([])
      counts.set(row.kind, (counts.get(row.kind) ?? 0) + 1)
    },
  )

  it.each(rows.filter((row) => refused[row.file] !== undefined))("$file: does not decode", (row) => {
    const result = Schema.decodeUnknownResult(resources[row.resource]!)(read(row))
    expect(Result.isFailure(result) && result.failure.message).toContain(`at ["${refused[row.file]}"]`)
  })
})
