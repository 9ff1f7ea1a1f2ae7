/** The sums of an address beside the state of the chain, compared again with each block. */
import * as Clients from "../../service/Clients.ts"
import { useRest, useService, useStatus } from "../../service/Service.tsx"
import { type ByAsset, read } from "./Compared.ts"

/** Comparisons by asset, of `native` alone or of all; undefined until they are made. */
export const useCompared = (address: string, asset?: "native"): ByAsset | undefined => {
  const { apiKey } = useService()
  const first = useStatus()?.indexed?.from
  return useRest(
    ["compared", address, asset, first],
    async (client, chain, signal) => {
      const query = { address, chain, asset }
      const balances = await client.balances(query, { signal })
      const lacksFirst = first === 0 && balances.incomplete.opening
      const inFirst = lacksFirst ? (await client.balances({ ...query, to_block: 0 }, { signal })).result : []
      return read(await Clients.rpc(chain, apiKey), { address, balances, first: first ?? 0, inFirst })
    },
    { enabled: first !== undefined, isLive: true },
  ).data
}
