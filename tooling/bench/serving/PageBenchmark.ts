/** A page of 25 rows from the service and from node:http with node:sqlite, with the same bytes. */
import { Agent } from "node:http"
import { dirname, join } from "node:path"
import * as ChildProgram from "../ChildProgram.ts"
import type * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as Loads from "./Loads.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as Tables from "./Tables.ts"
import * as WalletRequests from "./WalletRequests.ts"

const assertSameBytes = async (
  requests: ReadonlyArray<LoadRequest>,
  others: ReadonlyArray<LoadRequest>,
): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  for (const [index, request] of requests.entries()) {
    const other = others[index]!
    if ((await LoadGenerator.send(agent, request)) !== (await LoadGenerator.send(agent, other))) {
      throw new Error(`The server by hand sends other bytes than the service: ${request.url.pathname}.`)
    }
  }
  agent.destroy()
}

/** Measures the servers in turns. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, all, indexed } = setup
  const file = join(dirname(indexed.file), "data", "chain-bench.sqlite")
  const hand = await ChildProgram.start(join(import.meta.dirname, "pageByHand.ts"), [file, indexed.key])
  const stops = [hand.stop]
  try {
    const byHand = WalletRequests.make(`http://127.0.0.1:${hand.line}`, indexed.key, addresses)
    const subjects: Array<Loads.Subject> = [{ name: Tables.pageByHand, requests: byHand, pid: hand.pid }]
    for (const one of all) {
      const { origin, pid, stop } = await ServiceProcess.start(one, "serve")
      stops.push(stop)
      const requests = WalletRequests.make(origin, one.key, addresses)
      subjects.unshift({ name: `${Tables.page}${one.suffix}`, requests, pid })
      if (one === indexed) await assertSameBytes(requests, byHand)
    }
    await Loads.measure(figures, setup, subjects)
  } finally {
    for (const stop of stops) await stop()
  }
}
