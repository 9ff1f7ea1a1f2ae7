/**
 * Side-by-side benchmarks with peers: `pnpm bench`, or `pnpm bench codecs --rounds 3`. Those of the service take minutes and run
 * when they are named: `pnpm bench index`, `growth`, `page`.
 *
 * The peers are installed here, outside the workspace, on the first run. Each measurement has a process of its own, rounds
 * take turns, and what is printed is the median of the rounds. Ratios are to JSON.parse of the same text in the same process.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { cpus, release, type } from "node:os"
import { join } from "node:path"

const here = import.meta.dirname
if (!existsSync(join(here, "node_modules"))) {
  console.log("installing the peers (npm ci)")
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" })
}

const words = process.argv.slice(2)
const roundsAt = words.indexOf("--rounds")
const rounds = roundsAt === -1 ? 5 : Number(words[roundsAt + 1])
const wanted = words.filter((word, at) => !word.startsWith("--") && (roundsAt === -1 || at !== roundsAt + 1))
const wants = (name: string) => wanted.length === 0 || wanted.includes(name)

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, two) => one - two)[numbers.length >> 1]!

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
  JSON.parse(execFileSync(process.execPath, [join(here, "measure.ts"), subject, input], { encoding: "utf8" })) as Times

const codecs = () => {
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
}

const long = ["index", "growth", "page"]
if (wanted.some((name) => long.includes(name))) {
  for (const name of wanted.filter((one) => long.includes(one))) {
    const args = [
      "--no-warnings",
      join(here, `${name}.ts`),
      ...(roundsAt === -1 || name === "growth" ? [] : ["--rounds", String(rounds)]),
    ]
    execFileSync(process.execPath, args, { stdio: "inherit" })
  }
  process.exit()
}

console.log(
  `\`pnpm bench${words.length === 0 ? "" : ` ${words.join(" ")}`}\` on ${cpus()[0]?.model ?? "?"}, ${type()} ${release()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, median of ${rounds} rounds\n`,
)
if (wants("codecs")) codecs()
if (wants("bundle")) {
  const { clientSizes, cold, sizes } = await import("./bundle.ts")
  const { ours, effectAlone } = await sizes()
  const { empty, millis } = await cold(rounds * 2 + 1)
  const show = (size: { readonly minified: number; readonly gzip: number }) =>
    `${size.minified.toFixed(0)} KiB minified, ${size.gzip.toFixed(0)} KiB gzip`
  console.log("\n| a browser program that asks for one block or all rows | KiB, gzip |\n|---|---|")
  for (const [name, kibibytes] of await clientSizes()) console.log(`| ${name} | ${kibibytes.toFixed(1)} |`)
  console.log(`\nbrowser program that decodes one block: ${show(ours)} (effect/Schema alone: ${show(effectAlone)})`)
  console.log(
    `cold import and first decode on Node: ${millis.toFixed(0)} ms on top of Node's own ${empty.toFixed(0)} ms`,
  )
}
