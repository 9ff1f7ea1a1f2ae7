import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../check/Workspace.ts"
import { isStale } from "./MutationReport.ts"
import type { Equivalent } from "./MutationReport.ts"
import { select, targets } from "./Target.ts"

const equivalents: ReadonlyArray<Equivalent> = JSON.parse(
  readFileSync(join(import.meta.dirname, "equivalents.json"), "utf8"),
)

it("targets: name sources that exist, each once", () => {
  const sources = targets.flatMap((target) => target.sources)

  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  expect(new Set(sources).size).toBe(sources.length)
})

it("select: keeps the sources whose path contains one of the texts", () => {
  expect(select(["rest/Cursor", "rest/Dates"]).map(({ name, sources }) => [name, sources])).toEqual([
    ["server/rest", ["packages/service/src/server/rest/Cursor.ts", "packages/service/src/server/rest/Dates.ts"]],
  ])
  expect(select([])).toEqual(targets)
  expect(select(["no such source"])).toEqual([])
})

it("equivalents: are mutants of sources of a target, each with a reason", () => {
  const sources = new Set(targets.flatMap((target) => target.sources))

  expect(equivalents.filter(({ file, reason }) => !sources.has(file) || reason === "")).toEqual([])
})

it("equivalents: name lines that their sources have", () => {
  expect(equivalents.filter((one) => isStale(one, readFileSync(join(root, one.file), "utf8")))).toEqual([])
})
