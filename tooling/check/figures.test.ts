import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as FigureTables from "../bench/FigureTables.ts"
import * as Figures from "../bench/Figures.ts"
import { published } from "../bench/Published.ts"
import * as Results from "../bench/Results.ts"
import { differing, obsolete, outdated, write } from "./figures.ts"

let base = ""

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "daybook-figures-"))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", base, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" }).trim()

const put = (file: string, text: string): void => {
  mkdirSync(dirname(join(base, file)), { recursive: true })
  writeFileSync(join(base, file), text)
}

const commit = (subject: string): string => {
  git("add", "-A")
  git("commit", "-qm", subject)
  return git("rev-parse", "HEAD")
}

const results = (hash: string): Results.Results => ({
  benchmark: "rpc",
  commit: hash,
  command: "pnpm bench measure rpc",
  machine: "a machine",
  date: "2026-11-24",
  rounds: 3,
  rows: Results.rowsOf([
    { subject: "undici", measure: "hydrated single CPU us", values: [100, 110, 90] },
    { subject: "rpc", measure: "hydrated single CPU us", values: [200, 210, 190] },
  ]),
})

const emptyDocument = Object.values(published)
  .flatMap(({ tables }) => Object.keys(tables))
  .map((name) => `<!-- figures: ${name} -->\n<!-- end of figures -->\n`)
  .join("\n")

/** A repository with a document of all tables, whose first commit has been measured. */
const measured = (): string => {
  git("init", "-q")
  put("tooling/bench/harmless.json", "[]")
  put("packages/rpc/src/Client.ts", "1")
  put("README.md", emptyDocument)
  const hash = commit("Client: add it")
  Results.write(results(hash), base)
  write(base)
  return hash
}

describe("tables", () => {
  it("tables: are empty without results, which is no issue", () => {
    put("README.md", emptyDocument)

    expect(differing(base)).toEqual([])
  })

  it("tables: written from results name the commit, the command, the medians and the quartiles", () => {
    const hash = measured()
    const body = FigureTables.body(published["rpc"]!.tables["rpc"]!, Results.read("rpc", base))

    expect(differing(base)).toEqual([])
    expect(body).toContain(`\`pnpm bench measure rpc\` at ${hash.slice(0, 9)} on a machine, 2026-11-24`)
    expect(body).toContain("| rpc | 2.00 (1.95 to 2.06), 200 us, /s |")
  })

  it("tables: one that was edited by hand, one without a benchmark and one without a document are issues", () => {
    put("README.md", `${emptyDocument.replace("rpc -->\n", "rpc -->\n| 1 |\n").replace("bundle", "bundles")}`)

    expect(differing(base)).toEqual([
      'README.md: no benchmark has the table "bundles"',
      "README.md: tables differ from the results; run pnpm figures --write",
      'no document has the table "bundle"',
    ])
  })

  it.each(["", "| $& | $1 |\n", "\n\n| a |\n"])(
    "tables: writing %j twice equals writing it once, and the surrounding text is unchanged",
    (body) => {
      const document = (text: string) => `# A\n<!-- figures: a -->\n${text}<!-- end of figures -->\nafter\n`
      const bodies = new Map([["a", body]])

      expect(FigureTables.replaced(document("old\n"), bodies)).toBe(document(body))
      expect(FigureTables.replaced(document(body), bodies)).toBe(document(body))
    },
  )
})

describe("age of results", () => {
  it("outdated: accepts results whose sources no later commit has changed", () => {
    measured()
    put("packages/rest/src/Client.ts", "1")
    commit("Rest: change it")

    expect(outdated(base)).toEqual([])
  })

  it("outdated: names a later commit that changes what a table measures, until it is listed as harmless with a reason", () => {
    measured()
    put("packages/rpc/src/Client.ts", "2")
    const later = commit("Client: change it")
    const before = outdated(base)
    put("tooling/bench/harmless.json", JSON.stringify([{ subject: "Client: change it", reason: "only a comment" }]))

    expect(before).toEqual([
      `results of rpc are older than ${later.slice(0, 9)} "Client: change it": run pnpm bench measure rpc, or name the commit in tooling/bench/harmless.json`,
    ])
    expect(outdated(base)).toEqual([])
  })

  it("outdated: rejects results of a commit that is not part of the history", () => {
    measured()
    Results.write(results("0123456789abcdef0123456789abcdef01234567"), base)
    commit("Figures: measure")

    expect(outdated(base)).toEqual(["results of rpc: commit 012345678 is not part of the history of this clone"])
  })

  it("obsolete: a harmless commit needs a reason", () => {
    const commits = [{ hash: "0123456789", subject: "Client: change it" }]

    expect(obsolete("rpc", commits, [{ subject: "Client: change it", reason: " " }])).toHaveLength(1)
  })
})

describe("figures", () => {
  it("figures: a ratio is computed within a round before its median is taken", () => {
    const figures = Figures.make([
      { subject: "a", measure: "us", values: [10, 30] },
      { subject: "b", measure: "us", values: [5, 10] },
    ])

    expect(figures.ratios("a", "us", "b")).toEqual([2, 3])
    expect(Figures.spread(figures.ratios("a", "us", "b"), 2)).toBe("2.50 (2.25 to 2.75)")
  })
})
