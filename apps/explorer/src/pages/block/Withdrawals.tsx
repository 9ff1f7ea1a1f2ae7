/** Withdrawals of a block from the beacon chain. */
import type { Withdrawal } from "@daybook/rpc/promise"
import { AddressLink } from "../../display/Links.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Amount, Count } from "../../display/Values.tsx"
import { useService } from "../../service/Service.tsx"

/** Decimals of ether for amounts in gwei. */
const gweiDecimals = 9

const columnsOf = (symbol: string): ReadonlyArray<Column<Withdrawal>> => [
  { name: "Index", cell: ({ index }) => <Count value={index} /> },
  { name: "Validator", cell: ({ validatorIndex }) => <Count value={validatorIndex} /> },
  { name: "Recipient", cell: ({ address }) => <AddressLink address={address} /> },
  {
    name: "Amount",
    isNumeric: true,
    cell: ({ amount }) => <Amount amount={amount} decimals={gweiDecimals} symbol={symbol} />,
  },
]

export const Withdrawals = ({ withdrawals }: { readonly withdrawals: ReadonlyArray<Withdrawal> }) => {
  const { symbol } = useService().chain.currency
  return (
    <Table label="Withdrawals" columns={columnsOf(symbol)} rows={withdrawals} keyOf={({ index }) => String(index)} />
  )
}
