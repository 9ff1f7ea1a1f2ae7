/**
 * Compares this checkout with another one in one run: `pnpm bench rpc --against ../daybook-main --rounds 5`. Without a name: codecs,
 * rpc, index and page.
 *
 * Every round measures each subject once in both checkouts, which take turns at being first. The table shows the median of the
 * rounds' ratios, this checkout to the other one, and their quartiles. A ratio whose quartiles include 1, or that is
 * within 0.05 of it, is noise.
 */
import { parseArgs } from "node:util"
import { exitWith, positiveInteger } from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as Checkout from "./Checkout.ts"
import { comparisons } from "./Comparison.ts"
import type { Prepare } from "./Comparison.ts"

const compare = async (
  prepare: Prepare,
  checkouts: readonly [Checkout.Checkout, Checkout.Checkout],
  rounds: number,
): Promise<readonly [Figures.Figures, Figures.Figures]> => {
  const figures = [Figures.make(), Figures.make()] as const
  const comparison = await prepare(checkouts)
  try {
    for (let round = 0; round < rounds; round++) {
      for (const subject of comparison.subjects) {
        for (const turn of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          const values = await comparison.measure(checkouts[turn], subject)
          for (const [measure, value] of Object.entries(values)) figures[turn].add(subject, measure, value)
        }
      }
    }
  } finally {
    await comparison.stop()
  }
  return figures
}

const show = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

/** One row for each subject and measure. */
const rows = (name: string, local: Figures.Figures, other: Figures.Figures): ReadonlyArray<string> =>
  local.all().map(({ measure, subject, values }) => {
    const others = other.values(subject, measure)
    const ratios = values.map((value, round) => value / others[round]!)
    const quartiles = [0.25, 0.75].map((part) => Figures.quantile(ratios, part).toFixed(3)).join(" to ")
    const better = measure.endsWith("/s") ? "higher" : "lower"
    const medians = `${show(Figures.median(values))} | ${show(Figures.median(others))}`
    return `| ${name}: ${subject}, ${measure} | ${medians} | ${Figures.median(ratios).toFixed(3)} | ${quartiles} | ${better} |`
  })

const known = Object.keys(comparisons).join(", ")
const { positionals, values } = parseArgs({
  options: {
    against: { type: "string" },
    rounds: { type: "string", default: "5" },
    json: { type: "boolean", default: false },
  },
  allowPositionals: true,
})
const unknown = positionals.find((name) => !Object.hasOwn(comparisons, name))
if (unknown !== undefined) exitWith(`Invalid argument "benchmark": expected one of ${known}, received "${unknown}".`)
const rounds = positiveInteger("rounds", values.rounds)
const local = Checkout.fromFolder(ServiceProcess.checkout)
const other = Checkout.fromFolder(values.against ?? "")

const results: Array<object> = []
if (!values.json) {
  console.log(Figures.provenance("", rounds))
  console.log(`this: ${local.commit}, other: ${other.commit}\n`)
  console.log("| | this | other | ratio, median | quartiles | better |\n|---|---|---|---|---|---|")
}
for (const [name, prepare] of Object.entries(comparisons)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const [figures, others] = await compare(prepare, [local, other], rounds)
  if (!values.json) for (const row of rows(name, figures, others)) console.log(row)
  results.push({ benchmark: name, this: figures.all(), other: others.all() })
}
if (values.json) console.log(JSON.stringify({ this: local.commit, other: other.commit, rounds, results }))
