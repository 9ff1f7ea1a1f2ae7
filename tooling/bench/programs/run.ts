/**
 * Counts the lines of the programs in `examples` and of the same programs with moralis or viem: `pnpm bench programs`. The programs in
 * `src` must compile, and their test must pass. Only lines with code count, not blank lines and comments.
 *
 * `--check` compares the table in `examples/README.md` with the generated one, and fails if they differ.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"

const folder = import.meta.dirname
const root = join(folder, "../../..")

/** The programs: what each does, its file, and the libraries of the other version. */
const programs = [
  ["fees of a wallet per month", "fees-per-month.ts", "moralis, viem"],
  ["every token of a wallet as CSV", "tokens-csv.ts", "moralis"],
  ["follow a wallet through reorgs and restarts", "follow.ts", "moralis, viem"],
  ["Effect: layers, typed errors, spans", "effect-report.ts", "moralis, viem"],
  ["decode logs of a history by viem", "viem-transfers.ts", "moralis, viem"],
  ["React: infinite scroll", "History.tsx", "moralis, viem"],
  ["Workers and Lambda", "worker.ts", "moralis"],
  ["tests of a program", "sent.test.ts", "moralis"],
] as const

/** Number of lines with code. */
const linesOf = (file: string): number => {
  const text = readFileSync(file, "utf8")
  let code = text
  for (const { end, start } of parseSync(file, text).comments)
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, " ") + code.slice(end)
  return code.split("\n").filter((line) => line.trim() !== "").length
}

const run = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  const { status } = spawnSync(join(root, "node_modules/.bin", command), args, { cwd, stdio: "inherit" })
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} ended with code ${status}.`)
}

const rows = programs.map(([name, file, others]) => [
  name,
  `[${file}](src/${file})`,
  String(linesOf(join(root, "examples/src", file))),
  `${linesOf(join(folder, "src", file))}, with ${others}`,
])
const table = [
  ["program", "file", "lines with Daybook", "lines of the same with others"],
  ["---", "---", "---", "---"],
  ...rows,
].map((cells) => `| ${cells.join(" | ")} |`)

console.log(table.join("\n"))
run("tsc", ["-p", folder], root)
run("vitest", ["run", "--reporter=dot"], folder)

if (process.argv.includes("--check")) {
  const missing = table.filter((line) => !readFileSync(join(root, "examples/README.md"), "utf8").includes(line))
  for (const line of missing) console.error(`examples/README.md lacks: ${line}`)
  process.exitCode = missing.length === 0 ? 0 : 1
}
