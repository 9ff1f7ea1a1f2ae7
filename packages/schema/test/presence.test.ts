/**
 * Required fields stay required: `presence.json` has the evidence for each optional field, a response or a rule. `FIELDS.md` is written
 * from it: `pnpm snapshots`.
 *
 * Evidence is `anvil: swap`, a captured response in `fixtures/`; `blocks/004.json`, a recorded response; `... (null)`, where the key is present and empty; or `rule: ...`.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Recordings from "@daybook/harness/Recordings"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as schema from "../src/index.ts"
import * as FieldDocs from "./fieldDocs.ts"

type Resource = Schema.Codec<unknown, unknown> & { readonly fields: Schema.Struct.Fields }
type Response = { readonly resource: string; readonly of: string; readonly json: unknown }

const hasFields = (value: unknown): value is Resource =>
  typeof value === "function" && "fields" in value && "extras" in value

const resources: Readonly<Record<string, Resource>> = Object.fromEntries(
  Object.entries(schema).flatMap(([module, names]) =>
    Object.entries(names as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
      hasFields(value) ? [[`${module}.${name}`, value]] : [],
    ),
  ),
)

// They differ from a block in their transactions only.
const sameAsBlock = new Set(["Block.HydratedBlock", "Block.PartialBlock", "Block.Uncle"])

const fieldsOf = ({ fields }: Resource, optional: boolean): ReadonlyArray<string> =>
  Object.keys(fields).filter((key) => (fields[key]!.ast.context?.isOptional ?? false) === optional)

const readJson = <A>(file: string): A => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as A
const presence = readJson<Readonly<Record<string, string>>>("presence.json")

const optional = Object.entries(resources)
  .filter(([name]) => !sameAsBlock.has(name))
  .flatMap(([name, resource]) => fieldsOf(resource, true).map((field) => `${name}.${field}`))

const responsesOf = (evidence: string): ReadonlyArray<unknown> => {
  const captured = /^(\w+): (.*?)(?: \(null\))?$/.exec(evidence)
  if (captured !== null) {
    const { answers } = readJson<{ readonly answers: ReadonlyArray<Response> }>(`fixtures/${captured[1]}.json`)
    return answers.filter((answer) => answer.of === captured[2]).map((answer) => answer.json)
  }
  return [Recordings.json(evidence.replace(" (null)", ""))]
}

/** True if an object inside the value lacks the key or has it empty. */
const isAbsent = (value: unknown, key: string, isNull: boolean): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some((item) => isAbsent(item, key, isNull))
  const own = isNull ? [null, ""].includes((value as Record<string, null>)[key] as null) : !Object.hasOwn(value, key)
  return own || Object.values(value).some((item) => isAbsent(item, key, isNull))
}

/** A text as a cell of a table. */
const cell = (text: string): string => text.replaceAll("|", String.raw`\|`)

const evidenceOf = (name: string, field: string): string => {
  const evidence = presence[`${sameAsBlock.has(name) ? "Block.Block" : name}.${field}`]
  return evidence === undefined ? "always" : evidence.startsWith("rule: ") ? evidence.slice(6) : `not in ${evidence}`
}

const row = ([name, resource]: readonly [string, Resource]): string => {
  const [module = ""] = name.split(".")
  const rows = Object.entries(resource.fields).map(([field, schema]) => {
    const [type, meaning] = [FieldDocs.typeOf(schema), FieldDocs.meaningOf(module, resource, field) ?? ""]
    return `| \`${field}\` | ${[type, FieldDocs.unitOf(type, meaning), meaning, evidenceOf(name, field)].map(cell).join(" | ")} |`
  })
  return `## ${name}\n\n| field | type | unit | meaning | present |\n|---|---|---|---|---|\n${rows.join("\n")}\n`
}

const intro = `# Fields of every resource

The type is that of the decoded value: \`bigint\` and \`number\` are decimal or hex text in JSON, \`Date\` is ISO 8601 text. \`Address\`,
\`Hash\` and \`Hex\` are lower-case text; other names in code are resources of this page. The unit is that of a number: none stands for a count, an
index or an id.

\`present\` is \`always\`, the rule by which an optional field is there, or a response without it. \`anvil: ...\` and \`ganache: ...\` are
captured responses in \`test/fixtures\`; names such as \`blocks/004.json\` are recorded responses of public chains. \`(null)\` means
that the key is present and empty. A test writes this page from the schemas, their annotations and \`test/presence.json\`.

`

describe("optional fields", () => {
  it("presence.json: has evidence for exactly the optional fields", () => {
    expect(Object.keys(presence).toSorted()).toEqual(optional.toSorted())
  })

  it.each(Object.entries(presence).filter(([, evidence]) => !evidence.startsWith("rule: ")))(
    "%s: is absent in %s",
    (field, evidence) => {
      const responses = responsesOf(evidence)
      const key = field.slice(field.lastIndexOf(".") + 1)
      expect(responses.some((response) => isAbsent(response, key, evidence.endsWith("(null)")))).toBe(true)
    },
  )

  it.prop(
    "fields: a resource decodes without its optional fields, but not without a required one",
    [Schema.Literals(Object.keys(resources)), Schema.Int],
    ([name, seed]) => {
      const resource = resources[name]!
      const [value] = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(resource), { count: 1, seed: `${seed}` }))
      const wire = Schema.encodeUnknownSync(resource)(value) as Readonly<Record<string, unknown>>
      const decodesWithout = (keys: ReadonlyArray<string>) => {
        const rest = Object.fromEntries(Object.entries(wire).filter(([key]) => !keys.includes(key)))
        return Result.isSuccess(Schema.decodeUnknownResult(resource)(rest))
      }

      expect(decodesWithout(fieldsOf(resource, true))).toBe(true)
      for (const key of fieldsOf(resource, false)) expect([key, decodesWithout([key])]).toEqual([key, false])
    },
    { timeout: 60_000 },
  )

  it("fields: each has a type and a meaning", () => {
    const lacking = Object.entries(resources).flatMap(([name, resource]) =>
      Object.entries(resource.fields)
        .filter(([field, schema]) => {
          const [module = ""] = name.split(".")
          return (FieldDocs.meaningOf(module, resource, field) ?? "").length < 5 || FieldDocs.typeOf(schema) === ""
        })
        .map(([field]) => `${name}.${field}`),
    )

    expect(lacking).toEqual([])
  })

  it("FIELDS.md: lists every field with its type, unit and meaning", async () => {
    const text = intro + Object.entries(resources).map(row).join("\n")
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../FIELDS.md"))
  })
})
