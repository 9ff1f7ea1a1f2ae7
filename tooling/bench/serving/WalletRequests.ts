/** Requests for the first page of wallets that have more than one page of 25 transactions in the recorded chain. */
import { Effect } from "effect"
import * as Replay from "../../../tooling/harness/src/Replay.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import type { LoadRequest } from "./LoadGenerator.ts"

const wallets = 20

/** Number of rows in a page. */
export const pageSize = 25

/** The lowest addresses among those wallets, in the chain with a number of blocks. */
export const addresses = async (blocks: number): Promise<ReadonlyArray<string>> => {
  const recording = await Effect.runPromise(Replay.load(await RecordedChain.file(blocks)))
  const counts = new Map<string, number>()
  for (const { hydrated } of recording.blocks) {
    const { transactions } = JSON.parse(hydrated) as {
      readonly transactions: ReadonlyArray<{ readonly from: string; readonly to: string | null }>
    }
    for (const { from, to } of transactions) {
      for (const address of new Set([from, to])) {
        if (address !== null) counts.set(address, (counts.get(address) ?? 0) + 1)
      }
    }
  }
  return [...counts]
    .filter(([, count]) => count > pageSize)
    .map(([address]) => address)
    .toSorted()
    .slice(0, wallets)
}

/** One request for each address. */
export const make = (
  origin: string,
  key: string,
  of: ReadonlyArray<string>,
  operation: "verbose" | "movements" = "verbose",
): ReadonlyArray<LoadRequest> =>
  of.map((address) => ({
    url: new URL(`/api/v2.2/${address}/${operation}?chain=0x7a69&limit=${pageSize}`, origin),
    headers: { "x-api-key": key, accept: "application/json" },
  }))
