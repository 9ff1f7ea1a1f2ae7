/** The statement of an address over a range of days: opening balances, sums by asset and kind, and closing balances. */
import type { Incomplete, Proof, Statement } from "@daybook/rest/promise"
import { Badge, Disclosure, ErrorNotice, Notice, Panel, Skeleton } from "../../display/Page.tsx"
import { formatKind } from "../../display/Kinds.ts"
import { formatInteger } from "../../display/Numbers.ts"
import { type Column, Table } from "../../display/Table.tsx"
import { Count } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import * as Clients from "../../service/Clients.ts"
import { useRest, useService } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import { DayRange, datesOf, Toolbar, useAddressSearch } from "./Filters.tsx"
import { type ByAsset, genesisOf, type Held, keyOf, withOpenings } from "./Compared.ts"
import { ProofBadge } from "./ProofBadge.tsx"
import { useComparisonOf } from "./useCompared.ts"
import { ForeignText } from "../../text/ForeignText.tsx"

interface BalancesProps {
  readonly rows: ReadonlyArray<Held>
  readonly incomplete?: Incomplete
  readonly compared?: ByAsset | undefined
  readonly label: string
}

const Balances = ({ compared, incomplete, label, rows }: BalancesProps) => {
  if (rows.length === 0) return <p className="empty">Nothing.</p>
  const columns: ReadonlyArray<Column<Held>> = [
    {
      name: "Balance",
      cell: ({ asset, balance, token, token_id }) => (
        <TokenAmount asset={asset} amount={balance} token={token} tokenId={token_id} />
      ),
    },
    {
      name: "Proof",
      cell: (balance) =>
        incomplete === undefined ? null : (
          <ProofBadge
            balance={balance}
            incomplete={incomplete}
            compared={compared?.get(keyOf({ asset: balance.asset, id: balance.token_id }))}
          />
        ),
    },
  ]
  return (
    <Table
      label={label}
      columns={incomplete === undefined ? columns.slice(0, 1) : columns}
      rows={rows}
      keyOf={({ asset, token_id }) => `${asset} ${token_id}`}
    />
  )
}

type Sum = Statement["sums"][number]

const amountOf = ({ asset, token, token_id }: Sum, amount: bigint, signed = false) => (
  <TokenAmount asset={asset} token={token} tokenId={token_id} amount={amount} signed={signed} />
)

const sumColumnsShown: ReadonlyArray<Column<Sum>> = [
  { name: "Kind", cell: ({ kind }) => <Badge>{formatKind(kind)}</Badge> },
  { name: "Count", isNumeric: true, cell: ({ count }) => <Count value={count} /> },
  { name: "In", isNumeric: true, cell: (sum) => amountOf(sum, sum.in) },
  { name: "Out", isNumeric: true, cell: (sum) => amountOf(sum, sum.out) },
  { name: "Net", isNumeric: true, cell: (sum) => amountOf(sum, sum.amount, true) },
]

const Sums = ({ sums }: Pick<Statement, "sums">) =>
  sums.length === 0 ? (
    <p className="empty">Nothing moved in this range.</p>
  ) : (
    <Table
      label="Sums by asset and kind"
      columns={sumColumnsShown}
      rows={sums}
      keyOf={({ asset, kind, token_id }) => `${asset} ${token_id} ${kind}`}
    />
  )

const ProofFacts = ({ isCompared, proof }: { readonly proof: Proof | null; readonly isCompared: boolean }) => {
  if (proof === null) {
    return isCompared ? null : <p>The sums have not been compared with the state of the chain yet.</p>
  }
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
                <ForeignText text={sentence} />
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  )
}

interface ContentsProps {
  readonly statement: Statement
  /** Comparison of the closing sums with the state of the chain. */
  readonly compared: ByAsset
}

const Contents = ({ compared, statement }: ContentsProps) => {
  const { closing, incomplete, opening, sums } = statement
  const isFromFirst = opening.block_number === null
  const stated = { opening: isFromFirst ? genesisOf(sums) : opening.result, closing: closing.result }
  const known = incomplete.opening ? withOpenings(stated, compared) : stated
  const { closing: held, opening: heldBefore } = known ?? stated
  const lacks = [
    ...(incomplete.places > 0 ? ["Movements of some transactions are not known."] : []),
    ...(known === undefined ? ["Holdings from before the first indexed block are not known."] : []),
  ]
  return (
    <>
      {lacks.length === 0 ? null : (
        <Notice title="The statement is incomplete">
          <p>{lacks.join(" ")}</p>
        </Notice>
      )}
      <Panel title={isFromFirst ? "Before the first block" : `After block ${formatInteger(opening.block_number)}`}>
        <Balances rows={heldBefore} label="Opening balances" />
      </Panel>
      <Panel title={`Blocks ${formatInteger(statement.from_block)} to ${formatInteger(statement.block_number)}`}>
        <Sums sums={isFromFirst ? sums.filter(({ kind }) => kind !== "genesis") : sums} />
      </Panel>
      <Panel title={`After block ${formatInteger(statement.block_number)}`}>
        <Balances
          rows={held}
          incomplete={closing.incomplete}
          compared={known === undefined ? undefined : compared}
          label="Closing balances"
        />
        <ProofFacts proof={statement.proof} isCompared={known !== undefined && compared.size > 0} />
      </Panel>
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
  const { data: compared, isPending: isComparing } = useComparisonOf(address, data?.closing)
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-statement`}
            table="sums"
            rows={async (signal) => (await (await Clients.rest(apiKey)).statement(query, { signal })).sums}
          />
        }
      >
        <DayRange />
      </Toolbar>
      {error !== null && data === undefined ? (
        <ErrorNotice error={error} onRetry={refetch} />
      ) : data === undefined || (data.incomplete.opening && isComparing) ? (
        <Skeleton label="the statement" rows={8} />
      ) : (
        <Contents statement={data} compared={compared ?? new Map()} />
      )}
    </>
  )
}
