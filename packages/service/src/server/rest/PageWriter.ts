/**
 * Joins stored texts into the bytes of a page without encoding them again. Pure.
 *
 * Source: docs/interface.md#2.1, docs/interface.md#2.2; decisions 0008, 0011 and 0020.
 */
import type { Label } from "../../label/Label.ts"
import * as Role from "../../ledger/Role.ts"
import type { StoredForm } from "../../store/ChainReader.ts"
import * as LargeResponse from "../admission/LargeResponse.ts"

/** A stored transaction: its text, which ends with `}`, and the text of its internal transactions. */
export interface Row {
  readonly body: string
  readonly internal: string | null
  /** The form in which `body` is stored; undefined if it differs from the stored text. */
  readonly stored?: StoredForm | undefined
  /** Roles of the wallet in the transaction, as bits; undefined if the page does not show them. */
  readonly roles?: number
  /** Text of the user operations in which the wallet has a role; undefined if the page has none. */
  readonly operations?: string | undefined
}

/** How to write a page. */
export interface Options {
  readonly label: Label
  /** Whether internal transactions are included; every row must then have a text for them. */
  readonly include: boolean
  /** `null` writes empty values as null; `string` leaves them as stored. */
  readonly empty: "string" | "null"
}

const textOf = (found: string | null): string => (found === null ? "null" : JSON.stringify(found))

/** The key as it appears in a body. The first occurrence is the record's own, since only a hash, numbers and addresses precede it. */
const hashKey = '{"hash":"'
const fromKey = '"from_address":'
const toKey = '"to_address":'

/** The transaction hash in a body. */
export const hashOf = (body: string): string => body.slice(hashKey.length, body.indexOf('"', hashKey.length))

/** Text of a label, for the address at an index of a body. */
const labelAt = (label: Label, body: string, start: number): string =>
  body[start] === '"' ? textOf(label(body.slice(start + 1, body.indexOf('"', start + 1)))) : "null"

/** Quotes inside a JSON string are escaped, so a match can only be a key and its value. */
const emptyValues = /"(receipt_contract_address|receipt_root|receipt_status|topic[0-3])":""/g

const withEmpty = (text: string, { empty }: Options): string =>
  empty === "null" ? text.replace(emptyValues, '"$1":null') : text

const rolesOf = (roles: number | undefined): string =>
  roles === undefined ? "" : `,"roles":${JSON.stringify(Role.fromBits(roles))}`

const operationsOf = (operations: string | undefined): string =>
  operations === undefined ? "" : `,"user_operations":${operations}`

/** Replacement of the closing brace of a record's stored text, followed by a comma. */
const tailOf = ({ body, internal, operations, roles }: Row, { include, label }: Options): string => {
  const from = body.indexOf(fromKey) + fromKey.length
  const to = body.indexOf(toKey, from) + toKey.length
  const labels = `,"from_address_label":${labelAt(label, body, from)},"to_address_label":${labelAt(label, body, to)}`
  const included = include ? `,"internal_transactions":${internal ?? "null"}` : ""
  return `${labels}${included}${rolesOf(roles)}${operationsOf(operations)}},`
}

/** The text of one record. */
export const record = (row: Row, options: Options): string =>
  `${withEmpty(row.body, options).slice(0, -1)}${tailOf(row, options).slice(0, -1)}`

/** What a page contains besides its rows. */
export interface PageFields {
  readonly cursor: string | null
  readonly page: number
  readonly pageSize: number
}

const headOf = ({ cursor, page, pageSize }: PageFields): string =>
  `{"cursor":${cursor === null ? "null" : `"${cursor}"`},"page":"${page}","page_size":"${pageSize}","result":[`

/** Maximum number of bytes of a UTF-16 code unit. */
const maxBytesOfUnit = 3

/** Memory for texts: the given buffer if it is certainly large enough, judged without examining the texts, otherwise a new one. */
const roomFor = (texts: ReadonlyArray<string>, memory: Buffer | undefined): Buffer => {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  if (memory !== undefined && units * maxBytesOfUnit <= memory.length) return memory
  return Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0))
}

/** The bytes of a page, and a shorter sequence that determines them. */
export interface Written {
  readonly bytes: Uint8Array
  /** Pages with the same identity have the same bytes. */
  readonly identity: Uint8Array
}

/** Bytes that determine the texts of a page. Each text is preceded by its length, or represented by its stored form. */
const identityOf = (rows: ReadonlyArray<Row>, texts: ReadonlyArray<string>): Uint8Array => {
  const frames: Array<Uint8Array> = []
  const textOf = (text: string): string => `${text.length}:${text}`
  let facts = `${rows.length}:${textOf(texts[0]!)}`
  for (const [at, { body, stored }] of rows.entries()) {
    const written = texts[2 * at + 1]!
    if (stored !== undefined && written === body) {
      frames.push(stored.frame)
      facts += `=${stored.form} ${stored.size} ${stored.frame.length}:`
    } else facts += textOf(written)
    facts += textOf(texts[2 * at + 2]!)
  }
  return Buffer.concat([Buffer.from(facts), ...frames])
}

/**
 * Writes a page, into `memory` if it fits. Texts are written directly to their position, because joining them first would copy everything
 * twice more.
 */
export const page = (rows: ReadonlyArray<Row>, fields: PageFields, options: Options, memory?: Buffer): Written => {
  const texts = [headOf(fields)]
  for (const row of rows) texts.push(withEmpty(row.body, options), tailOf(row, options))
  texts.push("]}")
  const bytes = roomFor(texts, memory)
  let at = bytes.write(texts[0]!, 0)
  for (let index = 1; index < texts.length - 1; index += 2) {
    at += bytes.write(texts[index]!, at) - 1
    at += bytes.write(texts[index + 1]!, at)
  }
  if (rows.length > 0) at -= 1
  at += bytes.write("]}", at)
  return { bytes: bytes.subarray(0, at), identity: identityOf(rows, texts) }
}

/** Characters of the stored texts of rows, which equal their bytes except for the few that are not ASCII. */
export const sizeOf = (rows: ReadonlyArray<Row>, { include }: Pick<Options, "include">): number =>
  rows.reduce(
    (sum, { body, internal, operations }) =>
      sum + body.length + (include ? (internal?.length ?? 0) : 0) + (operations?.length ?? 0),
    0,
  )

const texts = function* (rows: ReadonlyArray<Row>, fields: PageFields, options: Options): Generator<string> {
  yield headOf(fields)
  for (const [at, row] of rows.entries()) {
    // Matches of `emptyValues` contain no comma, so they are not cut.
    for (const text of LargeResponse.cutText(row.body, row.body.length - 1)) yield withEmpty(text, options)
    const tail = tailOf(row, options)
    yield* LargeResponse.cutText(tail, at === rows.length - 1 ? tail.length - 1 : tail.length)
  }
  yield "]}"
}

/** The bytes of a page in chunks of about 64 KiB, each computed when it is taken. */
export const chunks = (rows: ReadonlyArray<Row>, fields: PageFields, options: Options): Iterable<Uint8Array> =>
  LargeResponse.chunksOf(texts(rows, fields, options))
