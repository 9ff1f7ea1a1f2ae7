/** Trains dictionaries from texts. Needs the `zstd` program. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const dictionaryBytes = 16_384

/** A dictionary trained on texts. */
export const train = (texts: ReadonlyArray<string>, id: number): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-dictionary-"))
  try {
    const samples = join(folder, "samples")
    const file = join(folder, "dictionary")
    mkdirSync(samples)
    texts.forEach((text, index) => writeFileSync(join(samples, String(index).padStart(6, "0")), text))
    const options = ["-q", `--maxdict=${dictionaryBytes}`, `--dictID=${id}`, "-o", file]
    execFileSync("zstd", ["--train", "-r", samples, ...options])
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every second item, starting with the first or the second one. */
export const half = <A>(list: ReadonlyArray<A>, rest: 0 | 1): ReadonlyArray<A> =>
  list.filter((_, index) => index % 2 === rest)

/** As many items of the longer list as of the shorter one, so that neither dominates; all of them if one is empty. */
export const mixed = <A>(shorter: ReadonlyArray<A>, longer: ReadonlyArray<A>): ReadonlyArray<A> => {
  const step = shorter.length === 0 ? 1 : Math.max(1, Math.floor(longer.length / shorter.length))
  return [...shorter, ...longer.filter((_, index) => index % step === 0)]
}
