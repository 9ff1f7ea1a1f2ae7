/** What benchmarks share: how many rounds are asked for, their median, and a line that says where figures come from. */
import { cpus, release, type } from "node:os"

/** The number after `--rounds`. */
export const rounds = (usual: number): number => {
  const at = process.argv.indexOf("--rounds")
  const given = at === -1 ? usual : Number(process.argv[at + 1])
  if (Number.isSafeInteger(given) && given > 0) return given
  throw new Error(`--rounds takes a whole number above 0; ${process.argv[at + 1]} came`)
}

export const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, two) => one - two)[numbers.length >> 1] ?? 0

/** As in "`pnpm bench rpc --rounds 3` on AMD EPYC, ...". */
export const provenance = (name: string, many: number): string => {
  const machine = `${cpus()[0]?.model ?? "?"} (${cpus().length} cores), ${type()} ${release()}, Node ${process.version}`
  return `\`pnpm bench ${name} --rounds ${many}\` on ${machine}, ${new Date().toISOString().slice(0, 10)}, median of ${many} rounds\n`
}
