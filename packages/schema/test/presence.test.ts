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

/** True if an object inside the value does not have the key, or has it empty. */
const isAbsent = (value: unknown, key: string, isNull: boolean): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some((item) => isAbsent(item, key, isNull))
  const own = isNull ? [null, ""].includes((value as Record<string, null>)[key] as null) : !Object.hasOwn(value, key)
  return own || Object.values(value).some((item) => isAbsent(item, key, isNull))
}

const row = ([name, resource]: readonly [string, Resource]): string => {
  const list = (keys: ReadonlyArray<string>) => keys.map((key) => `\`${key}\``).join(", ")
  const rows = fieldsOf(resource, true).map((field) => {
    const evidence = presence[`${sameAsBlock.has(name) ? "Block.Block" : name}.${field}`] ?? ""
    return `| \`${field}\` | ${evidence} |`
  })
  const table = rows.length === 0 ? "" : `\n| optional field | absent in |\n|---|---|\n${rows.join("\n")}\n`
  return `## ${name}\n\nRequired: ${list(fieldsOf(resource, false)) || "none"}.\n${table}`
}

const intro = `# Fields of every resource

Required fields are present in every response. For each optional field, the table has a response or a rule by which it is absent.
\`anvil: ...\` and \`ganache: ...\` are captured responses in \`test/fixtures\`; names such as \`blocks/004.json\` are recorded responses of
public chains; \`(null)\` means that the key is present and empty. A test writes this page from the schemas and \`test/presence.json\`.

`

describe("optional fields", () => {
  it("presence.json: has evidence for every optional field, and for no other", () => {
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
    "fields: a resource decodes without its optional fields, and does not decode without a required one",
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

  it("FIELDS.md: lists every field", async () => {
    const text = intro + Object.entries(resources).map(row).join("\n")
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../FIELDS.md"))
  })
})
