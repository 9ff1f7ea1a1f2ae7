/**
 * Measures one subject on one input in its own process: `node measure.ts <file of the subject> <input> <milliseconds of warm-up>` prints
 * one line of JSON. The clock is the CPU time of the main thread, which other work on the machine distorts less than wall-clock time.
 */
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { median } from "../Figures.ts"
import { inputs } from "./Inputs.ts"
import type { InputName } from "./Inputs.ts"

export interface Codec {
  readonly decode: (json: any) => unknown
  readonly encode?: (value: any) => unknown
}
export type Subject = Partial<Record<InputName, Codec>>

/** Microseconds of each step, and the number of rows or transactions of the decoded value. */
export interface Measured {
  readonly parse: number
  readonly decode: number
  readonly encode: number | undefined
  readonly items: number
}

const cpuMicros = (): number => {
  const { system, user } = process.threadCpuUsage()
  return user + system
}

/** Microseconds per call: the median of 7 slices, after a warm-up. */
const time = (warmMillis: number, run: () => unknown): number => {
  const until = performance.now() + warmMillis
  let count = 0
  for (; performance.now() < until; count++) run()
  const slice = Math.max(1, Math.ceil(count / 6))
  return median(
    Array.from({ length: 7 }, () => {
      const start = cpuMicros()
      for (let left = slice; left > 0; left--) run()
      return (cpuMicros() - start) / slice
    }),
  )
}

const itemsOf = (value: unknown): number => {
  const { result, transactions } = value as Partial<Record<"result" | "transactions", ReadonlyArray<unknown>>>
  return (result ?? transactions ?? []).length
}

const [file = "", input, millis = "300"] = process.argv.slice(2) as [string, InputName, string?]
const warmMillis = Number(millis)
const name = basename(file, ".ts")
const { subject } = (await import(pathToFileURL(file).href)) as { readonly subject: Subject }
const codec = subject[input]!
const text = inputs[input]
const json = JSON.parse(text)
const value = codec.decode(json)
const { encode } = codec
// ox omits fields that it does not know.
if (
  encode !== undefined &&
  name !== "ox" &&
  !isDeepStrictEqual(JSON.parse(JSON.stringify(encode(value))), JSON.parse(text))
) {
  throw new Error(`Encoding differs from its input: ${name}, ${input}.`)
}
const parse = time(warmMillis, () => JSON.parse(text))
// Decodes a freshly parsed value, as a client does: decoding the same value again would be faster.
const decode = time(warmMillis, () => codec.decode(JSON.parse(text))) - parse
const measured: Measured = {
  parse,
  decode,
  encode: encode === undefined ? undefined : time(warmMillis, () => encode(value)),
  items: itemsOf(value),
}
console.log(JSON.stringify(measured))
