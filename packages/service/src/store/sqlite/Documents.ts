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

/** The addresses of joined bytes. */
const addressesOf = (joined: Uint8Array): ReadonlyArray<string> => split(joined, addressBytes).map(toHex)

/** Bytes of the texts of a row. */
export const bytesOf = ([, , , size, internalSize]: Columns, wantsInternal: boolean): number =>
  size + (wantsInternal ? (internalSize ?? 0) : 0)

/** Reads the row of a transaction from its columns, with its internal transactions where they are wanted. */
export const fromColumnsUnsafe = (connection: Connection, columns: Columns, wantsInternal: boolean): StoredRow => {
  const [id, revision, formNumber, size, internalSize, hash, addresses, inline, checksum] = columns
  if (Checksum.of([id, revision, formNumber, size, internalSize, hash, addresses, inline]) !== checksum)
    throw damaged(connection, id)
  const form = Frame.fromNumber(formNumber)
  const frame = inline ?? apartUnsafe(connection, Statements.largeDocument, id)
  const texts = Frame.unpack({ form, frame, size, internalSize }, wantsInternal)
  const internal =
    wantsInternal && form.isInternalApart && internalSize !== null
      ? Frame.unpackInternal(apartUnsafe(connection, Statements.largeInternal, id), internalSize, form.dictionary)
      : texts.internal
  const named = hash === null || addresses === null ? DocumentText.namesOf(texts.body) : null
  return {
    index: RowId.toPosition(id).index,
    hash: hash === null ? named!.hash : toHex(hash),
    body: texts.body,
    internal,
    addresses: addresses === null ? named!.addresses : addressesOf(addresses),
    decoderRevision: revision,
  }
}
