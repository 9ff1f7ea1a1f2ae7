/** The watched addresses with their balances. */
import { AddressLink } from "../../display/Links.tsx"
import { Panel, TableBox } from "../../display/Page.tsx"
import { Amount, Count, ShortHash } from "../../display/Values.tsx"
import { useRpc, useService } from "../../service/Service.tsx"
import { unwatch, useWatchList, type Watched } from "../../watch/WatchList.ts"

const balanceMillis = 10_000

const Row = ({ address, label }: Watched) => {
  const { currency } = useService().chain
  const { data } = useRpc(
    ["balance", address],
    async (client) => {
      const [balance, nonce] = await Promise.all([
        client.eth_getBalance(address, "latest"),
        client.eth_getTransactionCount(address, "latest"),
      ])
      return { balance, nonce }
    },
    { everyMillis: balanceMillis },
  )
  return (
    <tr>
      <td>
        <AddressLink address={address} />
      </td>
      <td>
        <ShortHash hash={address} />
      </td>
      <td className="numeric">
        {data === undefined ? (
          "…"
        ) : (
          <Amount amount={data.balance} decimals={currency.decimals} symbol={currency.symbol} />
        )}
      </td>
      <td className="numeric">{data === undefined ? "…" : <Count value={data.nonce} />}</td>
      <td className="numeric">
        <button
          type="button"
          className="button"
          aria-label={`Stop watching ${label === "" ? address : label}`}
          onClick={() => unwatch(address)}
        >
          Remove
        </button>
      </td>
    </tr>
  )
}

export const WatchPanel = () => {
  const watched = useWatchList()
  if (watched.length === 0) return null
  return (
    <Panel title="Your addresses">
      <TableBox label="Your addresses">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Address</th>
              <th scope="col" className="numeric">
                Balance
              </th>
              <th scope="col" className="numeric">
                Sent
              </th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {watched.map((one) => (
              <Row key={one.address} {...one} />
            ))}
          </tbody>
        </table>
      </TableBox>
    </Panel>
  )
}
