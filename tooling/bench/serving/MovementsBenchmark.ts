/** A page of 25 movements beside a page of 25 transactions of the same wallets, by the same service. */
import * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const transactions = "page of 25 transactions"
const movements = "page of 25 movements"

/** Measures both operations in turn; the first round warms them up. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, concurrency, indexed, millis, rounds } = setup
  const { origin, stop } = await ServiceProcess.start(indexed, "serve")
  try {
    const requests = [
      [transactions, WalletRequests.make(origin, indexed.key, addresses)],
      [movements, WalletRequests.make(origin, indexed.key, addresses, "movements")],
    ] as const
    for (let round = 0; round <= rounds; round++) {
      for (const [subject, list] of requests) {
        const load = await LoadGenerator.saturate(list, concurrency, LoadGenerator.hasElapsed(millis))
        if (round > 0) LoadGenerator.addLoad(figures, subject, load)
      }
    }
  } finally {
    await stop()
  }
}

export const table = (figures: Figures.Figures, { concurrency }: Setup): void => {
  console.log(`page of 25, ${concurrency} at a time\n\n| | requests | p50 | p99 |\n|---|---|---|---|`)
  for (const subject of [transactions, movements]) {
    console.log(`| ${subject} | ${LoadGenerator.cells(figures, subject)} |`)
  }
  const ratio = (measure: string) =>
    Figures.cell(figures.ratio(movements, measure, figures.values(transactions, measure)), 2)
  console.log(`| ratio | ${["requests/s", "p50 ms", "p99 ms"].map(ratio).join(" | ")} |\n`)
}
