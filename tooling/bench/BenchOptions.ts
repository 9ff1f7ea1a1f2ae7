/** Command line of a benchmark: the options that all benchmarks have, plus its own options and words. */
import { parseArgs } from "node:util"
import * as Checkout from "./Checkout.ts"

export interface BenchOptions<Name extends string> {
  readonly rounds: number
  /** Print one line of JSON instead of tables. */
  readonly json: boolean
  /** Run within a second or two, with subjects that need no installation, to check that it runs and that results are equal. */
  readonly isSmallest: boolean
  /** This checkout, and an older one to compare with, as unpacked and installed by `run.ts`. */
  readonly checkouts: readonly [Checkout.Installed, ...ReadonlyArray<Checkout.Installed>]
  /** The command that the results file names; undefined if none is written. */
  readonly savedAs: string | undefined
  /** Parts of the benchmark to run; all of them if none is named. */
  readonly words: ReadonlyArray<string>
  readonly values: Readonly<Record<Name, string>>
}

/** Prints a message to standard error and exits with code 2. */
export const exitWith = (message: string): never => {
  console.error(message)
  process.exit(2)
}

/** A whole number above zero; otherwise exits with a message that names the option. */
export const positiveInteger = (option: string, text: string): number => {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number > 0) return number
  return exitWith(`Invalid option "--${option}": expected a whole number above 0, received "${text}".`)
}

/** Numbers separated by commas; otherwise exits with a message that names the option. */
export const numbers = (option: string, text: string): ReadonlyArray<number> => {
  const list = text.split(",").map(Number)
  if (list.every((number) => Number.isSafeInteger(number) && number >= 0)) return list
  return exitWith(`Invalid option "--${option}": expected whole numbers separated by commas, received "${text}".`)
}

const text = (value: string) => ({ type: "string", default: value }) as const
const flag = { type: "boolean", default: false } as const

/** Parses the arguments of this process. `options` holds the benchmark's own options with their defaults. */
export const parse = <Name extends string = never>(settings: {
  readonly rounds: number
  readonly words?: ReadonlyArray<string>
  readonly options?: Readonly<Record<Name, string>>
}): BenchOptions<Name> => {
  const own: Readonly<Record<string, string>> = settings.options ?? {}
  const known = settings.words ?? []
  const options = {
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, text(value)])),
    rounds: text(String(settings.rounds)),
    installed: text(""),
    root: text(""),
    suffix: text(""),
    "root-installed": text(""),
    "saved-as": text(""),
    json: flag,
    smallest: flag,
  }
  try {
    const { values, positionals: words } = parseArgs({ options, allowPositionals: true })
    const unknown = words.find((word) => !known.includes(word))
    if (unknown !== undefined) {
      const expected = known.length === 0 ? "options only" : `one of ${known.join(", ")}`
      return exitWith(`Invalid argument "part": expected ${expected}, received "${unknown}".`)
    }
    // Every text option has a default, so each has a value.
    const texts = values as unknown as Record<string, string>
    const isSmallest = values["smallest"] === true
    return {
      rounds: isSmallest ? 1 : positiveInteger("rounds", texts["rounds"]!),
      json: values["json"] === true,
      isSmallest,
      checkouts: [
        { ...Checkout.head, folder: texts["installed"]! },
        ...(texts["root"] === ""
          ? []
          : [{ root: texts["root"]!, suffix: texts["suffix"]!, folder: texts["root-installed"]! }]),
      ],
      savedAs: texts["saved-as"] === "" ? undefined : texts["saved-as"]!,
      words,
      values: texts as Record<Name, string>,
    }
  } catch (error) {
    return exitWith(`Invalid arguments: ${(error as Error).message}`)
  }
}
