/**
 * The row of a transaction: made of its texts, and read back from its columns, which are compared with their checksum. What a document
 * already states (its hash, its wallets) has no separate column. Pure; functions named `Unsafe` throw a `StoreError` for a damaged row.
 *
 * Source: decisions 0033 and 0034.
 */
import type { TransactionRow } from "../../block/BlockRows.ts"
import { fromHex, join, split, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import * as DocumentText from "./DocumentText.ts"
import * as Frame from "./Frame.ts"
import * as RowId from "./RowId.ts"
import type { StoredForm } from "../ChainReader.ts"

const addressBytes = 20

/** A stored transaction, with the revision of its document. */
export type StoredRow = TransactionRow & { readonly decoderRevision: number }

/** Columns of a row, in the order of the statements. */
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

/** Error for a row that does not match its checksum, or is unreadable although it does. */
const damaged = (name: string, id: number, what = "does not match its checksum") => {
  const { block, index } = RowId.toPosition(id)
  return Checksum.damaged(name, block, `transaction ${index} ${what}`)
}

/** Decodes what was read for a row. */
const decodeUnsafe = <A>(name: string, id: number, decode: () => A): A => {
  try {
    return decode()
  } catch {
    throw damaged(name, id, "cannot be read")
  }
}

/** Columns of a frame that is stored apart. */
export type ApartColumns = readonly [id: number, frame: Uint8Array, checksum: number]

/** Rows of a transaction. */
export interface Prepared {
  readonly columns: Columns
  /** `null` if the frame is in the row. */
  readonly largeDocument: ApartColumns | null
  readonly largeInternal: ApartColumns | null
}

const apartOf = (id: number, frame: Uint8Array | null): ApartColumns | null =>
  frame === null ? null : [id, frame, Checksum.fromValues([id, frame])]

/** Makes the rows of a transaction. Pure. */
export const prepare = (block: number, row: StoredRow, codec: Frame.Codec): Prepared => {
  const { addresses, body, decoderRevision, hash, internal } = row
  const { form, frame, internalFrame, internalSize, size } = Frame.pack(body, internal, codec)
  const id = RowId.make(block, row.index)
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
  ] as const
  return {
    columns: [...columns, Checksum.fromValues(columns)],
    largeDocument: apartOf(id, form.isBodyApart ? frame : null),
    largeInternal: apartOf(id, internalFrame),
  }
}

/** Total size of the frames in prepared rows. */
export const preparedBytes = ({ columns, largeDocument, largeInternal }: Prepared): number =>
  [columns[7], largeDocument?.[1], largeInternal?.[1]].reduce((sum, frame) => sum + (frame?.length ?? 0), 0)

/** Stored columns of a frame that is stored apart. */
export type Apart = readonly [frame: Uint8Array, checksum: number]

/** Reads a frame of a row that is stored apart: the document, or its internal transactions. */
export type ReadApart = (part: "document" | "internal") => Apart | undefined

const apartUnsafe = (name: string, id: number, read: ReadApart, part: "document" | "internal"): Uint8Array => {
  const row = read(part)
  if (row === undefined || !(row[0] instanceof Uint8Array) || Checksum.fromValues([id, row[0]]) !== row[1]) {
    throw damaged(name, id)
  }
  return row[0]
}

/** Total size of a row's texts. */
export const bytesOf = ([, , , size, internalSize]: Columns, wantsInternal: boolean): number =>
  size + (wantsInternal ? (internalSize ?? 0) : 0)

/** Texts of a row. */
export interface Texts {
  readonly body: string
  readonly internal: string | null
  readonly stored: StoredForm
}

/** Frame of a document, after its columns were compared with their checksum. */
const frameUnsafe = (name: string, columns: Columns, readApart: ReadApart): Uint8Array => {
  const [id, revision, form, size, internalSize, hash, addresses, inline, checksum] = columns
  if (Checksum.fromValues([id, revision, form, size, internalSize, hash, addresses, inline]) !== checksum)
    throw damaged(name, id)
  return inline ?? apartUnsafe(name, id, readApart, "document")
}

/** Reads the texts of a transaction from its columns, with its internal transactions if requested. */
export const textsUnsafe = (name: string, columns: Columns, wantsInternal: boolean, readApart: ReadApart): Texts => {
  const [id, , formNumber, size, internalSize] = columns
  const form = Frame.fromNumber(formNumber)
  const frame = frameUnsafe(name, columns, readApart)
  const unpacked = decodeUnsafe(name, id, () => Frame.unpack({ form, frame, size, internalSize }, wantsInternal))
  const texts = { ...unpacked, stored: { form: formNumber, size, frame } }
  if (!wantsInternal || !form.isInternalApart || internalSize === null) return texts
  const apart = apartUnsafe(name, id, readApart, "internal")
  const internal = decodeUnsafe(name, id, () => Frame.unpackInternal(apart, internalSize, form.dictionary))
  return { ...texts, internal }
}

/** Whether a transaction belongs to a wallet, given its columns and text. */
export const isOf = (columns: Columns, body: string, address: string): boolean =>
  columns[6] === null ? DocumentText.isOf(body, address) : addressesOf(columns, body).includes(address)

/** Wallets of a transaction, given its columns and text. */
export const addressesOf = ([, , , , , , addresses]: Columns, body: string): ReadonlyArray<string> =>
  // Sound: a row without the column was written with the wallets of its text.
  addresses === null ? DocumentText.namesOf(body)!.addresses : split(addresses, addressBytes).map(toHex)

/** Reads the hash of a transaction from its columns, without the rest of its text. */
export const hashUnsafe = (name: string, columns: Columns, readApart: ReadApart): string => {
  const [id, , formNumber, size, internalSize] = columns
  const frame = frameUnsafe(name, columns, readApart)
  const form = Frame.fromNumber(formNumber)
  const start = () => Frame.unpackStart({ form, frame, size, internalSize }, DocumentText.hashEnd)
  return hashOf(columns, decodeUnsafe(name, id, start))
}

/** Hash of a transaction, given its columns and text. */
export const hashOf = ([, , , , , hash]: Columns, body: string): string =>
  // Sound: a row without the column was written with the hash of its text.
  hash === null ? DocumentText.hashOf(body) : toHex(hash)

/** Reads the row of a transaction from its columns, with its internal transactions if requested. */
export const fromColumnsUnsafe = (
  name: string,
  columns: Columns,
  wantsInternal: boolean,
  readApart: ReadApart,
): StoredRow => {
  const { body, internal } = textsUnsafe(name, columns, wantsInternal, readApart)
  const [id, decoderRevision] = columns
  return decodeUnsafe(name, id, () => ({
    index: RowId.toPosition(id).index,
    hash: hashOf(columns, body),
    body,
    internal,
    addresses: addressesOf(columns, body),
    decoderRevision,
  }))
}

/** Where the texts of a row are stored. */
export const formOf = ([, , form]: Columns): Frame.Form => Frame.fromNumber(form)
