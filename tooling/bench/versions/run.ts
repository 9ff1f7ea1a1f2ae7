/**
 * The same rows stored by an older checkout and by this one, served by each: `pnpm bench versions --from ../daybook-older
 * --transactions 1000000`.
 *
 * Every round requests pages of 25 of any wallet from each service, one after the other and 16 at a time. With `--group` they are also
 * measured in a memory control group, one service at a time, with memory for a quarter of the older file and for a quarter of the
 * present one; each begins with nothing of its file in the page cache.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as GeneratedRows from "../growth/GeneratedRows.ts"
import * as LoadGenerator from "../serving/LoadGenerator.ts"
import type { LoadRequest } from "../serving/LoadGenerator.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as MemoryGroup from "./MemoryGroup.ts"

const { json, rounds, values } = BenchOptions.parse({
  rounds: 3,
  options: { from: "", transactions: "1000000", processes: "2", group: "" },
})
if (values.from === "") BenchOptions.exitWith('Missing option "--from": expected the folder of an older checkout.')
const wanted = BenchOptions.positiveInteger("transactions", values.transactions)
const pages = 2000
const warmUpPages = 500
const concurrency = 16
const concurrentMillis = 4000
/** Part of a file that fits the memory beside the process. */
const memoryShare = 1 / 4
const processBytes = 192 * 1024 * 1024

/** A store and the service of the checkout that made it. */
interface Subject {
  readonly name: string
  readonly file: string
  readonly configuration: ServiceProcess.Configuration
  readonly options: ReadonlyArray<string>
}

const script = (name: string) => join(import.meta.dirname, name)
const runScript = (name: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, ["--no-warnings", script(name), ...args])

/** Fills both stores in a folder. */
const fill = async (folder: string): Promise<readonly [older: Subject, present: Subject]> => {
  const subjectOf = (name: string, root: string): Subject => {
    mkdirSync(join(folder, name, "data"), { recursive: true })
    const configuration = ServiceProcess.configure(join(folder, name), "http://127.0.0.1:9", root)
    return { name, file: join(folder, name, "data", "chain-bench.sqlite"), configuration, options: [] }
  }
  const older = subjectOf("older", values.from)
  const present = subjectOf("present", ServiceProcess.checkout)
  await runScript("../migration/fillOlder.ts", values.from, older.file, String(wanted))
  await runScript("fillPresent.ts", join(folder, "present"), String(wanted))
  return [older, present]
}

const requestsTo = (
  { configuration }: Subject,
  origin: string,
  count: number,
  skip: number,
): ReadonlyArray<LoadRequest> =>
  Array.from({ length: count }, (_, at) => {
    const wallet = GeneratedRows.walletOf(Math.imul(at + skip + 1, 7919) % wanted)
    const order = at % 2 === 0 ? "DESC" : "ASC"
    const url = new URL(`/api/v2.2/${wallet}/verbose?chain=0x7a69&limit=25&order=${order}`, origin)
    return { url, headers: { "x-api-key": configuration.key } }
  })

/** Whether a loop has ended that is asked before each of some requests. */
const after = (count: number) => {
  let sent = 0
  return () => sent++ >= count
}

const add = (
  figures: Figures.Figures,
  name: string,
  how: string,
  { p50, p99, perSecond }: LoadGenerator.Load,
): void => {
  figures.add(name, `${how}, p50 ms`, p50)
  figures.add(name, `${how}, p99 ms`, p99)
  figures.add(name, `${how}, requests/s`, perSecond)
}

const [serial, concurrent] = ["one at a time", `${concurrency} at a time`]

/** Services that run side by side and are measured in turn. */
const measureWarm = async (figures: Figures.Figures, subjects: ReadonlyArray<Subject>): Promise<void> => {
  const services = new Map<Subject, ServiceProcess.ServiceProcess>()
  try {
    for (const subject of subjects) {
      services.set(subject, await ServiceProcess.start(subject.configuration, "serve", subject.options))
    }
    for (let round = 0; round <= rounds; round++) {
      for (const [subject, { origin }] of services) {
        const requests = requestsTo(subject, origin, pages, round * pages)
        const one = await LoadGenerator.saturate(requests, 1, after(pages))
        const elapsed = LoadGenerator.hasElapsed(concurrentMillis)
        const many = await LoadGenerator.saturate(requests, concurrency, elapsed)
        // The first round warms up.
        if (round === 0) continue
        add(figures, subject.name, serial!, one)
        add(figures, subject.name, concurrent!, many)
      }
    }
  } finally {
    for (const service of services.values()) await service.stop()
  }
}

/** One service at a time in a group with memory for the process and for so many bytes of its file. */
const measureCold = async (
  figures: Figures.Figures,
  subjects: ReadonlyArray<Subject>,
  folder: string,
  cacheBytes: number,
): Promise<void> => {
  const group = MemoryGroup.fromFolder(folder)
  const how = `${(cacheBytes / 1024 / 1024).toFixed(0)} MiB of memory for the file`
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) {
      MemoryGroup.evict(subject.file)
      group.limit(processBytes + cacheBytes)
      const service = await ServiceProcess.start(subject.configuration, "serve", subject.options, group.launcher)
      try {
        const skip = round * (pages + warmUpPages)
        const { origin } = service
        await LoadGenerator.saturate(requestsTo(subject, origin, warmUpPages, skip), concurrency, after(warmUpPages))
        const requests = requestsTo(subject, origin, pages, skip + warmUpPages)
        add(figures, subject.name, how, await LoadGenerator.saturate(requests, 1, after(pages)))
      } finally {
        await service.stop()
      }
    }
  }
}

const table = (figures: Figures.Figures, base: string): void => {
  console.log(Figures.provenance("versions", rounds))
  console.log("| | | value | ratio |\n|---|---|---|---|")
  for (const { measure, subject, values: list } of figures.all()) {
    const ratio = Figures.cell(figures.ratio(subject, measure, figures.values(base, measure)), 2)
    console.log(`| ${subject} | ${measure} | ${Figures.median(list).toFixed(3)} | ${ratio} |`)
  }
}

const main = async (folder: string): Promise<void> => {
  const [older, present] = await fill(folder)
  const figures = Figures.make()
  for (const { file, name } of [older, present]) figures.add(name, "bytes", statSync(file).size)
  const several = BenchOptions.numbers("processes", values.processes).map((count) => ({
    ...present,
    name: `present, processes: ${count}`,
    options: ["--processes", String(count)],
  }))
  await measureWarm(figures, [older, present, ...several])
  const memories = values.group === "" ? [] : [older, present].map(({ file }) => statSync(file).size * memoryShare)
  for (const bytes of memories) await measureCold(figures, [older, present], values.group, Math.floor(bytes))
  if (json) console.log(Figures.toJson("versions", figures))
  else table(figures, older.name)
}

const folder = mkdtempSync(join(tmpdir(), "daybook-versions-"))
try {
  await main(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
