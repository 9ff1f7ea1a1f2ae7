/** Loads of several subjects in turns: requests per second, latency, bytes, and CPU time of the server. */
import { inTurns } from "../Checkout.ts"
import type { Figures } from "../Figures.ts"
import * as ProcessUse from "../ProcessUse.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { Setup } from "./Setup.ts"

export interface Subject {
  readonly name: string
  readonly requests: ReadonlyArray<LoadGenerator.LoadRequest>
  /** The process whose CPU time is measured. */
  readonly pid?: number | undefined
}

/** Measures each subject in every round; a first round warms up the servers. */
export const measure = async (
  figures: Figures,
  { concurrency, millis, rounds }: Setup,
  subjects: ReadonlyArray<Subject>,
): Promise<void> => {
  for (let round = -1; round < rounds; round++) {
    for (const { name, pid = 0, requests } of inTurns(subjects, Math.max(0, round))) {
      const before = ProcessUse.cpuMicros(pid)
      const load = await LoadGenerator.saturate(requests, concurrency, LoadGenerator.hasElapsed(millis))
      const after = ProcessUse.cpuMicros(pid)
      if (round < 0) continue
      LoadGenerator.addLoad(figures, name, load)
      figures.add(name, "bytes", load.bytes)
      if (before !== undefined && after !== undefined) figures.add(name, "CPU us", (after - before) / load.count)
    }
  }
}
