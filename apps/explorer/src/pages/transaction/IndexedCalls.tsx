/** The calls inside a transaction as the service has indexed them, for nodes without a call tracer. */
import type { InternalTransaction, RestPromiseClient } from "@daybook/rest/promise"
import { ForeignText } from "../../text/ForeignText.tsx"
import { AddressLink } from "../../display/Links.tsx"
import { Badge, Notice, Skeleton } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Ether } from "../../display/Values.tsx"
import * as RowSearch from "../../history/RowSearch.ts"
import { Method } from "../../names/Method.tsx"
import { useRest } from "../../service/Service.tsx"

/** How often a transaction that is not indexed is looked for. */
const pollMillis = 2_000

const readCalls = async (
  client: RestPromiseClient,
  place: RowSearch.Place,
  chain: string,
  signal: AbortSignal,
): Promise<ReadonlyArray<InternalTransaction> | null> => {
  const row = await RowSearch.findInBlock(client, place, { chain, include: "internal_transactions" }, signal)
  return row?.internal_transactions ?? null
}

const columns: ReadonlyArray<Column<InternalTransaction>> = [
  {
    name: "Type",
    cell: ({ error, type }) => (
      <Badge tone={error === null || error === undefined ? "neutral" : "bad"}>
        <ForeignText text={type} />
      </Badge>
    ),
  },
  { name: "From", cell: ({ from }) => <AddressLink address={from} /> },
  { name: "To", cell: ({ to }) => (to === null || to === undefined ? "none" : <AddressLink address={to} />) },
  { name: "Method", cell: ({ input, to }) => <Method to={to} input={input} /> },
  {
    name: "Value",
    isNumeric: true,
    cell: ({ value }) => <Ether amount={value} />,
  },
  { name: "Gas used", isNumeric: true, cell: ({ gas_used: used }) => <Count value={used} /> },
]

export const IndexedCalls = (place: RowSearch.Place) => {
  const { data, error } = useRest(
    ["calls", place.hash, place.blockHash],
    (client, chain, signal) => readCalls(client, place, chain, signal),
    { everyMillis: (calls) => (calls === null ? pollMillis : false) },
  )
  if (data === undefined && error === null) return <Skeleton label="the calls" rows={3} />
  if (data === undefined || data === null) {
    return (
      <Notice title="No trace">
        <p>The node has no call tracer, or the API key may not use it (debug_traceTransaction).</p>
      </Notice>
    )
  }
  return (
    <>
      <p className="muted">The node has no call tracer: these are the calls inside, as the service has indexed them.</p>
      {data.length === 0 ? (
        <p className="empty">This transaction made no calls inside.</p>
      ) : (
        <Table label="Calls inside the transaction" columns={columns} rows={data} keyOf={(_, at) => String(at)} />
      )}
    </>
  )
}
