/** A wallet's history with infinite scroll, using React and TanStack Query. */
import { isRestError, type RestPromiseClient, Wei } from "@daybook/rest/promise"
import { useInfiniteQuery } from "@tanstack/react-query"

export interface HistoryProps {
  readonly address: string
  /** Made once, for example at module scope. */
  readonly rest: RestPromiseClient
}

export const History = ({ address, rest }: HistoryProps) => {
  const history = useInfiniteQuery({
    queryKey: ["history", address],
    queryFn: ({ pageParam, signal }) => rest.walletTransactions({ address, cursor: pageParam, limit: 5 }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    retry: false, // the client already retries what can be retried
  })
  if (history.isPending) return <p>Loading</p>
  if (history.isError) return <p role="alert">{isRestError(history.error) ? history.error.message : "Failed"}</p>
  return (
    <>
      <ol>
        {history.data.pages.flatMap(({ result }) =>
          result.map(({ block_timestamp, hash, value }) => (
            <li key={hash} data-hash={hash}>
              {block_timestamp.toLocaleString()}: {Wei.formatEther(value)} ETH
            </li>
          )),
        )}
      </ol>
      <button
        disabled={!history.hasNextPage || history.isFetchingNextPage}
        onClick={() => void history.fetchNextPage()}
      >
        More
      </button>
    </>
  )
}
