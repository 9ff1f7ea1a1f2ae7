/** The transactions of a block, with the outcome of each. */
import type { HydratedBlock, Receipt } from "@daybook/rpc/promise"
import { useReceipts } from "../../blocks/useReceipts.ts"
import { AddressLink, TransactionLink } from "../../display/Links.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { Badge } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Ether } from "../../display/Values.tsx"
import { Method } from "../../names/Method.tsx"

interface Row {
  readonly transaction: HydratedBlock["transactions"][number]
  readonly receipt: Receipt | undefined
}

const Outcome = ({ receipt }: Pick<Row, "receipt">) => {
  if (receipt === undefined || receipt.status === undefined || receipt.status === null) return null
  return receipt.status === 1 ? <Badge tone="good">success</Badge> : <Badge tone="bad">failed</Badge>
}

const Recipient = ({ receipt, transaction: { to } }: Row) => {
  if (to !== null && to !== undefined) return <AddressLink address={to} />
  const created = receipt?.contractAddress
  return created === null || created === undefined ? "new contract" : <AddressLink address={created} />
}

const columns: ReadonlyArray<Column<Row>> = [
  { name: "Transaction", cell: ({ transaction }) => <TransactionLink hash={transaction.hash} /> },
  { name: "Method", cell: ({ transaction }) => <Method to={transaction.to} input={transaction.input} /> },
  { name: "Outcome", cell: ({ receipt }) => <Outcome receipt={receipt} /> },
  { name: "From", cell: ({ transaction }) => <AddressLink address={transaction.from} /> },
  { name: "To", cell: (row) => <Recipient {...row} /> },
  { name: "Value", isNumeric: true, cell: ({ transaction }) => <Ether amount={transaction.value ?? 0n} /> },
  {
    name: "Gas fee",
    isNumeric: true,
    cell: ({ receipt }) => {
      const price = receipt?.effectiveGasPrice
      if (receipt === undefined || price === undefined || price === null) return null
      return (
        <span title={`${formatInteger(receipt.gasUsed)} gas`}>
          <Ether amount={receipt.gasUsed * price} />
        </span>
      )
    },
  },
]

export const BlockTransactions = ({ block }: { readonly block: HydratedBlock }) => {
  const receipts = useReceipts(block)
  if (block.transactions.length === 0) return <p className="empty">This block has no transactions.</p>
  return (
    <Table
      label="Transactions of the block"
      columns={columns}
      rows={block.transactions.map((transaction) => ({ transaction, receipt: receipts?.get(transaction.hash) }))}
      keyOf={({ transaction }) => transaction.hash}
      marksOf={({ transaction }) => ({ "data-hash": transaction.hash })}
    />
  )
}
