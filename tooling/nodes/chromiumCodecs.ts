/**
 * The decoder and the encoder of `@daybook/schema` beside `JSON.parse` in Chromium, on a page whose policy forbids `eval`:
 * `node tooling/nodes/chromiumCodecs.ts [rounds]`. Needs a Chromium at /usr/bin/chromium or at CHROMIUM. The clock is the wall's, so it
 * needs an idle machine; each ratio compares slices that follow each other.
 */
import * as Figures from "../bench/Figures.ts"
import { inputs } from "../bench/codecs/Inputs.ts"
import type { InputName } from "../bench/codecs/Inputs.ts"
import * as BrowserPage from "./BrowserPage.ts"

const rounds = Number(process.argv[2] ?? 9)
const policy = "default-src 'none'; script-src 'self'"

/** Microseconds of one call of each step, in one slice of calls. */
interface Slice {
  readonly parse: number
  readonly parseAndDecode: number
  readonly encode: number
}

/** The program of the page: `run` gives the slices of one text, after a warm-up. */
const program = `
import { subject } from "../bench/codecs/subjects/daybook.ts"
const time = (count, run) => {
  const began = performance.now()
  for (let left = count; left > 0; left--) run()
  return ((performance.now() - began) * 1000) / count
}
const isEvalRefused = () => { try { new Function("return 1")(); return false } catch { return true } }
const measure = (name, text, rounds) => {
  const { decode, encode } = subject[name]
  const value = decode(JSON.parse(text))
  const steps = [() => JSON.parse(text), () => decode(JSON.parse(text)), () => encode(value)]
  for (const step of steps) time(300, step)
  const count = Math.max(5, Math.ceil(100_000 / time(20, steps[0])))
  return Array.from({ length: rounds }, () => {
    const [parse, parseAndDecode, encode] = steps.map((step) => time(count, step))
    return { parse, parseAndDecode, encode }
  })
}
// In a turn of its own: the policy does not hold for what the debugger evaluates.
globalThis.run = (...args) =>
  new Promise((resolve, reject) =>
    setTimeout(() => (isEvalRefused() ? resolve(measure(...args)) : reject(new Error("The policy allows eval.")))),
  )
`

interface Program {
  readonly run: (name: string, text: string, rounds: number) => Promise<ReadonlyArray<Slice>>
}

const row = (name: InputName, slices: ReadonlyArray<Slice>): ReadonlyArray<string> => [
  name,
  Figures.spread(
    slices.map(({ parse }) => parse),
    0,
  ),
  Figures.spread(
    slices.map(({ parse, parseAndDecode }) => (parseAndDecode - parse) / parse),
    2,
  ),
  Figures.spread(
    slices.map(({ encode, parse }) => encode / parse),
    2,
  ),
]

await BrowserPage.withPage(
  await BrowserPage.bundle(program),
  { headers: { "content-security-policy": policy } },
  async (page, browser) => {
    const rows: Array<ReadonlyArray<string>> = []
    for (const name of Object.keys(inputs) as ReadonlyArray<InputName>) {
      const slices = await page.evaluate(
        ([input, text, count]) => (globalThis as unknown as Program).run(input, text, count),
        [name, inputs[name], rounds] as const,
      )
      rows.push(row(name, slices))
    }
    const head = [`Chromium ${browser.version()}`, "JSON.parse, us", "decode over JSON.parse", "encode"]
    console.log(Figures.table(head, rows).join("\n"))
  },
)
