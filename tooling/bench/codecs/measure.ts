/**
 * Measures one subject on one input, in a process of its own: `node measure.ts <file of the subject> <input> [wall|cpu]` prints one
 * line of JSON. The clock is the wall's, or the CPU time of the main thread, which other work on the machine distorts less.
 */
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import { median } from "../Figures.ts"
import { inputs } from "./Inputs.ts"
import type { InputName } from "./Inputs.ts"

export interface Codec {
  readonly decode: (json: any) => unknown
  readonly encode?: (value: any) => unknown
}
export type Subject = Partial<Record<InputName, Codec>>

/** Microseconds. */
export interface Times {
  readonly parse: number
  readonly decode: number
  readonly encode?: number
}

/** Reads a clock in microseconds. */
type Clock = () => number

const clocks: Readonly<Record<string, Clock>> = {
  wall: () => performance.now() * 1000,
  cpu: () => {
    const { system, user } = process.threadCpuUsage()
    return user + system
  },
}

/** Microseconds of one call: the median of 7 slices, after 300 ms of warm-up. */
const time = (clock: Clock, run: () => unknown): number => {
  const until = performance.now() + 300
  let count = 0
  for (; performance.now() < until; count++) run()
  const slice = Math.max(1, Math.ceil(count / 6))
  return median(
    Array.from({ length: 7 }, () => {
      const start = clock()
      for (let left = slice; left > 0; left--) run()
      return (clock() - start) / slice
    }),
  )
}

if (process.argv[1] === import.meta.filename) {
  const [file = "", input, clockName = "wall"] = process.argv.slice(2) as [string, InputName, string?]
  const name = basename(file, ".ts")
  const clock = clocks[clockName]!
  const { subject } = (await import(pathToFileURL(file).href)) as { readonly subject: Subject }
  const codec = subject[input]!
  const text = inputs[input]
  const json = JSON.parse(text)
  const value = codec.decode(json)
  const { encode } = codec
  if (encode !== undefined && name !== "ox") {
    const encoded = JSON.stringify(encode(value))
    if (encoded.length !== text.length) throw new Error(`Encoding differs from its input: ${name}, ${input}.`)
  }
  const parse = time(clock, () => JSON.parse(text))
  // Decodes a value that was just parsed, as a client does: decoding the same value again would be quicker.
  const decode = time(clock, () => codec.decode(JSON.parse(text))) - parse
  const times: Times = { parse, decode, ...(encode === undefined ? {} : { encode: time(clock, () => encode(value)) }) }
  console.log(JSON.stringify(times))
}
