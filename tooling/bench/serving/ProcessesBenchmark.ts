/** A page of 25 by `serve --processes N`. The load generator needs a core of its own: without a third one it is part of the figures. */
import * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const counts = [1, 2]

const subjectOf = (count: number): string => `page of 25, processes: ${count}`

/** Measures each number of processes in turn; the first round warms them up. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, concurrency, indexed, millis, rounds } = setup
  const services = new Map<number, ServiceProcess.ServiceProcess>()
  try {
    for (const count of counts) {
      services.set(count, await ServiceProcess.start(indexed, "serve", ["--processes", String(count)]))
    }
    for (let round = 0; round <= rounds; round++) {
      for (const [count, { origin }] of services) {
        const requests = WalletRequests.make(origin, indexed.key, addresses)
        const load = await LoadGenerator.saturate(requests, concurrency, LoadGenerator.hasElapsed(millis))
        if (round > 0) LoadGenerator.addLoad(figures, subjectOf(count), load)
      }
    }
  } finally {
    for (const service of services.values()) await service.stop()
  }
}

export const table = (figures: Figures.Figures, { concurrency }: Setup): void => {
  console.log(`page of 25, ${concurrency} at a time\n\n| processes | requests | p50 | p99 |\n|---|---|---|---|`)
  for (const count of counts) console.log(`| ${count} | ${LoadGenerator.cells(figures, subjectOf(count))} |`)
  const single = (measure: string) => figures.values(subjectOf(1), measure)
  const ratio = (measure: string) => Figures.cell(figures.ratio(subjectOf(counts.at(-1)!), measure, single(measure)), 2)
  console.log(`| ratio | ${["requests/s", "p50 ms", "p99 ms"].map(ratio).join(" | ")} |\n`)
}
