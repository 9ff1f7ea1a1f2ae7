/** A page of 25 by the service and by node:http with node:sqlite, the same bytes. */
import { Agent } from "node:http"
import { dirname, join } from "node:path"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const service = "page of 25, daybook serve"
const byHand = "page of 25, node:http and node:sqlite by hand"

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

/** Measures both servers in turn; the first round warms them up. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, concurrency, indexed, millis, rounds } = setup
  const file = join(dirname(indexed.file), "data", "chain-bench.sqlite")
  const serving = await ServiceProcess.start(indexed, "serve")
  const hand = await ChildProgram.start(join(import.meta.dirname, "pageByHand.ts"), [file, indexed.key])
  try {
    const origins = { [service]: serving.origin, [byHand]: `http://127.0.0.1:${hand.line}` }
    const requests = Object.entries(origins).map(
      ([subject, origin]) => [subject, WalletRequests.make(origin, indexed.key, addresses)] as const,
    )
    await assertSameBytes(requests[0]![1], requests[1]![1])
    for (let round = 0; round <= rounds; round++) {
      for (const [subject, list] of requests) {
        const load = await LoadGenerator.saturate(list, concurrency, LoadGenerator.hasElapsed(millis))
        if (round > 0) LoadGenerator.addLoad(figures, subject, load)
      }
    }
  } finally {
    await serving.stop()
    await hand.stop()
  }
}

export const table = (figures: Figures.Figures, { concurrency }: Setup): void => {
  const ratio = (measure: string) => Figures.cell(figures.ratio(service, measure, figures.values(byHand, measure)), 2)
  console.log(`page of 25, ${concurrency} at a time, the same bytes\n\n| | requests | p50 | p99 |\n|---|---|---|---|`)
  console.log(`| daybook serve | ${LoadGenerator.cells(figures, service)} |`)
  console.log(`| node:http and node:sqlite by hand | ${LoadGenerator.cells(figures, byHand)} |`)
  console.log(`| ratio | ${["requests/s", "p50 ms", "p99 ms"].map(ratio).join(" | ")} |\n`)
}
