/** A decoded call or event: its signature and parameters. Names and values are chosen by contracts. */
import type { DecodedItem } from "@daybook/rest/promise"
import { AddressLink } from "../../display/Links.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { isolated } from "../../text/VisibleText.ts"

const addressPattern = /^0x[0-9a-fA-F]{40}$/

const ParamValue = ({ type, value }: { readonly type: string; readonly value: string }) =>
  type === "address" && addressPattern.test(value) ? (
    <AddressLink address={value.toLowerCase()} isFull withCopy />
  ) : (
    <ForeignText className="value" text={value} />
  )

/** What was decoded: a call, an event, or an error. */
interface DecodedProps {
  readonly item: Pick<DecodedItem, "label" | "signature" | "params">
}

const columns: ReadonlyArray<Column<DecodedItem["params"][number]>> = [
  { name: "Name", cell: ({ name }, at) => <ForeignText text={name === "" ? String(at) : name} /> },
  {
    name: "Type",
    cell: ({ type }) => (
      <code>
        <ForeignText text={type} />
      </code>
    ),
  },
  { name: "Value", isWide: true, cell: ({ type, value }) => <ParamValue type={type} value={String(value)} /> },
]

export const Decoded = ({ item }: DecodedProps) => (
  <>
    <p>
      <code className="signature">
        <ForeignText text={item.signature} />
      </code>
    </p>
    {item.params.length === 0 ? null : (
      <Table
        label={`Parameters of ${isolated(item.label)}`}
        columns={columns}
        rows={item.params}
        keyOf={({ name }, at) => `${at} ${name}`}
      />
    )}
  </>
)
