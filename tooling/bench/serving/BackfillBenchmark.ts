/** Pages from the role `all` at a constant rate, during and after indexing of the recorded chain. */
import { Agent } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Figures } from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import { after, during } from "./Tables.ts"
import * as WalletRequests from "./WalletRequests.ts"

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

const measureRound = async (figures: Figures, folder: string, setup: Setup): Promise<void> => {
  const configuration = ServiceProcess.configure(folder, setup.nodeUrl, setup.indexed.command)
  const service = await ServiceProcess.start(configuration, "all")
  try {
    const requests = WalletRequests.make(service.origin, configuration.key, setup.addresses)
    await untilAnswered(requests[0]!)
    let isReady = false
    const ready = ServiceProcess.untilReady(service.origin).then(() => (isReady = true))
    const load = await LoadGenerator.atRate(requests, perSecond, () => isReady)
    await ready
    // A chain of a few blocks may be indexed before the first request.
    if (load.count > 0) LoadGenerator.addLoad(figures, during, load)
    const elapsed = LoadGenerator.hasElapsed(setup.isSmallest ? setup.millis : millisAfter)
    LoadGenerator.addLoad(figures, after, await LoadGenerator.atRate(requests, perSecond, elapsed))
  } finally {
    await service.stop()
  }
}

/** Measures a fresh index in every round. */
export const measure = async (figures: Figures, setup: Setup): Promise<void> => {
  for (let round = 0; round < setup.rounds; round++) {
    await measureRound(figures, join(setup.folder, `backfill-${round}`), setup)
  }
}
