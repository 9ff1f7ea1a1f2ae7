/**
 * Movements as comma-separated values for a model. Texts of strangers, such as symbols of tokens and labels, have no column: their fields
 * would stand in a text that is not marked as foreign. No value has a comma or a quotation mark.
 *
 * Source: RFC 4180; decision 0074.
 */
import type { Movement } from "@daybook/schema/Movement"

/** The columns, in their order, with the names of `daybook export`. */
const columns: Readonly<Record<string, (row: Movement) => string | bigint | boolean | null>> = {
  block_number: (row) => row.block_number,
  block_timestamp: (row) => row.block_timestamp.toISOString(),
  transaction_hash: (row) => row.transaction_hash,
  kind: (row) => row.kind,
  asset: (row) => row.asset,
  token_id: (row) => row.token_id,
  counterparty: (row) => row.counterparty,
  amount_in_smallest_unit: (row) => row.amount,
  failed: (row) => row.failed,
  flags: (row) => (row.flags ?? []).join(" "),
}

/** The lines of movements, without their ends, after the names of the columns where these are wanted. */
export const lines = (rows: ReadonlyArray<Movement>, hasHead: boolean): ReadonlyArray<string> => [
  ...(hasHead ? [Object.keys(columns).join(",")] : []),
  ...rows.map((row) =>
    Object.values(columns)
      .map((field) => String(field(row) ?? ""))
      .join(","),
  ),
]
