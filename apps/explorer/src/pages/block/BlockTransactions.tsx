/** The transactions of a block, with the outcome of each. */
import type { ServedChain } from "@daybook/rest/ExplorerClient"
import type { HydratedBlock, Receipt } from "@daybook/rpc/promise"
import { AddressLink, TransactionLink } from "../../display/Links.tsx"
import { Badge } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Amount, Count } from "../../display/Values.tsx"
import { Method } from "../../names/Method.tsx"
import { useRpc, useService } from "../../service/Service.tsx"

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

const columnsOf = ({ currency }: ServedChain): ReadonlyArray<Column<Row>> => {
  const money = { decimals: currency.decimals, symbol: currency.symbol }
  return [
    { name: "Transaction", cell: ({ transaction }) => <TransactionLink hash={transaction.hash} /> },
    { name: "Method", cell: ({ transaction }) => <Method to={transaction.to} input={transaction.input} /> },
    { name: "Outcome", cell: ({ receipt }) => <Outcome receipt={receipt} /> },
    { name: "From", cell: ({ transaction }) => <AddressLink address={transaction.from} /> },
    { name: "To", cell: (row) => <Recipient {...row} /> },
    {
      name: "Value",
      isNumeric: true,
      cell: ({ transaction }) => <Amount amount={transaction.value ?? 0n} {...money} />,
    },
    {
      name: "Gas used",
      isNumeric: true,
      cell: ({ receipt }) => (receipt === undefined ? null : <Count value={receipt.gasUsed} />),
    },
    {
      name: "Gas fee",
      isNumeric: true,
      cell: ({ receipt }) => {
        const price = receipt?.effectiveGasPrice
        return receipt === undefined || price === undefined || price === null ? null : (
          <Amount amount={receipt.gasUsed * price} {...money} />
        )
      },
    },
  ]
}

export const BlockTransactions = ({ block }: { readonly block: HydratedBlock }) => {
  const { chain } = useService()
  const { hash } = block
  const receipts = useRpc(
    ["receipts", hash],
    async (client) => {
      const list = hash === null ? null : await client.eth_getBlockReceipts(hash)
      return new Map((list ?? []).map((receipt) => [receipt.transactionHash as string, receipt]))
    },
    { enabled: hash !== null && block.transactions.length > 0 },
  )
  if (block.transactions.length === 0) return <p className="empty">This block has no transactions.</p>
  return (
    <Table
      label="Transactions of the block"
      columns={columnsOf(chain)}
      rows={block.transactions.map((transaction) => ({ transaction, receipt: receipts.data?.get(transaction.hash) }))}
      keyOf={({ transaction }) => transaction.hash}
      marksOf={({ transaction }) => ({ "data-hash": transaction.hash })}
    />
  )
}
