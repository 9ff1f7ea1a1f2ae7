import { expect, it } from "vitest"
import { help, read } from "./RunOptions.ts"

it("read: returns the defaults, numbers and the names of files", () => {
  const defaults = {
    files: [],
    count: undefined,
    seed: 1,
    patience: 1,
    jobs: 2,
    minutes: 120,
    output: undefined,
    threshold: 95,
  }

  expect(read([])).toEqual(defaults)
  expect(read(["--count", "60", "--seed=7", "--files", "a", "--files", "b", "--output", "c.json"])).toEqual({
    ...defaults,
    count: 60,
    seed: 7,
    files: ["a", "b"],
    output: "c.json",
  })
})

it("read: rejects an unknown option, or one that is not a number", () => {
  expect(() => read(["--count", "many"])).toThrow('Invalid option "--count": expected a number, received "many".')
  expect(() => read(["--jobs="])).toThrow('Invalid option "--jobs": expected a number, received "".')
  expect(() => read(["--size", "2"])).toThrow("Unknown option '--size'")
})

it("help: lists each option with its default", () => {
  expect(read(["--seed", "many", "--help"])).toBe(undefined)
  expect(help().split("\n")).toEqual([
    "mutate [options]",
    "",
    "Changes operators, conditions, branches and blocks of the sources that matter, and lists the changes that no test detects.",
    "",
    "  --files TEXT     only sources whose path contains the text; repeatable",
    "  --count N        a sample of whole declarations with about N mutants, of each target its share",
    "  --seed N         chooses the sample (1)",
    "  --patience N     multiplies the time limits of mutants and tests, for a busy machine (1)",
    "  --jobs N         test processes at a time (2)",
    "  --minutes N      time of the whole run; a target that has not ended by then fails it (120)",
    "  --output FILE    every mutant with its outcome as JSON, written after each target",
    "  --threshold N    fails below this share of detected mutants, in percent (95)",
    "  --help           prints this help",
  ])
})
