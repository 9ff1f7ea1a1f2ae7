/** The internal calls of a transaction as indexed by the service, for nodes without a call tracer. */
import type { InternalTransaction, RestPromiseClient } from "@daybook/rest/promise"
import type { CallFrame } from "@daybook/rpc/promise"
import { ForeignText } from "../../text/ForeignText.tsx"
import { AddressLink } from "../../display/Links.tsx"
import { Badge, Notice, Skeleton } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Ether } from "../../display/Values.tsx"
import * as RowSearch from "../../history/RowSearch.ts"
import { useRest } from "../../service/Service.tsx"
import { FrameCall } from "./FrameCall.tsx"
import { useReason } from "./useReason.ts"

/** Poll interval for a transaction that is not indexed yet, in milliseconds. */
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

/** A row as a trace frame, without its inner calls. */
const frameOf = ({ error, gas, gas_used: gasUsed, ...row }: InternalTransaction): CallFrame => {
  const { from, input, output, to, type, value } = row
  const frame = { type, from, to: to ?? null, input: input ?? null, output: output ?? null, value, gas, gasUsed }
  return error === null || error === undefined ? frame : { ...frame, error }
}

/** The call, with the reason if it failed. */
const Call = ({ frame }: { readonly frame: CallFrame }) => {
  const reason = useReason(frame)
  return (
    <>
      {(frame.input ?? "0x") === "0x" ? null : <FrameCall frame={frame} />}{" "}
      {reason === undefined ? null : <ForeignText className="reason" text={reason} />}
    </>
  )
}

const columns: ReadonlyArray<Column<CallFrame>> = [
  {
    name: "Type",
    cell: ({ error, type }) => (
      <Badge tone={error == null ? "neutral" : "bad"}>
        <ForeignText text={type} />
      </Badge>
    ),
  },
  { name: "From", cell: ({ from }) => <AddressLink address={from} /> },
  { name: "To", cell: ({ to }) => (to === null || to === undefined ? "none" : <AddressLink address={to} />) },
  { name: "Call", isWide: true, cell: (frame) => <Call frame={frame} /> },
  {
    name: "Value",
    isNumeric: true,
    cell: ({ value }) => <Ether amount={value ?? 0n} />,
  },
  { name: "Gas used", isNumeric: true, cell: ({ gasUsed }) => <Count value={gasUsed ?? 0n} /> },
]

interface IndexedCallsProps {
  readonly place: RowSearch.Place
  /** The outermost call, which is not among the indexed ones. */
  readonly outermost: CallFrame
}

export const IndexedCalls = ({ outermost, place }: IndexedCallsProps) => {
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
      <p className="muted">
        The node has no call tracer, like those of Hardhat and Ganache, or the API key may not use it. These are the
        calls that the service has indexed, in the order in which they began; their nesting is not known.
      </p>
      <Table
        label="Calls of the transaction"
        columns={columns}
        rows={[outermost, ...data.map(frameOf)]}
        keyOf={(_, at) => String(at)}
      />
    </>
  )
}
