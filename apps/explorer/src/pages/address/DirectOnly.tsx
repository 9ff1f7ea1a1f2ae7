/** States up to which block an earlier version of the service stored less of a wallet than this one does. */
import { Notice } from "../../display/Page.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { useRest } from "../../service/Service.tsx"

/** Last block that an earlier version stored without tokens and internal transactions of the wallet; undefined for none. */
const useDirectOnlyTo = (address: string): bigint | undefined =>
  useRest(["directOnlyTo", address], async (client, chain, signal) => {
    const { incomplete } = await client.balances({ address, chain, asset: "native" }, { signal })
    return incomplete.direct_only_to ?? null
  }).data ?? undefined

export const DirectOnly = ({ address }: { readonly address: string }) => {
  const block = useDirectOnlyTo(address)
  if (block === undefined) return null
  return (
    <Notice
      title={`Tokens and internal transactions may be missing up to block ${formatInteger(block)}`}
      tone="warning"
    >
      <p>
        An earlier version of the service stored those blocks with the transactions that this address sent or received
        alone. An operator makes them again with <code>daybook reindex --all</code>.
      </p>
    </Notice>
  )
}
