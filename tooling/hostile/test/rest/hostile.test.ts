/**
 * Random scripts of a hostile server. Some hundreds by default; `pnpm --filter @daybook/hostile rest` runs 10,000 and
 * prints how often each fault occurred.
 */
import { describe, expect, it } from "@effect/vitest"
import { Payload } from "@daybook/harness"
import { RestScript } from "@daybook/hostile"
import { type Bug, runAll } from "./hostile.ts"

const scripts = Number(process.env["DAYBOOK_SCRIPTS"] ?? 32)
const isLarge = scripts > 1_000

const count = (texts: Iterable<string>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

const show = (title: string, counts: ReadonlyArray<readonly [string, number]>) =>
  console.log(`${title}\n${counts.map(([name, times]) => `${String(times).padStart(8)} ${name}`).join("\n")}`)

describe.concurrent("hostile", () => {
  it(
    `returns each row once and in order, and ends or names the fault, under ${scripts} scripts`,
    async () => {
      Payload.gzipBomb("")
      const results = await runAll(scripts)
      const histogram = RestScript.histogram(results.map((one) => one.histogram))
      if (isLarge) {
        const late = results.filter(({ wasLate }) => wasLate).length
        console.log(`${late} scripts were results again by themselves, because the machine was late`)
        show(`faults met by ${results.length} scripts:`, histogram.toReversed())
        show("ended with:", count(results.map(({ outcome }) => outcome)))
      }

      expect(results.flatMap(({ issues }) => issues)).toStrictEqual([])
      expect(results.filter(({ outcome }) => outcome === "ended").length).toBeGreaterThanOrEqual(scripts / 5)
      if (isLarge) expect(histogram[0]?.[1] ?? 0).toBeGreaterThan(0)
    },
    isLarge ? 1_800_000 : 180_000,
  )

  const injected: ReadonlyArray<readonly [bug: Bug, faults: RestScript.Bounds["faults"] & {}, issue: RegExp]> = [
    ["reads without safeguards", ["overlap", "duplicateRow", "none"], /a row was emitted twice/],
    ["ignores Retry-After", ["limitedSeconds", "none"], /ms after it was asked to wait/],
    [
      "treats a cut page as the last",
      ["truncatedBody", "none"],
      /ended with ended, not TransportError|ended with \d+ of \d+ rows/,
    ],
  ]
  for (const [bug, faults, issue] of injected) {
    it(
      `detects a client that ${bug}`,
      async () => {
        const results = await (isLarge ? runAll(1_000, bug) : runAll(20, bug, { faults }))
        const caught = results.filter(({ issues }) => issues.some((text) => issue.test(text)))
        if (isLarge) console.log(`${bug}: caught by ${caught.length} of ${results.length} scripts`)

        expect(caught.length).toBeGreaterThanOrEqual(1)
      },
      isLarge ? 600_000 : 180_000,
    )
  }
})
