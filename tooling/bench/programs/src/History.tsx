/** `examples/src/History.tsx` with moralis. */
import { useInfiniteQuery } from "@tanstack/react-query"
import Moralis from "moralis"
import { formatEther } from "viem"

export interface HistoryProps {
  readonly address: string
}

// Requests cannot be cancelled, and transient failures are retried here.
const pageOf = async (address: string, cursor: string | undefined) => {
  const page = await Moralis.EvmApi.wallets.getWalletHistory({
    address,
    chain: "0x1",
    limit: 5,
    cursor,
  })
  return { rows: page.result, cursor: page.pagination.cursor }
}

export const History = ({ address }: HistoryProps) => {
  const history = useInfiniteQuery({
    queryKey: ["history", address],
    queryFn: ({ pageParam }) => pageOf(address, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    retry: 3,
  })
  if (history.isPending) return <p>Loading</p>
  if (history.isError) return <p role="alert">{history.error.message}</p>
  return (
    <>
      <ol>
        {history.data.pages.flatMap(({ rows }) =>
          rows.map(({ blockTimestamp, hash, value }) => (
            <li key={hash} data-hash={hash}>
              {new Date(blockTimestamp).toLocaleString()}: {formatEther(BigInt(value))} ETH
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
