/** The last attempts to deliver messages of a webhook, newest first. */
import type { WebhookDelivery } from "@daybook/rest/WebhookClient"
import { useState } from "react"
import { ErrorNotice, Panel, Skeleton } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Time } from "../../display/Values.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { Outcome } from "./Outcome.tsx"
import { type Result, useDeliveries } from "./useWebhooks.ts"

const columns: ReadonlyArray<Column<WebhookDelivery>> = [
  { name: "Time", cell: ({ at }) => <Time time={at} /> },
  { name: "Result", cell: (delivery) => <Outcome delivery={delivery} /> },
  {
    name: "Reason",
    isWide: true,
    cell: ({ reason }) => (reason === null ? <span className="muted">–</span> : <ForeignText text={reason} />),
  },
  { name: "Attempt", isNumeric: true, cell: ({ attempt }) => <Count value={attempt} /> },
  { name: "Events", isNumeric: true, cell: ({ events }) => (events === 0 ? "test" : <Count value={events} />) },
  {
    name: "Took",
    isNumeric: true,
    cell: ({ milliseconds }) => (
      <>
        <Count value={milliseconds} /> ms
      </>
    ),
  },
  {
    name: "Message",
    cell: ({ message }) => (
      <code className="hash">
        <ForeignText text={message} />
      </code>
    ),
  },
]

const Rows = ({ result, webhook }: { readonly webhook: string; readonly result: Result }) => {
  const { data, error, refetch } = useDeliveries(webhook, result)
  if (data === undefined) {
    return error === null ? <Skeleton label="deliveries" /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  if (data.length === 0) {
    return (
      <p className="empty">{result === "failed" ? "None of the last attempts failed." : "Nothing was sent yet."}</p>
    )
  }
  // The attempts of a message share its id.
  return (
    <Table label="Deliveries" columns={columns} rows={data} keyOf={({ attempt, message }) => `${message} ${attempt}`} />
  )
}

export const Deliveries = ({ webhook }: { readonly webhook: string }) => {
  const [result, setResult] = useState<Result>("all")
  const filter = (
    <label>
      Attempts
      <select value={result} onChange={({ target }) => setResult(target.value === "failed" ? "failed" : "all")}>
        <option value="all">all</option>
        <option value="failed">failed</option>
      </select>
    </label>
  )
  return (
    <Panel title="Last deliveries" actions={filter}>
      <Rows webhook={webhook} result={result} />
    </Panel>
  )
}
