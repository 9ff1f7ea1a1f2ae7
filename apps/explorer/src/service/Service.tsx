/** Access to the service for pages: the selected chain, the clients, and the status of the indexes. */
import type { ChainStatus, ServedChain } from "@daybook/rest/ExplorerClient"
import type { RestPromiseClient } from "@daybook/rest/promise"
import type { RpcClient } from "@daybook/rpc/promise"
import { type QueryClient, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { createContext, useContext } from "react"
import * as Clients from "./Clients.ts"
import * as Status from "./Status.ts"
import * as Tip from "./Tip.ts"

/** The selected chain and access to the service. */
export interface Service {
  readonly chains: ReadonlyArray<ServedChain>
  /** The selected chain. */
  readonly chain: ServedChain
  readonly apiKey: string
  readonly sendsWebhooks: boolean
}

const ServiceContext = createContext<Service | null>(null)

export const ServiceProvider = ServiceContext.Provider

/** The service. Must be called below the provider. */
export const useService = (): Service => {
  const service = useContext(ServiceContext)
  if (service === null) throw new Error("useService: expected a provider above, received none.")
  return service
}

/** Poll intervals of the status of the selected chain and of all chains, in milliseconds. */
const statusMillis = 1_250
const allMillis = 10_000

/** Status of all chains, polled. */
export const useStatuses = (): UseQueryResult<ReadonlyArray<ChainStatus>> =>
  useQuery({
    queryKey: ["status", "all"],
    queryFn: ({ signal }) => Status.load(undefined, signal),
    refetchInterval: allMillis,
  })

/** Status of the selected chain, polled. */
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

/** Time after which a query is read again, in milliseconds, depending on the last result; false for never. */
type Every<A> = (data: A | undefined) => number | false

/** Reads all data again that changes with the chain. Called once the chain has moved. */
export const refetchLive = (queries: QueryClient): Promise<void> =>
  queries.refetchQueries(
    { type: "active", predicate: ({ meta }) => meta?.["isLive"] === true },
    { cancelRefetch: false },
  )

/** Options of a query. */
interface ReadOptions<A> {
  readonly enabled?: boolean
  /** The result changes with the chain, and is read again once the chain has moved. */
  readonly isLive?: boolean
  /** Poll interval, typically until there is a result. */
  readonly everyMillis?: Every<A>
}

/** Delay before a failed query is retried, in milliseconds. */
const retryMillis = 5_000

/** Refresh intervals of live queries, in milliseconds: while moves of the chain are not observed, and while they are. */
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

/** Reads from the selected chain by JSON-RPC. The query key is prefixed with the chain. */
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

/** Reads by REST. The query key is prefixed with the chain. */
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
