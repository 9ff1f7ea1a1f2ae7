/** The service for the pages: the selected chain, the clients, and the status of the indexes. */
import type { ChainStatus, ServedChain } from "@daybook/rest/ExplorerClient"
import type { RestPromiseClient } from "@daybook/rest/promise"
import type { RpcClient } from "@daybook/rpc/promise"
import { type QueryClient, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { createContext, useContext } from "react"
import * as Clients from "./Clients.ts"
import * as Status from "./Status.ts"
import * as Tip from "./Tip.ts"

/** What pages need of the service. */
export interface Service {
  readonly chains: ReadonlyArray<ServedChain>
  /** The selected chain. */
  readonly chain: ServedChain
  readonly apiKey: string
  readonly sendsWebhooks: boolean
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
const statusMillis = 1_250
const allMillis = 10_000

/** Status of all chains, read again and again. */
export const useStatuses = (): UseQueryResult<ReadonlyArray<ChainStatus>> =>
  useQuery({
    queryKey: ["status", "all"],
    queryFn: ({ signal }) => Status.load(undefined, signal),
    refetchInterval: allMillis,
  })

/** Status of the selected chain, read again and again. */
export const useChainStatus = (): UseQueryResult<ReadonlyArray<ChainStatus>> => {
  const { name } = useService().chain
  return useQuery({
    queryKey: ["status", name],
    queryFn: ({ signal }) => Status.load(name, signal),
    refetchInterval: statusMillis,
  })
}

/** Status of the selected chain; undefined until it is known. */
export const useStatus = (): ChainStatus | undefined => useChainStatus().data?.[0]

/** Time after which a query is read again, in milliseconds, by what was read last. */
type Every<A> = (data: A | undefined) => number | false

/** Reads again what changes with the chain, once it has moved. */
export const refetchLive = (queries: QueryClient): Promise<void> =>
  queries.refetchQueries(
    { type: "active", predicate: ({ meta }) => meta?.["isLive"] === true },
    { cancelRefetch: false },
  )

/** Options of a query. */
interface ReadOptions<A> {
  readonly enabled?: boolean
  /** It changes with the chain, and is read again once that has moved. */
  readonly isLive?: boolean
  /** Until something is there, it is looked for again and again. */
  readonly everyMillis?: Every<A>
}

/** Failed queries are tried again after this time, in milliseconds. */
const retryMillis = 5_000

/** Live queries are read again after this time, where moves of the chain are not seen, and where they are. */
const unseenMillis = 2_000
const seenMillis = 60_000

const intervalOf = <A,>(
  { data, status }: { readonly data: A | undefined; readonly status: string },
  { everyMillis, isLive = false }: ReadOptions<A>,
): number | false => {
  if (status === "error") return retryMillis
  const every = everyMillis?.(data) ?? false
  return every === false && isLive ? (Tip.isKnown() ? seenMillis : unseenMillis) : every
}

/** Reads by JSON-RPC from the selected chain. The key of the query gets the chain in front. */
export const useRpc = <A,>(
  key: ReadonlyArray<unknown>,
  read: (client: RpcClient) => Promise<A>,
  options: ReadOptions<A> = {},
): UseQueryResult<A> => {
  const { apiKey, chain } = useService()
  return useQuery({
    queryKey: ["rpc", chain.name, apiKey, ...key],
    queryFn: async ({ signal }) => read((await Clients.rpc(chain.name, apiKey)).with({ signal })),
    enabled: options.enabled ?? true,
    structuralSharing: false,
    meta: { isLive: options.isLive },
    refetchInterval: ({ state }) => intervalOf(state, options),
  })
}

/** Reads by REST. The key of the query gets the chain in front. */
export const useRest = <A,>(
  key: ReadonlyArray<unknown>,
  read: (client: RestPromiseClient, chain: string, signal: AbortSignal) => Promise<A>,
  options: ReadOptions<A> = {},
): UseQueryResult<A> => {
  const { apiKey, chain } = useService()
  return useQuery({
    queryKey: ["rest", chain.name, apiKey, ...key],
    queryFn: async ({ signal }) => read(await Clients.rest(apiKey), chain.name, signal),
    enabled: options.enabled ?? true,
    structuralSharing: false,
    meta: { isLive: options.isLive },
    refetchInterval: ({ state }) => intervalOf(state, options),
  })
}
