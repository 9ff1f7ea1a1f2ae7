/** Links to the sender's previous and next transactions by nonce. */
import type { RestPromiseClient, WalletTransaction } from "@daybook/rest/promise"
import type { Transaction } from "@daybook/rpc/promise"
import * as RowSearch from "../../history/RowSearch.ts"
import { Link } from "../../navigation/Navigation.tsx"
import * as Paths from "../../navigation/Paths.ts"
import { useRest } from "../../service/Service.tsx"

/** Maximum number of pages of the sender's history that are searched, and rows per page. */
const maxPages = 3
const pageRows = 50

/** Poll interval for the next transaction, in milliseconds. */
const followMillis = 5_000

interface Place {
  readonly sender: string
  readonly nonce: bigint
  readonly block: bigint
}

/** The hash of the sender's transaction with a nonce, searched from a block in either direction; `null` if the service has none. */
const find = async (
  client: RestPromiseClient,
  { block, nonce, sender }: Place,
  { chain, isBefore, signal }: { readonly chain: string; readonly isBefore: boolean; readonly signal: AbortSignal },
): Promise<string | null> => {
  const range = isBefore
    ? ({ to_block: block, order: "DESC" } as const)
    : ({ from_block: block, order: "ASC" } as const)
  const matches = (row: WalletTransaction) => row.from_address === sender && BigInt(row.nonce) === nonce
  const query = { address: sender, chain, limit: pageRows, ...range }
  return (await RowSearch.find(client, query, { matches, maxPages, signal }))?.hash ?? null
}

/** The next transaction may be sent later, so it is polled until found. */
const useNeighbour = (place: Place, isBefore: boolean): string | null | undefined =>
  useRest(
    ["nonce", place.sender, String(place.nonce), String(place.block), isBefore],
    (client, chain, signal) => find(client, place, { chain, isBefore, signal }),
    { enabled: place.nonce >= 0n, everyMillis: (hash) => (!isBefore && hash === null ? followMillis : false) },
  ).data

const NonceLink = ({ hash, name }: { readonly hash: string | null | undefined; readonly name: "next" | "previous" }) =>
  hash === null || hash === undefined ? null : (
    <Link to={Paths.transaction(hash)} rel={name === "next" ? "next" : "prev"} title={hash}>
      {name === "next" ? "next by nonce →" : "← previous by nonce"}
    </Link>
  )

export const NonceLinks = ({ block, transaction }: { readonly transaction: Transaction; readonly block: bigint }) => {
  const sender = transaction.from
  const nonce = BigInt(transaction.nonce ?? 0)
  const before = useNeighbour({ sender, block, nonce: nonce - 1n }, true)
  const after = useNeighbour({ sender, block, nonce: nonce + 1n }, false)
  return (
    <span className="spaced">
      <NonceLink hash={before} name="previous" /> <NonceLink hash={after} name="next" />
    </span>
  )
}
