/**
 * Decoders and encoders side by side: `pnpm bench codecs --rounds 3`. Each measurement has its own process, and subjects take turns within
 * a round. Ratios are to JSON.parse of the same text in the same process, by CPU time.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as Agreement from "../Agreement.ts"
import * as BenchOptions from "../BenchOptions.ts"
import { inTurns } from "../Checkout.ts"
import * as Figures from "../Figures.ts"
import * as Report from "../Report.ts"
import type { Measured } from "./measure.ts"
import { subjectsOf } from "./Subjects.ts"
import type { BenchmarkSubject } from "./Subjects.ts"

const here = import.meta.dirname

const options = BenchOptions.parse({ rounds: 3 })
const { checkouts, isSmallest, rounds } = options
const agree = Agreement.make()
const figures = Figures.make()

const measure = ({ file, inputs, title }: BenchmarkSubject): void => {
  for (const input of inputs) {
    const args = [join(here, "measure.ts"), file, input, isSmallest ? "5" : "300"]
    const { decode, encode, items, parse }: Measured = JSON.parse(
      execFileSync(process.execPath, args, { encoding: "utf8" }),
    )
    agree(`the items of ${input}`, title, items)
    figures.add(title, `${input} decode over JSON.parse`, decode / parse)
    if (encode !== undefined) figures.add(title, `${input} encode over JSON.parse`, encode / parse)
    figures.add(title, `${input} JSON.parse us`, parse)
  }
}

const measured = subjectsOf(checkouts).filter(({ isPeer }) => !(isSmallest && isPeer === true))
for (let round = 0; round < rounds; round++) for (const subject of inTurns(measured, round)) measure(subject)
Report.finish("codecs", options, figures)
