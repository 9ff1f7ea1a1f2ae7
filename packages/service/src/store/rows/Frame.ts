/**
 * Stored form of a transaction's texts. Both are concatenated in one frame, compressed with zstd and a shipped dictionary, or plain. Long
 * texts are stored apart from the rows of short ones, so that those stay dense. Pure.
 *
 * Source: decision 0033.
 */
import * as Dictionaries from "./Dictionaries.ts"

/** Size in bytes above which a text is stored apart. */
export const apartBytes = 16_384

/** How new documents are stored. */
export type Codec = "plain" | "zstd"

/** Where the texts of a row are stored, and how they are compressed: one number in a row. */
export interface Form {
  /** Dictionary of the frames; 0 for plain text. */
  readonly dictionary: number
  /** True if the frame with the document is stored apart. */
  readonly isBodyApart: boolean
  /** True if internal transactions have a separate frame, which is stored apart. */
  readonly isInternalApart: boolean
}

const bodyApart = 1
const internalApart = 2
const perDictionary = 4

export const toNumber = ({ dictionary, isBodyApart, isInternalApart }: Form): number =>
  dictionary * perDictionary + (isBodyApart ? bodyApart : 0) + (isInternalApart ? internalApart : 0)

export const fromNumber = (form: number): Form => ({
  dictionary: Math.floor(form / perDictionary),
  isBodyApart: (form & bodyApart) !== 0,
  isInternalApart: (form & internalApart) !== 0,
})

/** Texts of a row in stored form. */
export interface Packed {
  readonly form: Form
  /** Size of the document's text in bytes. */
  readonly size: number
  /** Size of the text of internal transactions in bytes; `null` if there is none. */
  readonly internalSize: number | null
  /** The document, followed by the internal transactions unless these are stored apart. */
  readonly frame: Uint8Array
  /** Frame of internal transactions that are stored apart. */
  readonly internalFrame: Uint8Array | null
}

/** Frame of a text's bytes; the bytes themselves for dictionary 0. */
export const encode = (bytes: Uint8Array, dictionary: number): Uint8Array =>
  dictionary === 0 ? bytes : Dictionaries.zstd(dictionary).compress(bytes)

/** Bytes of a frame, valid until the next call. Throws if the frame is damaged or has another size. */
export const decode = (frame: Uint8Array, size: number, dictionary: number): Buffer => {
  if (dictionary !== 0) return Dictionaries.zstd(dictionary).decompress(frame, size)
  if (frame.length !== size) throw new Error(`expected ${size} bytes, received ${frame.length}`)
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
}

/** Size of the buffer to which texts are written before they are compressed: it is kept, because most rows have a few kilobytes. */
const keptBytes = 1 << 18
const kept = Buffer.allocUnsafeSlow(keptBytes)
/** Maximum number of bytes per character of a text. */
const maxCharacterBytes = 3

/** Writes texts one after the other; returns their bytes, valid until the next call, and the length of the first. */
const write = (body: string, behind: string): { readonly bytes: Buffer; readonly size: number } => {
  const room = (body.length + behind.length) * maxCharacterBytes
  const into = room <= keptBytes ? kept : Buffer.allocUnsafeSlow(room)
  const size = into.write(body, 0)
  return { bytes: into.subarray(0, size + into.write(behind, size)), size }
}

/** A frame that later calls do not overwrite. */
const encodeWritten = (bytes: Buffer, dictionary: number): Uint8Array =>
  dictionary === 0 ? Buffer.from(bytes) : encode(bytes, dictionary)

/** Packs the texts of a row. */
export const pack = (body: string, internal: string | null, codec: Codec): Packed => {
  const dictionary = codec === "plain" ? 0 : Dictionaries.current
  const internalSize = internal === null ? null : Buffer.byteLength(internal)
  const isInternalApart = internalSize !== null && internalSize > apartBytes
  const { bytes, size } = write(body, isInternalApart ? "" : (internal ?? ""))
  return {
    form: { dictionary, isBodyApart: size > apartBytes, isInternalApart },
    size,
    internalSize,
    frame: encodeWritten(bytes, dictionary),
    internalFrame: isInternalApart ? encode(Buffer.from(internal!), dictionary) : null,
  }
}

/** Size of a frame's contents in bytes: the document, and internal transactions in the same frame. */
const bytesOf = ({ form, internalSize, size }: Pick<Packed, "form" | "internalSize" | "size">): number =>
  size + (internalSize === null || form.isInternalApart ? 0 : internalSize)

/** Start of the document in a frame, as text. Throws if the frame is damaged. */
export const unpackStart = (packed: Omit<Packed, "internalFrame">, bytes: number): string =>
  decode(packed.frame, bytesOf(packed), packed.form.dictionary).toString("utf8", 0, Math.min(bytes, packed.size))

/** Texts of a frame: the document, followed by the internal transactions. Throws if the frame is damaged. */
export const unpack = (
  { form, frame, internalSize, size }: Omit<Packed, "internalFrame">,
  wantsInternal: boolean,
): { readonly body: string; readonly internal: string | null } => {
  const bytes = decode(frame, bytesOf({ form, internalSize, size }), form.dictionary)
  return {
    body: bytes.toString("utf8", 0, size),
    internal: wantsInternal && internalSize !== null && !form.isInternalApart ? bytes.toString("utf8", size) : null,
  }
}

/** Internal transactions from a separate frame. Throws if the frame is damaged. */
export const unpackInternal = (frame: Uint8Array, size: number, dictionary: number): string =>
  decode(frame, size, dictionary).toString("utf8")
