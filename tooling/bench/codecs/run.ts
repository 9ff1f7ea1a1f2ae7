/**
 * Decoders and encoders side by side: `pnpm bench codecs --rounds 3`. Each measurement has a process of its own, subjects take
 * turns within a round. Ratios are to JSON.parse of the same text in the same process.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import type { InputName } from "./Inputs.ts"
import type { Times } from "./measure.ts"

const inputNames = ["page", "block", "hashes"] as const

interface Subject {
  readonly title: string
  readonly inputs: ReadonlyArray<InputName>
}

const subjects: Readonly<Record<string, Subject>> = {
  daybook: { title: "**@daybook/schema**", inputs: inputNames },
  hand: { title: "written by hand; encoding unchecked", inputs: inputNames },
  zod: { title: "zod", inputs: inputNames },
  viem: { title: "viem; unchecked", inputs: ["block", "hashes"] },
  ox: { title: "ox; unchecked", inputs: ["block", "hashes"] },
}

const here = import.meta.dirname

const measure = (subject: string, input: InputName): Times => {
  const args = [join(here, "measure.ts"), join(here, `subjects/${subject}.ts`), input]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Times
}

const { json, rounds } = BenchOptions.parse({ rounds: 5 })
const figures = Figures.make()
for (let round = 0; round < rounds; round++) {
  for (const [subject, { inputs }] of Object.entries(subjects)) {
    for (const input of inputs) {
      for (const [step, micros] of Object.entries(measure(subject, input))) {
        figures.add(subject, `${input} ${step} us`, micros)
      }
    }
  }
}

const ratio = (subject: string, input: InputName, step: "decode" | "encode"): string => {
  const value = figures.ratio(subject, `${input} ${step} us`, figures.values(subject, `${input} parse us`))
  // Decoding is a difference of two times: below a tenth it is noise.
  return value !== undefined && value < 0.1 ? "< 0.1" : Figures.cell(value, 2)
}

const table = (): void => {
  const parse = inputNames.map(
    (input) => `${input} ${Figures.cell(figures.median("daybook", `${input} parse us`), 0)} us`,
  )
  console.log(Figures.provenance("codecs", rounds))
  console.log(`JSON.parse = 1: ${parse.join(", ")}\n`)
  console.log("| | page, decode | encode | 200-transaction block, decode | encode | block of hashes, decode | encode |")
  console.log("|---|---|---|---|---|---|---|")
  for (const [subject, { title }] of Object.entries(subjects)) {
    const cells = inputNames.flatMap((input) => [ratio(subject, input, "decode"), ratio(subject, input, "encode")])
    console.log(`| ${title} | ${cells.join(" | ")} |`)
  }
}

if (json) console.log(Figures.toJson("codecs", figures))
else table()
