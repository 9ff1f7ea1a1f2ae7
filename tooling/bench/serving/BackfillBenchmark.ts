/** Pages of the role `all` at a constant rate, while the recorded chain is indexed and after it. */
import { Agent } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const during = "pages while the chain is indexed"
const after = "pages after it"
const perSecond = 200
const millisAfter = 4000

/** Waits until a request succeeds: the index exists a moment after the service listens. */
const untilAnswered = async (request: LoadRequest): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  const succeeds = () =>
    LoadGenerator.send(agent, request).then(
      () => true,
      () => false,
    )
  while (!(await succeeds())) await sleep(20)
  agent.destroy()
}

const measureRound = async (figures: Figures.Figures, folder: string, setup: Setup): Promise<void> => {
  const configuration = ServiceProcess.configure(folder, setup.nodeUrl)
  const service = await ServiceProcess.start(configuration, "all")
  try {
    const requests = WalletRequests.make(service.origin, configuration.key, setup.addresses)
    await untilAnswered(requests[0]!)
    let isReady = false
    const ready = ServiceProcess.untilReady(service.origin).then(() => (isReady = true))
    const load = await LoadGenerator.atRate(requests, perSecond, () => isReady)
    await ready
    LoadGenerator.addLoad(figures, during, load)
    figures.add(during, "pages", load.count)
    const elapsed = LoadGenerator.hasElapsed(millisAfter)
    LoadGenerator.addLoad(figures, after, await LoadGenerator.atRate(requests, perSecond, elapsed))
  } finally {
    await service.stop()
  }
}

/** Measures a fresh index in every round. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  for (let round = 0; round < setup.rounds; round++) {
    await measureRound(figures, join(setup.folder, `backfill-${round}`), setup)
  }
}

export const table = (figures: Figures.Figures): void => {
  const pages = Figures.cell(figures.median(during, "pages"), 0)
  console.log(`pages of 25 in the role \`all\` at ${perSecond} requests a second\n`)
  console.log("| | requests | p50 | p99 |\n|---|---|---|---|")
  console.log(`| while the chain is indexed (${pages} pages a round) | ${LoadGenerator.cells(figures, during)} |`)
  console.log(`| after it | ${LoadGenerator.cells(figures, after)} |`)
}
