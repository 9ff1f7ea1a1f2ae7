import { it } from "@effect/vitest"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import * as Metrics from "../../../src/server/monitoring/Metrics.ts"
import * as MetricsText from "../../../src/server/monitoring/MetricsText.ts"

const counts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })))

const counter = Metric.counter("test_requests_total", { description: "Requests." })
const histogram = Metric.histogram("test_seconds", { description: "Time.", boundaries: [1, 10, 100] })

/** The text of a process that counted some values. */
const textOf = (values: ReadonlyArray<number>): string => {
  const context = Metrics.contextOf({ registry: new Map() })
  for (const value of values) {
    Metric.withAttributes(counter, { kind: value % 2 === 0 ? "even" : "odd" }).updateUnsafe(value, context)
    histogram.updateUnsafe(value, context)
  }
  return PrometheusMetrics.formatUnsafe(context)
}

/** Samples of a text by their series. */
const samplesOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  )

/** Minimum and maximum of a histogram are not sums. */
const isSum = (series: string): boolean => !/_(min|max)$/.test(series)

describe("MetricsText", () => {
  it.prop(
    "sum: of the metrics of several processes equals those of one process that counted everything",
    [counts, counts, counts],
    ([a, b, c]) => {
      const summed = samplesOf(MetricsText.sum([textOf(a), textOf(b), textOf(c)]))
      const all = samplesOf(textOf([...a, ...b, ...c]))
      const series = (samples: Record<string, number>) =>
        Object.fromEntries(Object.entries(samples).filter(([name]) => isSum(name)))
      expect(series(summed)).toEqual(series(all))
    },
  )

  it("sum: returns a single text unchanged", () => {
    expect(MetricsText.sum(["# HELP a b\na 1\n"])).toBe("# HELP a b\na 1\n")
  })

  it("sum: writes the comments of a metric once, before its samples", () => {
    const [first, second] = [
      '# HELP a A.\n# TYPE a counter\na{x="1"} 1\n',
      '# HELP a A.\n# TYPE a counter\na{x="2"} 2\n',
    ]
    expect(MetricsText.sum([first, second])).toBe('# HELP a A.\n# TYPE a counter\na{x="1"} 1\na{x="2"} 2\n')
  })
})
