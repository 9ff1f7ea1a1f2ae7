/** What a page of the benchmark `browser` runs: `JSON.parse` of a text, and a codec, for a given number of calls. */
import type { InputName } from "./Inputs.ts"
import type { Subject } from "./measure.ts"

const steps = ["parse", "parseAndDecode", "encode"] as const

export type Step = (typeof steps)[number]

export interface InPage {
  /** Selects a codec and a text for the calls that follow. Returns the decoded value and its encoding, as text. */
  readonly load: (subject: number, input: InputName, text: string) => Promise<string>
  /** Calls a step for a number of milliseconds. Returns the number of calls. */
  readonly warm: (step: Step, millis: number) => Promise<number>
  readonly repeat: (step: Step, count: number) => Promise<void>
}

/** The decoded value and its encoding, as text. A `bigint` differs from a string and a number. */
export const textOf = ({ decode, encode }: NonNullable<Subject[InputName]>, text: string): string => {
  const value = decode(JSON.parse(text))
  const show = (_key: string, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)
  return [JSON.stringify(value, show), encode === undefined ? "" : JSON.stringify(encode(value))].join("\n")
}

const isEvalRefused = (): boolean => {
  try {
    new Function("return 1")()
    return false
  } catch {
    return true
  }
}

/** Runs in a separate turn: the policy of the page does not apply to what its debugger calls. */
const inTurn = <A>(run: () => A): Promise<A> =>
  new Promise((resolve, reject) =>
    setTimeout(() => (isEvalRefused() ? resolve(run()) : reject(new Error("The policy of the page allows eval.")))),
  )

export const make = (subjects: ReadonlyArray<Subject>): InPage => {
  const calls = new Map<Step, () => unknown>()
  return {
    load: (subject, input, text) =>
      inTurn(() => {
        const codec = subjects[subject]![input]!
        const { decode, encode } = codec
        const value = decode(JSON.parse(text))
        calls.set("parse", () => JSON.parse(text))
        calls.set("parseAndDecode", () => decode(JSON.parse(text)))
        if (encode !== undefined) calls.set("encode", () => encode(value))
        return textOf(codec, text)
      }),
    warm: (step, millis) =>
      inTurn(() => {
        const call = calls.get(step)!
        const until = performance.now() + millis
        let count = 0
        for (; performance.now() < until; count++) call()
        return count
      }),
    repeat: (step, count) =>
      inTurn(() => {
        const call = calls.get(step)!
        for (let left = count; left > 0; left--) call()
      }),
  }
}
