/**
 * The files in `generated/` are generated from the schemas. After a change of a schema:
 * `pnpm snapshots`
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as RestApi from "../src/RestApi.ts"
import { coderOf } from "../src/internal/coder.ts"
import { resources } from "./resources.ts"
import * as unrolled from "./unrolled.ts"

const folder = join(import.meta.dirname, "../generated")
const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
// The wire form of a partial block is that of a hydrated one.
const described = Object.entries(resources).filter(([name]) => name !== "Block.PartialBlock")

const jsonSchema = (resource: Schema.Codec<unknown, unknown>) =>
  Schema.toStandardJSONSchemaV1(resource)["~standard"].jsonSchema.input({ target: "draft-2020-12" })

/** Every string type inside a JSON Schema, with its path. */
const texts = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, text: object]> =>
  typeof value !== "object" || value === null
    ? []
    : "type" in value && value.type === "string"
      ? [[path, value]]
      : Object.entries(value).flatMap(([key, inner]) => texts(inner, `${path}/${key}`))

describe("OpenAPI 3.1", () => {
  it("openapi.json: is up to date", async () => {
    await expect(text(RestApi.openApi())).toMatchFileSnapshot(join(folder, "openapi.json"))
  })
})

describe("JSON Schema", () => {
  it.each(described)("JSON Schema of %s: is up to date", async (name, resource) => {
    await expect(text(jsonSchema(resource))).toMatchFileSnapshot(join(folder, "json-schema", `${name}.json`))
  })

  it("JSON Schema: has a file for every resource, and no other", () => {
    expect(readdirSync(join(folder, "json-schema")).toSorted()).toEqual(
      described.map(([name]) => `${name}.json`).toSorted(),
    )
  })

  it("JSON Schema: has a pattern, a format or an enumeration for every string except free text", () => {
    const bare = described.flatMap(([, resource]) =>
      texts(jsonSchema(resource))
        .filter(([, value]) => !("pattern" in value || "format" in value || "enum" in value))
        .map(([path]) => path.replace(/^.*\/properties\//, "").replace(/\/(anyOf|items)\/.*$/, "")),
    )
    expect([...new Set(bare)].toSorted()).toEqual([
      "addresses",
      "callType",
      "chain",
      "counterparty_label",
      "creationMethod",
      "cursor",
      "entry_point_version",
      "enum/items",
      "error",
      "from_address_label",
      "id",
      "issue",
      "l1FeeScalar",
      "label",
      "lacking",
      "made_by",
      "message",
      "method",
      "name",
      "not_compared/items",
      "not_covered/items",
      "notes/items",
      "others/items",
      "pause_reason",
      "public_key",
      "reason",
      "revertReason",
      "rewardType",
      "signature",
      "source",
      "symbol",
      "to_address_label",
      "type",
      "unchecked",
      "url",
      "value",
    ])
  })
})

describe("unrolled code of objects", () => {
  it("objects.ts: is up to date", async () => {
    await expect(unrolled.text()).toMatchFileSnapshot(join(import.meta.dirname, "../src/internal/generated/objects.ts"))
  })

  it.each(Object.entries(unrolled.unrolled))("%s: decodes and encodes with its generated code", (_, schema) => {
    expect(coderOf(schema)?.object?.isUnrolled).toBe(true)
  })
})
