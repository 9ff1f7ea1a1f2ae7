/**
 * A page of 25 movements beside a page of 25 transactions of the same wallets, by the same service. Wallets whose first page has fewer
 * movements, as contracts that hold nothing, are measured apart: such a page searches many places.
 */
import { Agent } from "node:http"
import * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const transactions = "page of 25 transactions"
const movements = "page of 25 movements"
const searched = "page of fewer movements"

type Subject = readonly [name: string, requests: ReadonlyArray<LoadGenerator.LoadRequest>]

/** The wallets whose first page has as many movements as it can. */
const fullPages = async (origin: string, { addresses, indexed }: Setup): Promise<ReadonlySet<string>> => {
  const agent = new Agent({ keepAlive: true })
  const full = new Set<string>()
  for (const [at, request] of WalletRequests.make(origin, indexed.key, addresses, "movements").entries()) {
    const page = JSON.parse(await LoadGenerator.send(agent, request)) as { readonly result: ReadonlyArray<unknown> }
    if (page.result.length === WalletRequests.pageSize) full.add(addresses[at]!)
  }
  agent.destroy()
  return full
}

const subjects = async (origin: string, setup: Setup): Promise<ReadonlyArray<Subject>> => {
  const { addresses, indexed } = setup
  const full = await fullPages(origin, setup)
  const of = (isFull: boolean, operation: "verbose" | "movements") => {
    const wallets = addresses.filter((address) => full.has(address) === isFull)
    return WalletRequests.make(origin, indexed.key, wallets, operation)
  }
  const all: ReadonlyArray<Subject> = [
    [transactions, of(true, "verbose")],
    [movements, of(true, "movements")],
    [searched, of(false, "movements")],
  ]
  return all.filter(([, requests]) => requests.length > 0)
}

/** Measures the operations in turn; the first round warms them up. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { concurrency, indexed, millis, rounds } = setup
  const { origin, stop } = await ServiceProcess.start(indexed, "serve")
  try {
    const list = await subjects(origin, setup)
    for (let round = 0; round <= rounds; round++) {
      for (const [subject, requests] of list) {
        const load = await LoadGenerator.saturate(requests, concurrency, LoadGenerator.hasElapsed(millis))
        if (round > 0) LoadGenerator.addLoad(figures, subject, load)
      }
    }
  } finally {
    await stop()
  }
}

export const table = (figures: Figures.Figures, { concurrency }: Setup): void => {
  console.log(`page of 25, ${concurrency} at a time\n\n| | requests | p50 | p99 |\n|---|---|---|---|`)
  for (const subject of [transactions, movements, searched]) {
    console.log(`| ${subject} | ${LoadGenerator.cells(figures, subject)} |`)
  }
  const ratio = (measure: string) =>
    Figures.cell(figures.ratio(movements, measure, figures.values(transactions, measure)), 2)
  console.log(`| movements to transactions | ${["requests/s", "p50 ms", "p99 ms"].map(ratio).join(" | ")} |\n`)
}
