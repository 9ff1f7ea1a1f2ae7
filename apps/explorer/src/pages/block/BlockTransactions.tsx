/** The transactions of a block, with the outcome of each. */
import type { HydratedBlock, Receipt } from "@daybook/rpc/promise"
import { kindOf } from "../../blocks/TransactionKind.ts"
import { AddressLink, TransactionLink } from "../../display/Links.tsx"
import { Badge, TableBox } from "../../display/Page.tsx"
import { Amount, Count } from "../../display/Values.tsx"
import { useRpc, useService } from "../../service/Service.tsx"

type Transaction = HydratedBlock["transactions"][number]

const Outcome = ({ receipt }: { readonly receipt: Receipt | undefined }) => {
  if (receipt === undefined || receipt.status === undefined || receipt.status === null) return null
  return receipt.status === 1 ? <Badge tone="good">success</Badge> : <Badge tone="bad">failed</Badge>
}

const Row = ({
  receipt,
  transaction,
}: {
  readonly transaction: Transaction
  readonly receipt: Receipt | undefined
}) => {
  const { currency } = useService().chain
  const { from, hash, to, value } = transaction
  const price = receipt?.effectiveGasPrice
  const created = receipt?.contractAddress
  return (
    <tr data-hash={hash}>
      <td>
        <TransactionLink hash={hash} />
      </td>
      <td>
        <code className="method">{kindOf(transaction)}</code>
      </td>
      <td>
        <Outcome receipt={receipt} />
      </td>
      <td>
        <AddressLink address={from} />
      </td>
      <td>
        {to !== null && to !== undefined ? (
          <AddressLink address={to} />
        ) : created === null || created === undefined ? (
          "new contract"
        ) : (
          <AddressLink address={created} />
        )}
      </td>
      <td className="numeric">
        <Amount amount={value ?? 0n} decimals={currency.decimals} symbol={currency.symbol} />
      </td>
      <td className="numeric">{receipt === undefined ? null : <Count value={receipt.gasUsed} />}</td>
      <td className="numeric">
        {receipt === undefined || price === undefined || price === null ? null : (
          <Amount amount={receipt.gasUsed * price} decimals={currency.decimals} symbol={currency.symbol} />
        )}
      </td>
    </tr>
  )
}

const names = ["Transaction", "Method", "Outcome", "From", "To", "Value", "Gas used", "Gas fee"]
const firstNumeric = 5

export const BlockTransactions = ({ block }: { readonly block: HydratedBlock }) => {
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
    <TableBox label="Transactions of the block">
      <table>
        <thead>
          <tr>
            {names.map((name, at) => (
              <th scope="col" key={name} {...(at >= firstNumeric ? { className: "numeric" } : {})}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.transactions.map((transaction) => (
            <Row key={transaction.hash} transaction={transaction} receipt={receipts.data?.get(transaction.hash)} />
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}
