/** Command line of a benchmark: `--rounds N`, `--json`, and options and words of its own. */
import { parseArgs } from "node:util"

export interface BenchOptions<Name extends string> {
  readonly rounds: number
  /** Print one line of JSON instead of tables: see `Figures.toJson`. */
  readonly json: boolean
  /** Parts of the benchmark to run; all of them when none is named. */
  readonly words: ReadonlyArray<string>
  readonly values: Readonly<Record<Name, string>>
}

/** Prints a message to standard error and exits with code 2. */
export const exitWith = (message: string): never => {
  console.error(message)
  process.exit(2)
}

/** A whole number above zero, or an exit that names the option. */
export const positiveInteger = (option: string, text: string): number => {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number > 0) return number
  return exitWith(`Invalid option "--${option}": expected a whole number above 0, received "${text}".`)
}

/** Numbers separated by commas, or an exit that names the option. */
export const numbers = (option: string, text: string): ReadonlyArray<number> => {
  const list = text.split(",").map(Number)
  if (list.every((number) => Number.isSafeInteger(number) && number >= 0)) return list
  return exitWith(`Invalid option "--${option}": expected whole numbers separated by commas, received "${text}".`)
}

/** Parses the arguments of this process. `options` holds the benchmark's own options with their defaults. */
export const parse = <Name extends string = never>(settings: {
  readonly rounds: number
  readonly words?: ReadonlyArray<string>
  readonly options?: Readonly<Record<Name, string>>
}): BenchOptions<Name> => {
  const own: Readonly<Record<string, string>> = settings.options ?? {}
  const known = settings.words ?? []
  const text = (value: string) => ({ type: "string", default: value }) as const
  const options = {
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, text(value)])),
    rounds: text(String(settings.rounds)),
    json: { type: "boolean", default: false } as const,
  }
  try {
    const { values, positionals: words } = parseArgs({ options, allowPositionals: true })
    const unknown = words.find((word) => !known.includes(word))
    if (unknown !== undefined) {
      const expected = known.length === 0 ? "options only" : `one of ${known.join(", ")}`
      return exitWith(`Invalid argument "part": expected ${expected}, received "${unknown}".`)
    }
    return {
      rounds: positiveInteger("rounds", String(values["rounds"])),
      json: values["json"] === true,
      words,
      // Every option of its own has a default, so that each has a value.
      values: values as unknown as Record<Name, string>,
    }
  } catch (error) {
    return exitWith(`Invalid arguments: ${(error as Error).message}`)
  }
}
