/** A call through the relay, cached or not, compared with a handwritten relay and the replayed node itself. */
import { Agent } from "node:http"
import { join } from "node:path"
import * as Agreement from "../Agreement.ts"
import * as ChildProgram from "../ChildProgram.ts"
import type * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as Loads from "./Loads.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as Tables from "./Tables.ts"

/** The method and parameters of one call of many. */
type Call = (index: number) => readonly [method: string, params: ReadonlyArray<unknown>]

/** Calls by name. A cache keeps blocks below the finalized one, and never the newest one. */
const calls = (height: number): Readonly<Record<string, Call>> => ({
  [Tables.relayed.block]: (index) => ["eth_getBlockByNumber", [`0x${((index % height) + 1).toString(16)}`, true]],
  [Tables.relayed.newest]: () => ["eth_getBlockByNumber", ["latest", false]],
})

const distinctCalls = 50
const smallestHeight = 5

const requestsOf = (url: string, call: Call): ReadonlyArray<LoadRequest> =>
  Array.from({ length: distinctCalls }, (_, index) => {
    const [method, params] = call(index)
    const body = JSON.stringify({ jsonrpc: "2.0", id: index, method, params })
    return { url: new URL(url), headers: { "content-type": "application/json" }, body }
  })

const assertSameResults = async (what: string, subjects: ReadonlyArray<Loads.Subject>): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  const agree = Agreement.make()
  for (const { name, requests } of subjects) {
    agree(
      what,
      name,
      (JSON.parse(await LoadGenerator.send(agent, requests[0]!)) as { readonly result: unknown }).result,
    )
  }
  agent.destroy()
}

/** Measures each call over every path to the node. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { indexed, isSmallest, nodeUrl } = setup
  const stops: Array<() => Promise<void>> = []
  const withoutCache = ServiceProcess.change(indexed, "uncached", { relay: { cacheMebibytes: 0 } })
  const ways: Array<readonly [way: string, url: string, pid?: number]> = []
  try {
    for (const [way, configuration] of [
      [Tables.ways.uncached, withoutCache],
      [Tables.ways.cached, indexed],
    ] as const) {
      const { origin, pid, stop } = await ServiceProcess.start(configuration, "serve")
      stops.push(stop)
      ways.push([way, `${origin}/rpc/bench/${indexed.key}`, pid])
    }
    if (!isSmallest) {
      const { line, pid, stop } = await ChildProgram.start(join(import.meta.dirname, "relayByHand.ts"), [nodeUrl])
      stops.push(stop)
      ways.push([Tables.ways.byHand, `http://127.0.0.1:${line}/`, pid])
    }
    ways.push([Tables.ways.direct, nodeUrl])
    for (const [name, call] of Object.entries(calls(isSmallest ? smallestHeight : distinctCalls))) {
      const subjects = ways.map(([way, url, pid]) => ({
        name: `${name}: ${way}`,
        requests: requestsOf(url, call),
        pid,
      }))
      await assertSameResults(name, subjects)
      await Loads.measure(figures, setup, subjects)
    }
  } finally {
    for (const stop of stops) await stop()
  }
}
