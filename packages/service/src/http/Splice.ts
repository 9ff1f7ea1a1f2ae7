/**
 * Joins stored texts to the bytes of a page, encoding nothing again. Pure.
 *
 * Source: interface 2.1, 2.2; decisions 0002, 0007 and 0011.
 */
import type { Label } from "../label/Label.ts"

/** A stored transaction: its text, which ends with `}`, and the text of its internal transactions. */
export interface Row {
  readonly body: string
  readonly internal: string | null
}

/** How a page is written. */
export interface Options {
  readonly label: Label
  /** Internal transactions are put in; every row must have some text of them. */
  readonly include: boolean
  /** `null` writes empty values so; `string` leaves them as they are stored. */
  readonly empty: "string" | "null"
}

/**
 * The address of a key in a body; undefined where it is null. The key is the first of its name, since only a hash, numbers and
 * addresses stand before it.
 */
const addressAt = (body: string, key: string): string | undefined => {
  const start = body.indexOf(`"${key}":`) + key.length + 3
  return body[start] === '"' ? body.slice(start + 1, body.indexOf('"', start + 1)) : undefined
}

const labelText = (label: Label, address: string | undefined): string => {
  const found = address === undefined ? null : label(address)
  return found === null ? "null" : JSON.stringify(found)
}

/** Inside a JSON text a quote is escaped, so these can only be a key and its value. */
const emptyValues = /"(receipt_contract_address|receipt_root|receipt_status|topic[0-3])":""/g

/** The stored text of a record, and what stands in the place of its last `}`, with a comma after it. */
const parts = (row: Row, options: Options): readonly [body: string, tail: string] => {
  const { label } = options
  const body = options.empty === "null" ? row.body.replace(emptyValues, '"$1":null') : row.body
  const labels = `,"from_address_label":${labelText(label, addressAt(body, "from_address"))},"to_address_label":${labelText(label, addressAt(body, "to_address"))}`
  const internal = options.include ? `,"internal_transactions":${row.internal ?? "[]"}` : ""
  return [body, `${labels}${internal}},`]
}

/** The text of one record. */
export const record = (row: Row, options: Options): string => {
  const [body, tail] = parts(row, options)
  return `${body.slice(0, -1)}${tail.slice(0, -1)}`
}

/** The bytes of a page: texts are written where they go, since joining them first would copy all of it twice more. */
export const page = (
  rows: ReadonlyArray<Row>,
  place: { readonly cursor: string | null; readonly page: number; readonly pageSize: number },
  options: Options,
): Uint8Array => {
  const { cursor, page: number, pageSize } = place
  const head = `{"cursor":${cursor === null ? "null" : `"${cursor}"`},"page":"${number}","page_size":"${pageSize}","result":[`
  const records = rows.map((row) => parts(row, options))
  let size = head.length + "]}".length
  for (const [body, tail] of records) size += Buffer.byteLength(body) + Buffer.byteLength(tail)
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = bytes.write(head, 0)
  for (const [body, tail] of records) {
    at += bytes.write(body, at) - 1
    at += bytes.write(tail, at)
  }
  if (records.length > 0) at -= 1
  at += bytes.write("]}", at)
  return bytes.subarray(0, at)
}
