/** The statement of an address over a range of days: what it held, what moved by asset and kind, what it holds. */
import type { Balance, Incomplete, Proof, Statement } from "@daybook/rest/promise"
import { Badge, Disclosure, ErrorNotice, Notice, Panel, Skeleton, TableBox } from "../../display/Page.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { Count } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import { sumColumns } from "../../download/Tables.ts"
import * as Clients from "../../service/Clients.ts"
import { useRest, useService } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import { DayRange, datesOf, Toolbar, useAddressSearch } from "./Filters.tsx"
import { ProofBadge } from "./ProofBadge.tsx"

const Balances = ({
  incomplete,
  label,
  rows,
}: {
  readonly rows: ReadonlyArray<Balance>
  readonly incomplete?: Incomplete
  readonly label: string
}) =>
  rows.length === 0 ? (
    <p className="empty">Nothing.</p>
  ) : (
    <TableBox label={label}>
      <table>
        <tbody>
          {rows.map((balance) => (
            <tr key={`${balance.asset} ${balance.token_id}`}>
              <td>
                <TokenAmount
                  asset={balance.asset}
                  amount={balance.balance}
                  token={balance.token}
                  tokenId={balance.token_id}
                />
              </td>
              <td>{incomplete === undefined ? null : <ProofBadge balance={balance} incomplete={incomplete} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  )

const Sums = ({ sums }: Pick<Statement, "sums">) =>
  sums.length === 0 ? (
    <p className="empty">Nothing moved in this range.</p>
  ) : (
    <TableBox label="Sums by asset and kind">
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" className="numeric">
              Count
            </th>
            <th scope="col" className="numeric">
              In
            </th>
            <th scope="col" className="numeric">
              Out
            </th>
            <th scope="col" className="numeric">
              Together
            </th>
          </tr>
        </thead>
        <tbody>
          {sums.map(({ amount, asset, count, in: received, kind, out, token, token_id }) => {
            const of = { asset, token, tokenId: token_id }
            return (
              <tr key={`${asset} ${token_id} ${kind}`}>
                <td>
                  <Badge>{kind.replaceAll("_", " ")}</Badge>
                </td>
                <td className="numeric">
                  <Count value={count} />
                </td>
                <td className="numeric">
                  <TokenAmount {...of} amount={received} />
                </td>
                <td className="numeric">
                  <TokenAmount {...of} amount={out} />
                </td>
                <td className="numeric">
                  <TokenAmount {...of} amount={amount} signed />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableBox>
  )

const ProofFacts = ({ proof }: { readonly proof: Proof | null }) => {
  if (proof === null) return <p>The sums were not compared with the state of the chain yet.</p>
  return (
    <>
      <p>
        {proof.proved ? (
          <Badge tone="good">proved</Badge>
        ) : (
          <Badge tone={proof.differences.length > 0 ? "bad" : "warning"}>not proved</Badge>
        )}{" "}
        Compared with the state of the chain at block {formatInteger(proof.block_number)}.
        {proof.differences.length === 0 ? null : ` ${proof.differences.length} assets differ.`}
      </p>
      {proof.not_compared.length === 0 ? null : (
        <Disclosure title="What was not compared">
          <ul>
            {proof.not_compared.map((sentence) => (
              <li key={sentence}>
                <bdi>{sentence}</bdi>
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  )
}

export const StatementTab = ({ address }: { readonly address: string }) => {
  const { apiKey, chain } = useService()
  const [search] = useAddressSearch()
  const query = { address, chain: chain.name, ...datesOf(search) }
  const { data, error, refetch } = useRest(["statement", address, search.from, search.to], (client, _chain, signal) =>
    client.statement(query, { signal }),
  )
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-statement`}
            columns={sumColumns}
            rows={async (signal) => (await (await Clients.rest(apiKey)).statement(query, { signal })).sums}
          />
        }
      >
        <DayRange />
      </Toolbar>
      {data === undefined ? (
        error === null ? (
          <Skeleton label="the statement" rows={8} />
        ) : (
          <ErrorNotice error={error} onRetry={refetch} />
        )
      ) : (
        <>
          {data.incomplete.opening || data.incomplete.places > 0 ? (
            <Notice title="These sums may lack something">
              <p>Movements, or what was held before the first indexed block, may be missing.</p>
            </Notice>
          ) : null}
          <Panel
            title={
              data.opening.block_number === null
                ? "Before the first block"
                : `After block ${formatInteger(data.opening.block_number)}`
            }
          >
            <Balances rows={data.opening.result} label="Opening balances" />
          </Panel>
          <Panel title={`Blocks ${formatInteger(data.from_block)} to ${formatInteger(data.block_number)}`}>
            <Sums sums={data.sums} />
          </Panel>
          <Panel title={`After block ${formatInteger(data.block_number)}`}>
            <Balances rows={data.closing.result} incomplete={data.closing.incomplete} label="Closing balances" />
            <ProofFacts proof={data.proof} />
          </Panel>
        </>
      )}
    </>
  )
}
