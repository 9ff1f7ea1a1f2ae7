/**
 * The rows of transactions: inserts them, reads them and compares each with its checksum. What a document states already (its hash, its
 * wallets) has no column of its own. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decisions 0033 and 0034.
 */
import type { TransactionRow } from "../BlockRows.ts"
import { fromHex, join, split, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import type { Connection, Params } from "./Connection.ts"
import * as DocumentText from "./DocumentText.ts"
import * as Frame from "./Frame.ts"
import * as RowId from "./RowId.ts"
import * as Statements from "./DocumentStatements.ts"

const addressBytes = 20

/** A stored transaction, with the revision of its document. */
export type StoredRow = TransactionRow & { readonly decoderRevision: number }

/** The columns of a row, in the order of the statements. */
export type Columns = readonly [
  id: number,
  revision: number,
  form: number,
  size: number,
  internalSize: number | null,
  hash: Uint8Array | null,
  addresses: Uint8Array | null,
  frame: Uint8Array | null,
  checksum: number,
]

/** A row that does not match its checksum. */
const damaged = (connection: Connection, id: number) => {
  const { block, index } = RowId.toPosition(id)
  return Checksum.damaged(connection.name, block, `transaction ${index} does not match its checksum`)
}

const insertApart = (connection: Connection, sql: string, id: number, frame: Uint8Array): void =>
  connection.manyUnsafe(sql, [[id, frame, Checksum.of([id, frame])]])

/** The parameters of a row; inserts what lies apart. */
const rowUnsafe = (connection: Connection, id: number, row: StoredRow, codec: Frame.Codec): Params => {
  const { addresses, body, decoderRevision, hash, internal } = row
  const { form, frame, internalFrame, internalSize, size } = Frame.pack(body, internal, codec)
  if (form.isBodyApart) insertApart(connection, Statements.insertLargeDocument, id, frame)
  if (internalFrame !== null) insertApart(connection, Statements.insertLargeInternal, id, internalFrame)
  const named = DocumentText.namesOf(body)
  const columns = [
    id,
    decoderRevision,
    Frame.toNumber(form),
    size,
    internalSize,
    named !== null && named.hash === hash ? null : fromHex(hash),
    named !== null && DocumentText.isSame(named.addresses, addresses) ? null : join(addresses.map(fromHex)),
    form.isBodyApart ? null : frame,
  ]
  return [...columns, Checksum.of(columns)]
}

/** Inserts the transactions of a block. */
export const insertUnsafe = (
  connection: Connection,
  block: number,
  rows: ReadonlyArray<StoredRow>,
  codec: Frame.Codec,
): void =>
  connection.manyUnsafe(
    Statements.insertDocument,
    rows.map((row) => rowUnsafe(connection, RowId.of(block, row.index), row, codec)),
  )

const apartUnsafe = (connection: Connection, sql: string, id: number): Uint8Array => {
  const [row] = connection.valuesUnsafe<readonly [frame: Uint8Array, checksum: number]>(sql, [id])
  if (row === undefined || !(row[0] instanceof Uint8Array) || Checksum.of([id, row[0]]) !== row[1])
    throw damaged(connection, id)
  return row[0]
}

/** Bytes of the texts of a row. */
export const bytesOf = ([, , , size, internalSize]: Columns, wantsInternal: boolean): number =>
  size + (wantsInternal ? (internalSize ?? 0) : 0)

/** The texts of a row. */
export interface Texts {
  readonly body: string
  readonly internal: string | null
}

/** Reads the texts of a transaction from its columns, with its internal transactions where they are wanted. */
export const textsUnsafe = (connection: Connection, columns: Columns, wantsInternal: boolean): Texts => {
  const [id, revision, formNumber, size, internalSize, hash, addresses, inline, checksum] = columns
  const checked = [id, revision, formNumber, size, internalSize, hash, addresses, inline]
  if (Checksum.of(checked) !== checksum) throw damaged(connection, id)
  const form = Frame.fromNumber(formNumber)
  const frame = inline ?? apartUnsafe(connection, Statements.largeDocument, id)
  const texts = Frame.unpack({ form, frame, size, internalSize }, wantsInternal)
  if (!wantsInternal || !form.isInternalApart || internalSize === null) return texts
  const apart = apartUnsafe(connection, Statements.largeInternal, id)
  return { body: texts.body, internal: Frame.unpackInternal(apart, internalSize, form.dictionary) }
}

/** Whether a transaction, whose columns and text were read, belongs to a wallet. */
export const isOf = (columns: Columns, body: string, address: string): boolean =>
  columns[6] === null ? DocumentText.isOf(body, address) : addressesOf(columns, body).includes(address)

/** The wallets of a transaction, whose columns and text were read. */
export const addressesOf = ([, , , , , , addresses]: Columns, body: string): ReadonlyArray<string> =>
  // Sound: a row without the column was written with those of its text.
  addresses === null ? DocumentText.namesOf(body)!.addresses : split(addresses, addressBytes).map(toHex)

/** Reads the row of a transaction from its columns, with its internal transactions where they are wanted. */
export const fromColumnsUnsafe = (connection: Connection, columns: Columns, wantsInternal: boolean): StoredRow => {
  const { body, internal } = textsUnsafe(connection, columns, wantsInternal)
  const [id, decoderRevision, , , , hash] = columns
  return {
    index: RowId.toPosition(id).index,
    hash: hash === null ? DocumentText.namesOf(body)!.hash : toHex(hash),
    body,
    internal,
    addresses: addressesOf(columns, body),
    decoderRevision,
  }
}
