/** Notices that state up to which block the service stores less about a wallet than for later blocks. */
import { Notice } from "../../display/Page.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { useRest } from "../../service/Service.tsx"

/** What the sums of the wallet may lack; undefined until it is read. */
const useIncomplete = (address: string) =>
  useRest(
    ["incomplete", address],
    async (client, chain, signal) =>
      (await client.balances({ address, chain, asset: "native" }, { signal })).incomplete,
  ).data

export const LackNotices = ({ address }: { readonly address: string }) => {
  const {
    direct_only_to: directOnlyTo,
    unstated_to: unstatedTo,
    untraced_to: untracedTo,
  } = useIncomplete(address) ?? {}
  return (
    <>
      {directOnlyTo === undefined ? null : (
        <Notice
          title={`Tokens and internal transactions may be missing up to block ${formatInteger(directOnlyTo)}`}
          tone="warning"
        >
          <p>
            For those blocks, an earlier version of the service stored only the transactions that this address sent or
            received. An operator rebuilds them with <code>daybook reindex --all</code>.
          </p>
        </Notice>
      )}
      {untracedTo === undefined ? null : (
        <Notice title={`Internal transactions may be missing up to block ${formatInteger(untracedTo)}`} tone="warning">
          <p>
            Not every transaction up to that block has a trace. Balances and movements may lack what contracts sent to
            or from this address.
          </p>
        </Notice>
      )}
      {unstatedTo === undefined ? null : (
        <Notice title={`Balance changes may be missing up to block ${formatInteger(unstatedTo)}`} tone="warning">
          <p>
            This chain changes some balances without recording the change in a transaction, such as refunds and fees
            that another account pays.
          </p>
        </Notice>
      )}
    </>
  )
}
