/**
 * Movements as comma-separated values for a model. Texts chosen by strangers, such as token symbols and labels, have no column, because
 * such fields would be part of a text that is not marked as untrusted. No value contains a comma or a quotation mark.
 *
 * Source: RFC 4180; decision 0074.
 */
import type { Movement } from "@daybook/schema/Movement"

/** The columns in order, with the names used by `daybook export`. */
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

/** Lines of movements, without line ends, preceded by the column names if requested. */
export const lines = (rows: ReadonlyArray<Movement>, hasHead: boolean): ReadonlyArray<string> => [
  ...(hasHead ? [Object.keys(columns).join(",")] : []),
  ...rows.map((row) =>
    Object.values(columns)
      .map((field) => String(field(row) ?? ""))
      .join(","),
  ),
]
