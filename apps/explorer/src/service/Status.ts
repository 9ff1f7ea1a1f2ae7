/** Status of the index of each chain. */
import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import * as Clients from "./Clients.ts"

/** A service that hangs is seen before a person waits for it: the response is small, and is made of what is known. */
const timeout = "2500 millis"

/** Reads the status of one chain, or of all, which needs no key. */
export const load = async (chain: string | undefined, signal: AbortSignal): Promise<ReadonlyArray<ChainStatus>> => {
  const query = chain === undefined ? {} : { chain }
  const status = await (await Clients.status()).ready(query, { signal, timeout })
  return "chains" in status ? status.chains : [status]
}
