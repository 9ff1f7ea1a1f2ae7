/** Measures one subject on one input, in a process of its own: `node measure.ts <subject> <input>` prints one line of JSON. */
import { median } from "../Rounds.ts"
import { inputs } from "./inputs.ts"

export interface Codec {
  readonly decode: (json: any) => unknown
  readonly encode?: (value: any) => unknown
}
export type Subject = Partial<Record<"page" | "block" | "hashes", Codec>>

/** Microseconds for one run; the median of some slices. */
const time = (run: () => unknown): number => {
  const until = performance.now() + 300
  let count = 0
  for (; performance.now() < until; count++) run()
  const slice = Math.max(1, Math.ceil(count / 6))
  return median(
    Array.from({ length: 7 }, () => {
      const start = performance.now()
      for (let left = slice; left > 0; left--) run()
      return ((performance.now() - start) / slice) * 1000
    }),
  )
}

if (process.argv[1] === import.meta.filename) {
  const [name, input] = process.argv.slice(2) as [string, "page" | "block" | "hashes"]
  const { subject } = (await import(`./subjects/${name}.ts`)) as { readonly subject: Subject }
  const codec = subject[input]!
  const text = inputs[input]!
  const json = JSON.parse(text)
  const value = codec.decode(json)
  const { encode } = codec
  if (encode !== undefined && name !== "ox") {
    const again = JSON.stringify(encode(value))
    if (again.length !== text.length) throw new Error(`${name} does not write the ${input} that it read`)
  }
  const parse = time(() => JSON.parse(text))
  // Decoding what was just parsed, as a client does; a text that was looked at before is quicker.
  const decode = time(() => codec.decode(JSON.parse(text))) - parse
  console.log(JSON.stringify({ parse, decode, ...(encode === undefined ? {} : { encode: time(() => encode(value)) }) }))
}
