import { describe, expect, it } from "vitest"
import { bySource, failures, isStale, mutants, score, summary, survivors, table } from "./MutationReport.ts"
import type { Equivalent, StrykerReport } from "./MutationReport.ts"

const source = "const half = (size: number) =>\n  size > 1 ? size / 2 : 1\n"

const mutant = (status: string, replacement: string) => ({
  mutatorName: "EqualityOperator",
  replacement,
  status,
  location: { start: { line: 2, column: 3 }, end: { line: 2, column: 11 } },
})

const report = (...all: ReadonlyArray<ReturnType<typeof mutant>>): StrykerReport => ({
  files: { "Half.ts": { source, mutants: all } },
})

const argued: Equivalent = {
  file: "Half.ts",
  mutator: "EqualityOperator",
  line: "size > 1 ? size / 2 : 1",
  original: "size > 1",
  replacement: "size >= 1",
  reason: "No size is 1.",
}

describe("MutationReport", () => {
  it("mutants: reads the position, the mutated text and the outcome of a mutant, and omits ignored ones", () => {
    expect(mutants(report(mutant("Survived", "size >=\n 1"), mutant("Ignored", "")), [])).toEqual([
      {
        file: "Half.ts",
        lineNumber: 2,
        mutator: "EqualityOperator",
        line: "size > 1 ? size / 2 : 1",
        original: "size > 1",
        replacement: "size >= 1",
        outcome: "survived",
      },
    ])
  })

  it.each([
    ["Killed", "killed"],
    ["Timeout", "killed"],
    ["NoCoverage", "survived"],
    ["RuntimeError", "invalid"],
  ])("mutants: reads the status %s as %s", (status, outcome) => {
    expect(mutants(report(mutant(status, "false")), []).map((one) => one.outcome)).toEqual([outcome])
  })

  it("mutants: sets an argued equivalent aside, unless it is detected or its line has changed", () => {
    const outcomes = (status: string, one: Equivalent) =>
      mutants(report(mutant(status, "size >= 1")), [one]).map(({ outcome }) => outcome)

    expect(outcomes("Survived", argued)).toEqual(["equivalent"])
    expect(outcomes("Killed", argued)).toEqual(["killed"])
    expect(outcomes("Survived", { ...argued, line: "size > 1 ? size / 3 : 1" })).toEqual(["survived"])
  })

  it("isStale: is true if a source lacks the line of an equivalent, or the text that its mutant replaces in that line", () => {
    expect(isStale(argued, source)).toBe(false)
    expect(isStale({ ...argued, original: "size > 1 ? size / 2 : 1" }, source)).toBe(false)
    expect(isStale({ ...argued, line: "size > 1 ? size" }, source)).toBe(true)
    expect(isStale({ ...argued, original: "size > 2" }, source)).toBe(true)
    expect(isStale(argued, source.replace("> 1", "> 0"))).toBe(true)
    expect(isStale({ ...argued, line: "const half = (size: number) =>" }, source)).toBe(true)
  })

  it("failures: a target that does not run, or none of whose mutants does, fails the run with the reason", () => {
    const killed = mutants(report(mutant("Killed", "true")), [])
    const invalid = mutants(report(mutant("RuntimeError", "true")), [])
    const results = [
      { name: "one", mutants: killed },
      { name: "two", failure: "a test failed" },
      { name: "three", mutants: invalid },
      { name: "four", mutants: [] },
    ]

    expect(failures([results[0]!], [], 95)).toEqual([])
    expect(failures(results, [], 95)).toEqual([
      "two did not run: a test failed",
      "three did not run: none of its mutants ran",
      "four did not run: none of its mutants ran",
    ])
    expect(summary(results)).toBe(
      "mutation: 1 killed, 0 survived, 0 equivalent: 100.0 % detected (one 100.0 %, two did not run, three did not run, four did not run)",
    )
  })

  it("failures: too few detected mutants, and an argued equivalent whose line is gone, fail the run", () => {
    const all = mutants(
      report(mutant("Killed", "true"), mutant("Survived", "false"), mutant("Survived", "size >= 1")),
      [argued],
    )

    expect(failures([{ name: "one", mutants: all }], ["a line is gone"], 60)).toEqual([
      "a line is gone",
      "50.0 % of the mutants are detected, less than 60 %",
    ])
    expect(summary([{ name: "one", mutants: all }])).toBe(
      "mutation: 1 killed, 1 survived, 1 equivalent: 50.0 % detected (one 50.0 %)",
    )
  })

  it("table: counts the mutants of each group, and scores those that are neither equivalent nor invalid", () => {
    const all = mutants(
      report(
        mutant("Killed", "true"),
        mutant("Killed", "false"),
        mutant("Killed", "size <= 1"),
        mutant("Survived", "size < 1"),
        mutant("Survived", "size >= 1"),
        mutant("CompileError", ""),
      ),
      [argued],
    )

    expect(score(all)).toBe(75)
    expect(bySource(all)).toEqual([["Half.ts", all]])
    expect(
      table("target", [
        ["one", all],
        ["two", all.slice(0, 1)],
      ]),
    ).toEqual([
      "target  mutants  killed  equivalent  survived    score",
      "one           5       3           1         1   75.0 %",
      "two           1       1           0         0  100.0 %",
      "all           6       4           1         1   80.0 %",
    ])
    expect(survivors(all)).toEqual([
      "Half.ts:2 EqualityOperator",
      "    in size > 1 ? size / 2 : 1",
      "  - size > 1",
      "  + size < 1",
    ])
  })
})
