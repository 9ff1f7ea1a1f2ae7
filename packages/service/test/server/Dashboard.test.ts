import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const [source, deploy] = ["../../src", "../../../../deploy"].map((path) => join(import.meta.dirname, path))

const namesIn = (text: string): ReadonlyArray<string> => text.match(/\b(?:daybook|process|nodejs)_[a-z_]+\b/g) ?? []

/** The metrics that the code declares. */
const declared = new Set(
  readdirSync(source!, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => readFileSync(join(source!, path), "utf8").match(/"(?:daybook|process|nodejs)_[a-z_]+"/g) ?? [])
    .map((name) => name.slice(1, -1)),
)

/** Names of a PostgreSQL table and channel, and of a kind of subscription, look like metrics. */
const otherNames: ReadonlySet<string> = new Set(["daybook_version", "daybook_change", "daybook_movements"])

/** The series of a histogram have suffixes that its name lacks. */
const isDeclared = (name: string): boolean =>
  declared.has(name) || declared.has(name.replace(/_(?:bucket|sum|count)$/, ""))

interface Dashboard {
  readonly panels: ReadonlyArray<{ readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

describe("monitoring files", () => {
  it("each panel of the dashboard queries metrics that the service has", () => {
    const { panels } = JSON.parse(readFileSync(join(deploy!, "grafana/daybook.json"), "utf8")) as Dashboard
    const asked = panels.map(({ targets, title }) => [title, targets.flatMap(({ expr }) => namesIn(expr))] as const)

    expect(asked.filter(([, names]) => names.length === 0)).toEqual([])
    expect(
      asked.flatMap(([title, names]) => names.filter((name) => !isDeclared(name)).map((name) => [title, name])),
    ).toEqual([])
  })

  it("the tables of the README list exactly the metrics that the code declares", () => {
    const readme = readFileSync(join(source!, "../README.md"), "utf8")
    const rows = readme.split("\n").filter((line) => /^\| `(?:daybook|process|nodejs)_/.test(line))
    const listed = rows.flatMap((line) => namesIn(line.slice(0, line.indexOf("` | "))))

    expect(listed.toSorted()).toEqual([...declared].filter((name) => !otherNames.has(name)).toSorted())
  })

  it("the alerts query metrics that the service has", () => {
    const names = namesIn(readFileSync(join(deploy!, "prometheus/alerts.yml"), "utf8")).filter(
      (name) => name !== "daybook_",
    )

    expect(names.length).toBeGreaterThan(8)
    expect(names.filter((name) => !isDeclared(name))).toEqual([])
  })
})
