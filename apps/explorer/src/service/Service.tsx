/** The service for the pages: the selected chain, the clients, and the status of the indexes. */
import type { ChainStatus, ServedChain } from "@daybook/rest/ExplorerClient"
import type { RestPromiseClient } from "@daybook/rest/promise"
import type { RpcClient } from "@daybook/rpc/promise"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { createContext, useContext } from "react"
import * as Clients from "./Clients.ts"
import * as Status from "./Status.ts"

/** What pages need of the service. */
export interface Service {
  readonly chains: ReadonlyArray<ServedChain>
  /** The selected chain. */
  readonly chain: ServedChain
  readonly apiKey: string
}

const ServiceContext = createContext<Service | null>(null)

export const ServiceProvider = ServiceContext.Provider

/** The service; only below the provider. */
export const useService = (): Service => {
  const service = useContext(ServiceContext)
  if (service === null) throw new Error("useService: expected a provider above, received none.")
  return service
}

/** How often the status is read, in milliseconds. */
const statusMillis = 2_000

/** Status of all chains, read again and again. */
export const useStatuses = (): UseQueryResult<ReadonlyArray<ChainStatus>> =>
  useQuery({ queryKey: ["status"], queryFn: Status.load, refetchInterval: statusMillis, structuralSharing: true })

/** Status of the selected chain; undefined until it is known. */
export const useStatus = (): ChainStatus | undefined => {
  const { chain } = useService()
  return useStatuses().data?.find((status) => status.chain === chain.name)
}

/** Time after which a query is read again, in milliseconds; a function decides by what was read last. */
type Every<A> = number | false | ((data: A | undefined) => number | false)

/** Options of a query. */
interface ReadOptions<A> {
  readonly enabled?: boolean
  readonly everyMillis?: Every<A>
}

/** Failed queries are tried again after this time, in milliseconds. */
const retryMillis = 5_000

const intervalOf = <A,>(
  { data, status }: { readonly data: A | undefined; readonly status: string },
  everyMillis: Every<A>,
): number | false => {
  if (status === "error") return retryMillis
  return typeof everyMillis === "function" ? everyMillis(data) : everyMillis
}

/** Reads by JSON-RPC from the selected chain. The key of the query gets the chain in front. */
export const useRpc = <A,>(
  key: ReadonlyArray<unknown>,
  read: (client: RpcClient) => Promise<A>,
  { enabled = true, everyMillis = false }: ReadOptions<A> = {},
): UseQueryResult<A> => {
  const { apiKey, chain } = useService()
  return useQuery({
    queryKey: ["rpc", chain.name, apiKey, ...key],
    queryFn: async ({ signal }) => read((await Clients.rpc(chain.name, apiKey)).with({ signal })),
    enabled,
    structuralSharing: false,
    refetchInterval: ({ state }) => intervalOf(state, everyMillis),
  })
}

/** Reads by REST. The key of the query gets the chain in front. */
export const useRest = <A,>(
  key: ReadonlyArray<unknown>,
  read: (client: RestPromiseClient, chain: string, signal: AbortSignal) => Promise<A>,
  { enabled = true, everyMillis = false }: ReadOptions<A> = {},
): UseQueryResult<A> => {
  const { apiKey, chain } = useService()
  return useQuery({
    queryKey: ["rest", chain.name, apiKey, ...key],
    queryFn: async ({ signal }) => read(await Clients.rest(apiKey), chain.name, signal),
    enabled,
    structuralSharing: false,
    refetchInterval: ({ state }) => intervalOf(state, everyMillis),
  })
}
