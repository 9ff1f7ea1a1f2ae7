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

/**
 * Makes the lookup of the label's text for the address of a key in a body. The key is the first of its name, since only a hash,
 * numbers and addresses stand before it.
 */
const labels = ({ label, wallet }: Pick<Options, "label" | "wallet">) => {
  const own = wallet === undefined ? undefined : { quoted: `"${wallet}"`, text: textOf(label(wallet)) }
  return (body: string, key: string): string => {
    const start = body.indexOf(`"${key}":`) + key.length + 3
    if (own !== undefined && body.startsWith(own.quoted, start)) return own.text
    return body[start] === '"' ? textOf(label(body.slice(start + 1, body.indexOf('"', start + 1)))) : "null"
  }
}

/** Inside a JSON text a quote is escaped, so these can only be a key and its value. */
const emptyValues = /"(receipt_contract_address|receipt_root|receipt_status|topic[0-3])":""/g

/** Makes what gives the stored text of a record, and what stands in the place of its last `}`, with a comma after it. */
const parting = (options: Options) => {
  const labelOf = labels(options)
  return (row: Row): readonly [body: string, tail: string] => {
    const body = options.empty === "null" ? row.body.replace(emptyValues, '"$1":null') : row.body
    const internal = options.include ? `,"internal_transactions":${row.internal ?? "[]"}` : ""
    const tail = `,"from_address_label":${labelOf(body, "from_address")},"to_address_label":${labelOf(body, "to_address")}${internal}},`
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
