/** A decoded call or event: its signature and parameters. Names and values are chosen by contracts. */
import type { DecodedItem } from "@daybook/rest/promise"
import { AddressLink } from "../../display/Links.tsx"
import { type Column, Table } from "../../display/Table.tsx"

const addressPattern = /^0x[0-9a-fA-F]{40}$/

const ParamValue = ({ type, value }: { readonly type: string; readonly value: string }) =>
  type === "address" && addressPattern.test(value) ? (
    <AddressLink address={value.toLowerCase()} isFull withCopy />
  ) : (
    <bdi className="value">{value}</bdi>
  )

/** What was decoded: a call, an event, or an error. */
interface DecodedProps {
  readonly item: Pick<DecodedItem, "label" | "signature" | "params">
}

const columns: ReadonlyArray<Column<DecodedItem["params"][number]>> = [
  { name: "Name", cell: ({ name }, at) => <bdi>{name === "" ? String(at) : name}</bdi> },
  { name: "Type", cell: ({ type }) => <code>{type}</code> },
  { name: "Value", isWide: true, cell: ({ type, value }) => <ParamValue type={type} value={String(value)} /> },
]

export const Decoded = ({ item }: DecodedProps) => (
  <>
    <p>
      <bdi>
        <code className="signature">{item.signature}</code>
      </bdi>
    </p>
    {item.params.length === 0 ? null : (
      <Table
        label={`Parameters of ${item.label}`}
        columns={columns}
        rows={item.params}
        keyOf={({ name }, at) => `${at} ${name}`}
      />
    )}
  </>
)
