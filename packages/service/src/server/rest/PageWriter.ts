/**
 * Joins stored texts to the bytes of a page, encoding nothing again. Pure.
 *
 * Source: docs/interface.md#2.1, docs/interface.md#2.2; decisions 0002, 0007 and 0011.
 */
import type { Label } from "../../label/Label.ts"

/** A stored transaction: its text, which ends with `}`, and the text of its internal transactions. */
export interface Row {
  readonly body: string
  readonly internal: string | null
}

/** How a page is written. */
export interface Options {
  readonly label: Label
  /** Whose page it is: its label, which most records need, is looked up once. */
  readonly wallet?: string
  /** Internal transactions are put in; every row must have some text of them. */
  readonly include: boolean
  /** `null` writes empty values so; `string` leaves them as they are stored. */
  readonly empty: "string" | "null"
}

const textOf = (found: string | null): string => (found === null ? "null" : JSON.stringify(found))

/** The key as a body holds it. The first is the record's own: only a hash, numbers and addresses precede it. */
const fromKey = '"from_address":'
const toKey = '"to_address":'

/** Makes the lookup of the text of a label, for the address that begins at an index of a body. */
const labels = ({ label, wallet }: Pick<Options, "label" | "wallet">) => {
  const own = wallet === undefined ? undefined : { quoted: `"${wallet}"`, text: textOf(label(wallet)) }
  return (body: string, start: number): string => {
    if (own !== undefined && body.startsWith(own.quoted, start)) return own.text
    return body[start] === '"' ? textOf(label(body.slice(start + 1, body.indexOf('"', start + 1)))) : "null"
  }
}

/** Inside a JSON text a quote is escaped, so these can only be a key and its value. */
const emptyValues = /"(receipt_contract_address|receipt_root|receipt_status|topic[0-3])":""/g

/** Splits a record into its stored text and what replaces the closing brace of that, with a comma after it. */
const parting = (options: Options) => {
  const labelOf = labels(options)
  return (row: Row): readonly [body: string, tail: string] => {
    const body = options.empty === "null" ? row.body.replace(emptyValues, '"$1":null') : row.body
    const from = body.indexOf(fromKey) + fromKey.length
    const to = body.indexOf(toKey, from) + toKey.length
    const internal = options.include ? `,"internal_transactions":${row.internal ?? "[]"}` : ""
    const tail = `,"from_address_label":${labelOf(body, from)},"to_address_label":${labelOf(body, to)}${internal}},`
    return [body, tail]
  }
}

/** The text of one record. */
export const record = (row: Row, options: Options): string => {
  const [body, tail] = parting(options)(row)
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
  const records = rows.map(parting(options))
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
