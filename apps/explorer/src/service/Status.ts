/** Status of the index of each chain. */
import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import * as Clients from "./Clients.ts"

/** Short, to detect a hanging service before the user waits for it: the response is small and served from memory. */
const timeout = "2500 millis"

/** Reads the status of one chain, or of all. Needs no key. */
export const load = async (chain: string | undefined, signal: AbortSignal): Promise<ReadonlyArray<ChainStatus>> => {
  const query = chain === undefined ? {} : { chain }
  const status = await (await Clients.status()).ready(query, { signal, timeout })
  return "chains" in status ? status.chains : [status]
}
