/**
 * Decoders and encoders in Chromium, on a page whose policy forbids `eval`: `pnpm bench browser --rounds 5`. Needs a Chromium at
 * /usr/bin/chromium or at CHROMIUM, and measures nothing without one. The page is reloaded for each measurement, and subjects take turns
 * within a round. Ratios are to JSON.parse of the same text in adjacent slices, by CPU time of the page's thread. What a subject decodes
 * and encodes must equal its results in Node.js.
 */
import { createHash } from "node:crypto"
import { pathToFileURL } from "node:url"
import type { CDPSession, Page } from "playwright-core"
import * as BrowserPage from "../../nodes/BrowserPage.ts"
import * as Agreement from "../Agreement.ts"
import * as BenchOptions from "../BenchOptions.ts"
import { inTurns } from "../Checkout.ts"
import * as Figures from "../Figures.ts"
import * as Report from "../Report.ts"
import { textOf } from "./InPage.ts"
import type { InPage, Step } from "./InPage.ts"
import { inputs } from "./Inputs.ts"
import type { InputName } from "./Inputs.ts"
import type { Subject } from "./measure.ts"
import { subjectsOf } from "./Subjects.ts"
import type { BenchmarkSubject } from "./Subjects.ts"
import { browserInputs } from "./Table.ts"

const policy = "default-src 'none'; script-src 'self'"
const warmMillis = 300
const slices = 7

interface Global {
  readonly run: InPage
}

/** The program of the page: all subjects, in order. */
const programOf = (subjects: ReadonlyArray<BenchmarkSubject>): string => `
import { make } from "../bench/codecs/InPage.ts"
${subjects.map(({ file }, at) => `import { subject as subject${at} } from ${JSON.stringify(file)}`).join("\n")}
globalThis.run = make([${subjects.map((_, at) => `subject${at}`).join(", ")}])
`

/** Microseconds per call, over a slice of calls. */
const slice = async (page: Page, session: CDPSession, step: Step, count: number): Promise<number> => {
  const cpuSeconds = async () => {
    const { metrics } = await session.send("Performance.getMetrics")
    return metrics.find(({ name }) => name === "ThreadTime")!.value
  }
  const start = await cpuSeconds()
  await page.evaluate(([name, calls]) => (globalThis as unknown as Global).run.repeat(name, calls), [
    step,
    count,
  ] as const)
  return ((await cpuSeconds()) - start) * (1e6 / count)
}

/** Microseconds per call of each step: medians of alternating slices, after a warm-up. */
const time = async (page: Page, session: CDPSession, steps: ReadonlyArray<Step>): Promise<Record<Step, number>> => {
  const counts: Array<number> = []
  for (const step of steps) {
    const calls = await page.evaluate(([name, millis]) => (globalThis as unknown as Global).run.warm(name, millis), [
      step,
      warmMillis,
    ] as const)
    counts.push(Math.max(1, Math.ceil(calls / 3)))
  }
  const times: Record<Step, Array<number>> = { parse: [], parseAndDecode: [], encode: [] }
  for (let round = 0; round < slices; round++)
    for (const [at, step] of steps.entries()) times[step].push(await slice(page, session, step, counts[at]!))
  return {
    parse: Figures.median(times.parse),
    parseAndDecode: Figures.median(times.parseAndDecode),
    encode: Figures.median(times.encode),
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

const measureAll = async (
  page: Page,
  subjects: ReadonlyArray<BenchmarkSubject>,
  rounds: number,
): Promise<Figures.Figures> => {
  const agree = Agreement.make()
  const figures = Figures.make()
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  const measure = async (at: number, input: InputName) => {
    const { file, title } = subjects[at]!
    const { subject } = (await import(pathToFileURL(file).href)) as { readonly subject: Subject }
    const codec = subject[input]!
    const text = inputs[input]
    await BrowserPage.reload(page)
    const values = await page.evaluate(
      ([index, name, json]) => (globalThis as unknown as Global).run.load(index, name, json),
      [at, input, text] as const,
    )
    agree(`${input} by ${title}`, "Node", digest(textOf(codec, text)))
    agree(`${input} by ${title}`, "Chromium", digest(values))
    const steps =
      codec.encode === undefined
        ? (["parse", "parseAndDecode"] as const)
        : (["parse", "parseAndDecode", "encode"] as const)
    const { encode, parse, parseAndDecode } = await time(page, session, steps)
    figures.add(title, `${input} decode over JSON.parse`, (parseAndDecode - parse) / parse)
    if (codec.encode !== undefined) figures.add(title, `${input} encode over JSON.parse`, encode / parse)
    figures.add(title, `${input} JSON.parse us`, parse)
  }
  const turns = [...subjects.keys()]
  for (let round = 0; round < rounds; round++)
    for (const at of inTurns(turns, round))
      for (const input of browserInputs.filter((name) => subjects[at]!.inputs.includes(name))) await measure(at, input)
  return figures
}

const options = BenchOptions.parse({ rounds: 5 })
if (BrowserPage.missing !== undefined) console.log(`browser: not measured. ${BrowserPage.missing}`)
else {
  const subjects = subjectsOf(options.checkouts).filter(({ isByHand }) => isByHand !== true)
  await BrowserPage.withPage(
    await BrowserPage.bundle(programOf(subjects)),
    { headers: { "content-security-policy": policy } },
    async (page, browser) => {
      const figures = await measureAll(page, subjects, options.rounds)
      Report.finish("browser", { ...options, runtime: `Chromium ${browser.version()}` }, figures)
    },
  )
}
