/**
 * Stored rows of a chain in the form that the model compares, decoded according to the documentation of the format and without code of
 * the service: frames are decompressed by Node itself.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { zstdDecompressSync } from "node:zlib"

/** Number of row ids per block. */
export const perBlock = 1_048_576
const dictionaryOf = (id: number) => readFileSync(new URL(`../../dictionaries/${id}.zdict`, import.meta.url))
const dictionary = dictionaryOf(1)
const factsDictionary = dictionaryOf(2)

/** A transaction in stored form. */
export interface StoredRow {
  readonly block: number
  readonly index: number
  readonly body: string
  readonly internal: string | null
}

/** Columns of a document. */
export type Columns = readonly [
  id: number,
  form: number,
  size: number,
  internalSize: number | null,
  frame: Uint8Array | null,
]

/** Form of a row that is compressed with the first dictionary and has all texts in one frame. */
const compressed = 4

/** The block and index of a row id. */
export const positionOf = (id: number) => ({ block: Math.floor(id / perBlock), index: id % perBlock })

/** Decompresses each frame once, because Node loads the dictionary in every call. */
const decompressor = (of: Buffer) => {
  const known = new Map<string, Buffer>()
  return (frame: Uint8Array): Buffer => {
    const key = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString("latin1")
    const text = known.get(key) ?? zstdDecompressSync(frame, { dictionary: of })
    known.set(key, text)
    return text
  }
}

/** Decodes documents. */
export const documentReader = () => {
  const decompress = decompressor(dictionary)
  return (columns: Columns) => toRow(columns, decompress)
}

/** Decodes the facts of blocks. */
export const factsReader = () => {
  const decompress = decompressor(factsDictionary)
  return (frame: Uint8Array): StoredFacts => JSON.parse(decompress(frame).toString())
}

const toRow = (
  [id, form, size, internalSize, frame]: Columns,
  decompress: (frame: Uint8Array) => Buffer,
): StoredRow => {
  if (form !== compressed || frame === null) throw new Error(`Row ${id} has form ${form}.`)
  const text = decompress(frame)
  if (text.length !== size + (internalSize ?? 0)) throw new Error(`Row ${id} has a wrong size.`)
  const body = text.toString("utf8", 0, size)
  return { ...positionOf(id), body, internal: internalSize === null ? null : text.toString("utf8", size) }
}

/** Compared facts of a block. */
export interface StoredFacts {
  readonly gasFees: string | null
  readonly transactions: ReadonlyArray<{ readonly index: number }>
}

/** A row of a ledger. */
export interface StoredLedgerRow {
  readonly block: number
  readonly index: number
  readonly wallet: string
  readonly body: Uint8Array
}

/** The checkpoint, and the fields that change with any write. */
export interface CheckpointRow {
  readonly first: number | null
  readonly number: number | null
  readonly hash: string | null
  readonly timestamp: number | null
  readonly finalized: number | null
  readonly blocks: number
  readonly transactions: number
  readonly newest: number
  readonly appearances: number
  readonly ledger: number
  readonly projections: number
}

/** Reads the rows of a store; each list is a single text. */
export interface StoredRows {
  readonly checkpoint: () => CheckpointRow | undefined
  /** Number, hash, parent hash and time of each block. */
  readonly blocks: () => string
  /** Blocks with facts. */
  readonly factBlocks: () => string
  /** Blocks with a ledger. */
  readonly ledgerBlocks: () => string
  /** Block and index of every transaction. */
  readonly positions: () => string
  /** Block, index and key of all history entries, and of those in the copy of the histories. */
  readonly histories: () => ReadonlyArray<string>
  /** Index and wallet of ledger rows, by block. */
  readonly ledger: () => Map<number, string>
  /** Ledger rows with their bodies. */
  readonly movements: () => ReadonlyArray<StoredLedgerRow>
  /** Revision of the ledgers, and the first block that is not derived with it; `null` if no ledger projection is registered. */
  readonly derived: () => readonly [revision: number, next: number | null] | null
  /** Transactions of a block whose internal calls are missing. */
  readonly untraced: (block: number) => ReadonlyArray<string>
  /** Transactions without a receipt, each with its block. */
  readonly missing: () => ReadonlyArray<readonly [block: number, transaction: string]>
  /** Facts of a block that has some. */
  readonly factsOf: (block: number) => StoredFacts
  /** The transactions of a block. */
  readonly ofBlock: (block: number) => ReadonlyArray<StoredRow>
}

/** Compared fields of a movement: number of its kind, amount, and log index. */
export type StoredMovement = readonly [kind: number, amount: bigint, logIndex: number | null]

/** Numbers of the kinds of token movements; the last two also have a token id. */
const tokenKinds: ReadonlySet<number> = new Set([7, 8, 9])
const addressBytes = 20

/** Movements of a ledger row, decoded according to the format that `LedgerCodec` documents. */
export const movementsOf = (body: Uint8Array): ReadonlyArray<StoredMovement> => {
  let at = 0
  const number = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = body[at++]!
      value += (byte % 128) * scale
      if (byte < 128) return value
    }
  }
  const integer = () => {
    const end = number() + at
    let value = 0n
    while (at < end) value = value * 256n + BigInt(body[at++]!)
    return value
  }
  const movements: Array<StoredMovement> = []
  number()
  while (at < body.length) {
    const bits = body[at++]!
    const kind = bits % 16
    if ((bits & 64) !== 0) at += addressBytes
    if (tokenKinds.has(kind)) at += addressBytes
    if (kind === 8 || kind === 9) integer()
    const amount = integer()
    movements.push([kind, (bits & 16) === 0 ? amount : -amount, (bits & 128) === 0 ? null : number()])
  }
  return movements
}

const keys = new Map<string, string>()

/** Key of an address's history. */
export const keyOf = (address: string): string => {
  const known = keys.get(address)
  if (known !== undefined) return known
  const hash = createHash("sha256").update(Buffer.from(address.slice(2), "hex"))
  const key = hash.digest("hex").slice(0, 16)
  keys.set(address, key)
  return key
}
