/** What an address holds: the currency of the chain and tokens, with their proofs. */
import type { Balance, Incomplete } from "@daybook/rest/promise"
import { Link } from "@tanstack/react-router"
import { ErrorNotice, Notice, Panel, Skeleton, TableBox } from "../../display/Page.tsx"
import { Count, ShortHash } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import { balanceColumns } from "../../download/Tables.ts"
import * as Clients from "../../service/Clients.ts"
import { useRest, useService } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import { useToken } from "../../tokens/useToken.ts"
import { Toolbar } from "./Filters.tsx"
import { ProofBadge } from "./ProofBadge.tsx"

const pollMillis = 5_000

interface RowProps {
  readonly address: string
  readonly balance: Balance
  readonly incomplete: Incomplete
}

const Row = ({ address, balance, incomplete }: RowProps) => {
  const { currency } = useService().chain
  const { asset, token, token_id } = balance
  const read = useToken(asset, asset !== "native" && token === null)
  return (
    <tr data-asset={asset}>
      <td>
        <bdi>{asset === "native" ? currency.symbol : (token?.name ?? read?.name ?? "unnamed token")}</bdi>
      </td>
      <td>
        {asset === "native" ? (
          <span className="muted">native</span>
        ) : (
          <Link to="/address/$address" params={{ address: asset }}>
            <ShortHash hash={asset} />
          </Link>
        )}
      </td>
      <td className="numeric">
        <TokenAmount asset={asset} amount={balance.balance} token={token} tokenId={token_id} />
      </td>
      <td>
        <ProofBadge balance={balance} incomplete={incomplete} />
      </td>
      <td>
        <Link to="/address/$address" params={{ address }} search={{ tab: "movements", asset }} resetScroll={false}>
          Movements<span className="visually-hidden"> of {asset === "native" ? currency.symbol : asset}</span>
        </Link>
      </td>
    </tr>
  )
}

const headers = ["Asset", "Contract", "Balance", "Proof", "History"]

export const TokensTab = ({ address }: { readonly address: string }) => {
  const { apiKey, chain } = useService()
  const { data, error, refetch } = useRest(
    ["balances", address, "all"],
    (client, name, signal) => client.balances({ address, chain: name }, { signal }),
    { everyMillis: pollMillis },
  )
  if (data === undefined) {
    return error === null ? <Skeleton label="balances" rows={8} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-balances`}
            columns={balanceColumns}
            rows={async (signal) =>
              (await (await Clients.rest(apiKey)).balances({ address, chain: chain.name }, { signal })).result
            }
          />
        }
      />
      {data.incomplete.opening || data.incomplete.places > 0 ? (
        <Notice title="These sums may lack something">
          {data.incomplete.opening ? <p>What was held before the first indexed block is not known. </p> : null}
          {data.incomplete.places > 0 ? (
            <p>
              Movements may be missing in <Count value={data.incomplete.places} /> transactions or blocks.
            </p>
          ) : null}
        </Notice>
      ) : null}
      <Panel title={`Held at block ${data.block_number}`}>
        {data.result.length === 0 ? (
          <p className="empty">This address holds nothing, as far as blocks are indexed.</p>
        ) : (
          <TableBox label="Balances">
            <table>
              <thead>
                <tr>
                  {headers.map((name) => (
                    <th scope="col" key={name} {...(name === "Balance" ? { className: "numeric" } : {})}>
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.result.map((balance) => (
                  <Row
                    key={`${balance.asset} ${balance.token_id}`}
                    address={address}
                    balance={balance}
                    incomplete={data.incomplete}
                  />
                ))}
              </tbody>
            </table>
          </TableBox>
        )}
      </Panel>
    </>
  )
}
