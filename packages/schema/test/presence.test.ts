/**
 * What is required stays required: each optional field of a resource is optional because a real answer, or a rule, lacks it.
 * `presence.json` says which; `FIELDS.md` is written from it: `pnpm exec vitest run --project @daybook/schema test/presence -u`.
 *
 * Evidence is `anvil: swap`, an answer in `fixtures/`; `blocks/004.json`, an answer in `../shared/wire`, looked at where that
 * folder is; `... (null)`, where the key is there and empty; or `rule: ...`.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as schema from "../src/index.ts"

type Resource = { readonly fields: Schema.Struct.Fields }
type Answer = { readonly resource: string; readonly of: string; readonly json: unknown }

const hasFields = (value: unknown): value is Resource =>
  typeof value === "function" && "fields" in value && "extras" in value

const resources: Readonly<Record<string, Resource>> = Object.fromEntries(
  Object.entries(schema).flatMap(([module, names]) =>
    Object.entries(names as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
      hasFields(value) ? [[`${module}.${name}`, value]] : [],
    ),
  ),
)

// These differ from a block in their transactions alone.
const sameAsBlock = new Set(["Block.HydratedBlock", "Block.PartialBlock"])

const fieldsOf = ({ fields }: Resource, optional: boolean): ReadonlyArray<string> =>
  Object.keys(fields).filter((key) => (fields[key]!.ast.context?.isOptional ?? false) === optional)

const readJson = <A>(file: string): A => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as A
const presence = readJson<Readonly<Record<string, string>>>("presence.json")
const wire = join(import.meta.dirname, "../../../../shared/wire")

const optional = Object.entries(resources)
  .filter(([name]) => !sameAsBlock.has(name))
  .flatMap(([name, resource]) => fieldsOf(resource, true).map((field) => `${name}.${field}`))

const answersOf = (evidence: string): ReadonlyArray<unknown> | undefined => {
  const captured = /^(\w+): (.*?)(?: \(null\))?$/.exec(evidence)
  if (captured !== null) {
    const { answers } = readJson<{ readonly answers: ReadonlyArray<Answer> }>(`fixtures/${captured[1]}.json`)
    return answers.filter((answer) => answer.of === captured[2]).map((answer) => answer.json)
  }
  const file = join(wire, evidence.replace(" (null)", ""))
  return existsSync(file) ? [JSON.parse(readFileSync(file, "utf8"))] : undefined
}

/** True when an object somewhere inside lacks the key, or has it empty. */
const unsupportedMethods = (value: unknown, key: string, isNull: boolean): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some((item) => unsupportedMethods(item, key, isNull))
  const own = isNull ? [null, ""].includes((value as Record<string, null>)[key] as null) : !Object.hasOwn(value, key)
  return own || Object.values(value).some((item) => unsupportedMethods(item, key, isNull))
}

const row = ([name, resource]: readonly [string, Resource]): string => {
  const list = (keys: ReadonlyArray<string>) => keys.map((key) => `\`${key}\``).join(", ")
  const rows = fieldsOf(resource, true).map((field) => {
    const evidence = presence[`${sameAsBlock.has(name) ? "Block.Block" : name}.${field}`] ?? ""
    return `| \`${field}\` | ${evidence} |`
  })
  const table = rows.length === 0 ? "" : `\n| optional | lacking in |\n|---|---|\n${rows.join("\n")}\n`
  return `## ${name}\n\nRequired: ${list(fieldsOf(resource, false)) || "none"}.\n${table}`
}

const intro = `# Fields of every resource

Required fields are in every answer. For each optional one: an answer that lacks it, or the rule by which it is lacking.
\`anvil: ...\` and \`ganache: ...\` are captured answers in \`test/fixtures\`; \`blocks/...\` and the like are recorded answers of real
chains; \`(null)\` means that the key is there and empty. Written by a test from the schemas and \`test/presence.json\`.

`

describe("optional fields", () => {
  it("each have a reason, and nothing else has one", () => {
    expect(Object.keys(presence).toSorted()).toEqual(optional.toSorted())
  })

  it.each(Object.entries(presence).filter(([, evidence]) => !evidence.startsWith("rule: ")))(
    "%s is lacking in %s",
    (field, evidence) => {
      const answers = answersOf(evidence)
      if (answers === undefined) return
      const key = field.slice(field.lastIndexOf(".") + 1)
      expect(answers.some((answer) => unsupportedMethods(answer, key, evidence.endsWith("(null)")))).toBe(true)
    },
  )

  it("are listed in FIELDS.md", async () => {
    const text = intro + Object.entries(resources).map(row).join("\n")
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../FIELDS.md"))
  })
})
