/** The latest transfers of a token, by its logs. Who holds a token is not listed: that needs an index of all of its transfers. */
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
  /** Last block that is read; `null` for the head, which is followed. */
  readonly last: bigint | null
}

const Range = ({ address, last }: RangeProps) => {
  const [isContinued, setContinued] = useState(false)
  const { data, error, refetch } = useRpc(
    ["token transfers", address, String(last)],
    async (client) => TokenTransfers.read(client, address, last ?? (await client.eth_blockNumber())),
    { isLive: last === null },
  )
  if (data === undefined) {
    return error === null ? <Skeleton label="transfers" rows={8} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  const { from, rows } = data
  return (
    <>
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
      {from === 0n ? (
        <p className="end">These are all transfers of this token.</p>
      ) : isContinued ? (
        <Range address={address} last={from - 1n} />
      ) : (
        <button type="button" className="button" onClick={() => setContinued(true)}>
          Transfers before block {formatInteger(from)}
        </button>
      )}
    </>
  )
}

export const TransfersTab = ({ address }: { readonly address: string }) => (
  <>
    <p className="muted">
      From the logs of the contract, as the node has them. Holders are not listed: that needs an index of all transfers.
    </p>
    <Panel title="Transfers">
      <Range address={address} last={null} />
    </Panel>
  </>
)
