/** What a transaction moved: tokens by its logs, and what each of its parties gained and paid by the ledger of the service. */
import type { Movement } from "@daybook/rest/promise"
import { type Receipt, transfers } from "@daybook/rpc/promise"
import { AddressLink } from "../../display/Links.tsx"
import { Badge, TableBox } from "../../display/Page.tsx"
import { useRest } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"

/** Rows of a ledger that are read for one block. */
const maxRows = 100

export const TokenTransfers = ({ receipt }: { readonly receipt: Receipt }) => {
  const rows = transfers(receipt)
  if (rows.length === 0) return <p className="empty">This transaction moved no tokens.</p>
  return (
    <TableBox label="Token transfers">
      <table>
        <thead>
          <tr>
            <th scope="col">Standard</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" className="numeric">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ amount, from, logIndex, standard, to, token, tokenId }, at) => (
            <tr key={`${logIndex} ${at}`}>
              <td>
                <Badge>{standard}</Badge>
              </td>
              <td>
                <AddressLink address={from} />
              </td>
              <td>
                <AddressLink address={to} />
              </td>
              <td className="numeric">
                <TokenAmount asset={token} amount={amount} tokenId={tokenId} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}

const useMovements = (address: string, block: bigint, hash: string) =>
  useRest(["moved", address, String(block), hash], async (client, chain, signal) => {
    const found: Array<Movement> = []
    const query = { address, chain, from_block: block, to_block: block, order: "ASC", limit: maxRows } as const
    const page = await client.movements(query, { signal })
    for (const row of page.result) if (row.transaction_hash === hash) found.push(row)
    return found
  }).data

interface PartyProps {
  readonly address: string
  readonly label: string | null | undefined
  readonly block: bigint
  readonly hash: string
}

const Party = ({ address, block, hash, label }: PartyProps) => {
  const rows = useMovements(address, block, hash)
  return (
    <tr>
      <td>
        <AddressLink address={address} label={label} />
      </td>
      <td className="wide">
        {rows === undefined ? (
          "…"
        ) : rows.length === 0 ? (
          <span className="muted">nothing</span>
        ) : (
          <ul className="moves">
            {rows.map(({ amount, asset, kind, movement_index, token, token_id }) => (
              <li key={movement_index}>
                <Badge>{kind}</Badge>{" "}
                <TokenAmount asset={asset} amount={amount} token={token} tokenId={token_id} signed />
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  )
}

interface MovedProps {
  readonly parties: ReadonlyArray<string>
  /** Labels of the service by address. */
  readonly labels: ReadonlyMap<string, string | null | undefined>
  readonly block: bigint
  readonly hash: string
}

/** Changes of what each party holds, fees included. */
export const Changes = ({ block, hash, labels, parties }: MovedProps) => (
  <TableBox label="Changes by address">
    <table>
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {parties.map((address) => (
          <Party key={address} address={address} label={labels.get(address)} block={block} hash={hash} />
        ))}
      </tbody>
    </table>
  </TableBox>
)
