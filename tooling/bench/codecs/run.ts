/**
 * Decoders and encoders side by side: `pnpm bench codecs --rounds 3`. Each measurement has a process of its own, subjects take
 * turns within a round. Ratios are to JSON.parse of the same text in the same process, by CPU time.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as Agreement from "../Agreement.ts"
import * as BenchOptions from "../BenchOptions.ts"
import { inTurns } from "../Checkout.ts"
import * as Figures from "../Figures.ts"
import { versions } from "../PeerInstall.ts"
import * as Report from "../Report.ts"
import type { InputName } from "./Inputs.ts"
import type { Measured } from "./measure.ts"

interface Subject {
  readonly title: string
  readonly file: string
  readonly inputs: ReadonlyArray<InputName>
  readonly isPeer?: boolean
}

const all = ["page", "block", "hashes"] as const
const blocks = ["block", "hashes"] as const
const here = import.meta.dirname
const file = (name: string) => join(here, `subjects/${name}.ts`)

const options = BenchOptions.parse({ rounds: 3 })
const { checkouts, isSmallest, rounds } = options

const subjects: ReadonlyArray<Subject> = [
  ...checkouts.map(({ root, suffix }) => ({
    title: `**@daybook/schema**${suffix}`,
    file: join(root, "tooling/bench/codecs/subjects/daybook.ts"),
    inputs: all,
  })),
  { title: "written by hand; encoding unchecked", file: file("hand"), inputs: all },
  { title: `zod ${versions["zod"]}`, file: file("zod"), inputs: all, isPeer: true },
  { title: `viem ${versions["viem"]}; unchecked`, file: file("viem"), inputs: blocks, isPeer: true },
  { title: `ox ${versions["ox"]}; unchecked`, file: file("ox"), inputs: blocks, isPeer: true },
]

const agree = Agreement.make()
const figures = Figures.make()

const measure = ({ file, inputs, title }: Subject): void => {
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

const measured = subjects.filter(({ isPeer }) => !(isSmallest && isPeer === true))
for (let round = 0; round < rounds; round++) for (const subject of inTurns(measured, round)) measure(subject)
Report.finish("codecs", options, figures)
