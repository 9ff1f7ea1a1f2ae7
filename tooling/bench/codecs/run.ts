/**
 * Decoders and encoders side by side: `pnpm bench codecs --rounds 3`. Each measurement has a process of its own, rounds take
 * turns, and what is printed is the median of the rounds. Ratios are to JSON.parse of the same text in the same process.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { median, provenance, rounds as roundsOf } from "../Rounds.ts"

const rounds = roundsOf(5)

const subjects = {
  daybook: ["page", "block", "hashes"],
  hand: ["page", "block", "hashes"],
  zod: ["page", "block", "hashes"],
  viem: ["block", "hashes"],
  ox: ["block", "hashes"],
} as const
const titles: Readonly<Record<string, string>> = {
  daybook: "**@daybook/schema**",
  hand: "written by hand; encoding unchecked",
  zod: "zod",
  viem: "viem; unchecked",
  ox: "ox; unchecked",
}

interface Times {
  readonly parse: number
  readonly decode: number
  readonly encode?: number
}

const measure = (subject: string, input: string): Times =>
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, "measure.ts"), subject, input], { encoding: "utf8" }),
  ) as Times

console.log(provenance("codecs", rounds))
const found = new Map<string, Array<Times>>()
for (let round = 1; round <= rounds; round++) {
  for (const [subject, names] of Object.entries(subjects)) {
    for (const input of names) {
      const key = `${subject} ${input}`
      found.set(key, [...(found.get(key) ?? []), measure(subject, input)])
    }
  }
}
const cell = (subject: string, input: string, direction: "decode" | "encode"): string => {
  const ratios = (found.get(`${subject} ${input}`) ?? []).flatMap((times) => {
    const one = times[direction]
    return one === undefined ? [] : [one / times.parse]
  })
  // Decoding is a difference of two times: below a tenth it is noise.
  return ratios.length === 0 ? "" : median(ratios) < 0.1 ? "< 0.1" : median(ratios).toFixed(2)
}
const parses = ["page", "block", "hashes"].map(
  (input) => `${input} ${median(found.get(`daybook ${input}`)!.map((times) => times.parse)).toFixed(0)} us`,
)
console.log(`JSON.parse = 1: ${parses.join(", ")}\n`)
console.log("| | page, decode | encode | 200-transaction block, decode | encode | block of hashes, decode | encode |")
console.log("|---|---|---|---|---|---|---|")
for (const subject of Object.keys(subjects)) {
  const cells = ["page", "block", "hashes"].flatMap((input) => [
    cell(subject, input, "decode"),
    cell(subject, input, "encode"),
  ])
  console.log(`| ${titles[subject]} | ${cells.join(" | ")} |`)
}
