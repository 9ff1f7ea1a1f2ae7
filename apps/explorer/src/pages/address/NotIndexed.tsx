/** Why a history is empty: nothing happened, or nothing is indexed. */
import { useStatus } from "../../service/Service.tsx"
import { formatInteger } from "../../display/Numbers.ts"

export const NotIndexed = ({ isFiltered, what }: { readonly what: string; readonly isFiltered: boolean }) => {
  const indexed = useStatus()?.indexed
  if (isFiltered) return <p>No {what} match these filters. Remove one to see more.</p>
  if (indexed === null || indexed === undefined) return <p>The service has not indexed a block of this chain yet.</p>
  return (
    <p>
      No {what} of this address in the indexed blocks, {formatInteger(indexed.from)} to {formatInteger(indexed.to)}. New
      ones appear here automatically.
    </p>
  )
}
