/** The state before and after a transaction, if the node can compute it: balances, nonces, code and storage. */
import { useState } from "react"
import { byteLength, formatInteger } from "../../display/Numbers.ts"
import { AddressLink } from "../../display/Links.tsx"
import { Badge, Notice, Skeleton } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Ether, ShortHash } from "../../display/Values.tsx"
import { explain } from "../../service/Errors.ts"
import { useRpc } from "../../service/Service.tsx"
import { type Change, fromTrace } from "./StateDiff.ts"
import { ForeignText } from "../../text/ForeignText.tsx"

const Value = ({ kind, value }: { readonly kind: Change["kind"]; readonly value: string | null }) => {
  if (value === null) return <span className="muted">none</span>
  switch (kind) {
    case "balance":
      return <Ether amount={BigInt(value)} />
    case "nonce":
      return <Count value={BigInt(value)} />
    case "code":
      return <span title={value.slice(0, 200)}>{formatInteger(byteLength(value))} bytes</span>
    case "storage":
      return <code className="value">{value}</code>
  }
}

const columns: ReadonlyArray<Column<Change>> = [
  { name: "Address", cell: ({ address }) => <AddressLink address={address} /> },
  {
    name: "What",
    cell: ({ kind, slot }) => (
      <>
        <Badge>{kind}</Badge> {slot === null ? null : <ShortHash hash={slot} />}
      </>
    ),
  },
  { name: "Before", isWide: true, cell: ({ before, kind }) => <Value kind={kind} value={before} /> },
  { name: "After", isWide: true, cell: ({ after, kind }) => <Value kind={kind} value={after} /> },
]

const Loaded = ({ blockHash, hash }: StateChangesProps) => {
  const { data, error } = useRpc(["state changes", hash, blockHash], async (client) => {
    const params = [hash, { tracer: "prestateTracer", tracerConfig: { diffMode: true } }]
    const result = fromTrace(await client.request({ method: "debug_traceTransaction", params }))
    return { result: result ?? null }
  })
  if (error !== null) {
    return (
      <Notice title="The node does not offer the state before and after">
        <p>
          It needs a node with prestateTracer that still has the state of this block, and an API key that may use
          debug_traceTransaction.
        </p>
        <p>
          <ForeignText text={explain(error).detail} />
        </p>
      </Notice>
    )
  }
  if (data === undefined) return <Skeleton label="the state" rows={4} />
  if (data.result === null) {
    return <p className="empty">The node responded with something other than the state before and after.</p>
  }
  const { changes, isCut } = data.result
  if (changes.length === 0) return <p className="empty">This transaction changed no state.</p>
  return (
    <>
      <Table
        label="State changes"
        columns={columns}
        rows={changes}
        keyOf={({ address, kind, slot }) => `${address} ${kind} ${slot}`}
      />
      {isCut ? <p className="muted">More changes are not shown here.</p> : null}
    </>
  )
}

interface StateChangesProps {
  readonly hash: string
  readonly blockHash: string
}

/** Loaded on request, because the node has to execute the transaction again. */
export const StateChanges = (props: StateChangesProps) => {
  const [isShown, setShown] = useState(false)
  return isShown ? (
    <Loaded {...props} />
  ) : (
    <button type="button" className="button" onClick={() => setShown(true)}>
      Show the state before and after
    </button>
  )
}
