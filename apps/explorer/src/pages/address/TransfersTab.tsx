/** The latest transfers of a token, from its logs. Holders are not listed: that needs an index of all transfers. */
import { useState } from "react"
import { AddressLink, BlockLink, TransactionLink } from "../../display/Links.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { ErrorNotice, Panel, Skeleton } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { useRpc } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import * as TokenTransfers from "./TokenTransfers.ts"

type Row = TokenTransfers.PlacedTransfer

const columns: ReadonlyArray<Column<Row>> = [
  { name: "Transaction", cell: ({ hash }) => <TransactionLink hash={hash} /> },
  { name: "Block", cell: ({ block }) => <BlockLink number={block} /> },
  { name: "From", cell: ({ from }) => <AddressLink address={from} /> },
  { name: "To", cell: ({ to }) => <AddressLink address={to} /> },
  {
    name: "Amount",
    isNumeric: true,
    cell: ({ amount, token, tokenId }) => <TokenAmount asset={token} amount={amount} tokenId={tokenId} />,
  },
]

interface RangeProps {
  readonly address: string
  /** The page of newer transfers; `null` for the first one, which follows the head until older ones are opened. */
  readonly newer: TokenTransfers.TransferPage | null
}

const Range = ({ address, newer }: RangeProps) => {
  // The older page below starts where this one ended, so this one is frozen.
  const [continued, setContinued] = useState<TokenTransfers.TransferPage | null>(null)
  const last = newer === null ? null : newer.from - 1n
  const { data, error, refetch } = useRpc(
    ["token transfers", address, String(last)],
    async (client) => TokenTransfers.read(client, address, last ?? (await client.eth_blockNumber()), newer?.range),
    { enabled: continued === null, isLive: newer === null },
  )
  const page = continued ?? data
  if (page === undefined) {
    return error === null ? <Skeleton label="transfers" rows={8} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  const { from, hidden, rows } = page
  return (
    <>
      {newer !== null || continued === null ? null : (
        <p className="muted">New transfers are not added while older ones are open.</p>
      )}
      {rows.length === 0 ? (
        <p className="empty">No transfers down to block {formatInteger(from)}.</p>
      ) : (
        <Table
          label={last === null ? "Transfers" : `Transfers down from block ${last}`}
          columns={columns}
          rows={rows}
          keyOf={({ hash, logIndex }, at) => `${hash} ${logIndex} ${at}`}
        />
      )}
      {hidden === 0 ? null : (
        <p className="muted">
          Block <BlockLink number={from} /> has {formatInteger(hidden)} more, listed on the pages of its transactions.
        </p>
      )}
      {from === 0n ? (
        hidden === 0 ? (
          <p className="end">These are all transfers of this token.</p>
        ) : null
      ) : continued === null ? (
        <button type="button" className="button" onClick={() => setContinued(page)}>
          Transfers before block {formatInteger(from)}
        </button>
      ) : (
        <Range address={address} newer={continued} />
      )}
    </>
  )
}

export const TransfersTab = ({ address }: { readonly address: string }) => (
  <>
    <p className="muted">
      Read from the logs of the contract on the node. Holders are not listed: that needs an index of all transfers.
    </p>
    <Panel title="Transfers">
      <Range address={address} newer={null} />
    </Panel>
  </>
)
