/** The sums of an address compared with the state of the chain. */
import type { Balances, RestPromiseClient } from "@daybook/rest/promise"
import * as Clients from "../../service/Clients.ts"
import { useChainStatus, useRest, useService } from "../../service/Service.tsx"
import { type ByAsset, read } from "./Compared.ts"

/** Sums of an address, with what is needed to compare them. */
interface Sums {
  readonly address: string
  readonly chain: string
  readonly asset?: "native" | undefined
  readonly apiKey: string
  /** First indexed block. */
  readonly first: number | undefined
  readonly balances: Pick<Balances, "block_number" | "block_hash" | "incomplete" | "result">
}

const compare = async (client: RestPromiseClient, sums: Sums, signal: AbortSignal): Promise<ByAsset> => {
  const { address, apiKey, asset, balances, chain, first } = sums
  const lacksFirst = first === 0 && balances.incomplete.opening
  const inFirst = lacksFirst ? (await client.balances({ address, chain, asset, to_block: 0 }, { signal })).result : []
  return read(await Clients.rpc(chain, apiKey), { address, balances, first: first ?? 0, inFirst })
}

/** The first indexed block; pending until reading the status has succeeded or failed. */
const useFirst = () => {
  const { data, isPending } = useChainStatus()
  return { first: data?.[0]?.indexed?.from, isFirstPending: isPending }
}

/** Compares the latest sums of all assets, or only of `native`, again after each block. Not pending if no comparison can be made. */
export const useComparison = (address: string, asset?: "native") => {
  const { apiKey } = useService()
  const { first, isFirstPending } = useFirst()
  const { data, isLoading } = useRest(
    ["compared", address, asset, first],
    async (client, chain, signal) => {
      const balances = await client.balances({ address, chain, asset }, { signal })
      return compare(client, { address, apiKey, asset, balances, chain, first }, signal)
    },
    { enabled: first !== undefined, isLive: true },
  )
  return { data, isPending: isFirstPending || isLoading }
}

/** Comparisons by asset, of all assets or only of `native`; undefined until they are made. */
export const useCompared = (address: string, asset?: "native"): ByAsset | undefined =>
  useComparison(address, asset).data

/** Compares sums that are already read. Not pending if no comparison can be made. */
export const useComparisonOf = (address: string, balances: Sums["balances"] | undefined) => {
  const { apiKey } = useService()
  const { first, isFirstPending } = useFirst()
  const { data, isLoading } = useRest(
    ["compared sums", address, balances?.block_hash, first],
    async (client, chain, signal): Promise<ByAsset> =>
      balances === undefined ? new Map() : compare(client, { address, apiKey, balances, chain, first }, signal),
    { enabled: first !== undefined && balances !== undefined },
  )
  return { data, isPending: isFirstPending || isLoading }
}
