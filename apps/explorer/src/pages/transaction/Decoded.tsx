/** A decoded call or event: its signature and parameters. Names and values are chosen by contracts. */
import type { DecodedItem } from "@daybook/rest/promise"
import { AddressLink } from "../../display/Links.tsx"
import { TableBox } from "../../display/Page.tsx"

const addressPattern = /^0x[0-9a-fA-F]{40}$/

const ParamValue = ({ type, value }: { readonly type: string; readonly value: string }) =>
  type === "address" && addressPattern.test(value) ? (
    <AddressLink address={value.toLowerCase()} isFull withCopy />
  ) : (
    <bdi className="value">{value}</bdi>
  )

export const Decoded = ({ item }: { readonly item: DecodedItem }) => (
  <>
    <p>
      <bdi>
        <code className="signature">{item.signature}</code>
      </bdi>
    </p>
    {item.params.length === 0 ? null : (
      <TableBox label={`Parameters of ${item.label}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {item.params.map(({ name, type, value }, at) => (
              <tr key={`${at} ${name}`}>
                <td>
                  <bdi>{name === "" ? String(at) : name}</bdi>
                </td>
                <td>
                  <code>{type}</code>
                </td>
                <td className="wide">
                  <ParamValue type={type} value={String(value)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    )}
  </>
)
