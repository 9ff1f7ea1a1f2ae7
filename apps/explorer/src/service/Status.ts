/** Status of the index of each chain. */
import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import * as ApiKey from "./ApiKey.ts"
import * as Clients from "./Clients.ts"

/** Reads the status of all chains, which needs no key. */
export const load = async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<ChainStatus>> => {
  const status = await (await Clients.explorer(ApiKey.openKey)).ready({}, { signal })
  return "chains" in status ? status.chains : [status]
}
