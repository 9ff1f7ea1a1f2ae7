/** Withdrawals of a block from the beacon chain. */
import type { Withdrawal } from "@daybook/rpc/promise"
import { AddressLink } from "../../display/Links.tsx"
import { TableBox } from "../../display/Page.tsx"
import { Amount, Count } from "../../display/Values.tsx"
import { useService } from "../../service/Service.tsx"

/** Digits after the point of an amount in gwei, as one of ether. */
const gweiDecimals = 9

export const Withdrawals = ({ withdrawals }: { readonly withdrawals: ReadonlyArray<Withdrawal> }) => {
  const { currency } = useService().chain
  return (
    <TableBox label="Withdrawals">
      <table>
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col">Validator</th>
            <th scope="col">Recipient</th>
            <th scope="col" className="numeric">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {withdrawals.map(({ address, amount, index, validatorIndex }) => (
            <tr key={String(index)}>
              <td>
                <Count value={index} />
              </td>
              <td>
                <Count value={validatorIndex} />
              </td>
              <td>
                <AddressLink address={address} />
              </td>
              <td className="numeric">
                <Amount amount={amount} decimals={gweiDecimals} symbol={currency.symbol} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}
