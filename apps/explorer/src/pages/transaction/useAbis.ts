/** ABIs of a contract, and of its implementation if it is a proxy. */
import type { AbiItem, ContractAbi } from "@daybook/rest/ExplorerClient"
import { useQuery } from "@tanstack/react-query"
import * as Clients from "../../service/Clients.ts"
import { useService } from "../../service/Service.tsx"

/** The ABIs known to the service; undefined until they are read. */
export const useAbis = (address: string | null | undefined): ReadonlyArray<ReadonlyArray<AbiItem>> | undefined => {
  const { apiKey, chain } = useService()
  const { data, isError } = useQuery({
    queryKey: ["abis", chain.name, apiKey, address],
    queryFn: async ({ signal }) => {
      const client = await Clients.explorer(apiKey)
      const { result } = await client.contract({ contract: address ?? "", chain: chain.name }, { signal })
      const known = [result?.contract, result?.implementation].filter(
        (one): one is ContractAbi => one !== null && one !== undefined,
      )
      return known.map(({ abi }) => abi)
    },
    enabled: address !== null && address !== undefined,
    staleTime: 10_000,
  })
  return isError ? [] : data
}
