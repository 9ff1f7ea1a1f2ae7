/**
 * Reads the rows of transactions in a chain's file by their description in the documents, with no code of the service: frames are
 * decompressed by Node itself.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { zstdDecompressSync } from "node:zlib"

const perBlock = 1_048_576
const dictionaryOf = (id: number) => readFileSync(new URL(`../../dictionaries/${id}.zdict`, import.meta.url))
const dictionary = dictionaryOf(1)
const factsDictionary = dictionaryOf(2)

/** A transaction as it is stored. */
export interface StoredRow {
  readonly block: number
  readonly index: number
  readonly body: string
  readonly internal: string | null
}

type Columns = readonly [id: number, form: number, size: number, internalSize: number | null, frame: Uint8Array | null]

/** Form of a row that is compressed by the first dictionary, its texts in one frame beside it. */
const compressed = 4

const positionOf = (id: number) => ({ block: Math.floor(id / perBlock), index: id % perBlock })

/** Decompresses each frame once: Node loads the dictionary again in every call. */
const decompressor = (of: Buffer) => {
  const known = new Map<string, Buffer>()
  return (frame: Uint8Array): Buffer => {
    const key = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString("latin1")
    const text = known.get(key) ?? zstdDecompressSync(frame, { dictionary: of })
    known.set(key, text)
    return text
  }
}

const toRow = (
  [id, form, size, internalSize, frame]: Columns,
  decompress: (frame: Uint8Array) => Buffer,
): StoredRow => {
  if (form !== compressed || frame === null) throw new Error(`Row ${id} has form ${form}.`)
  const text = decompress(frame)
  if (text.length !== size + (internalSize ?? 0)) throw new Error(`Row ${id} has another size.`)
  const body = text.toString("utf8", 0, size)
  return { ...positionOf(id), body, internal: internalSize === null ? null : text.toString("utf8", size) }
}

/** Facts of a block, as far as they are compared. */
export interface StoredFacts {
  readonly gasFees: string | null
  readonly transactions: ReadonlyArray<{ readonly index: number }>
}

/** A movement as far as it is compared: the number of its kind, its amount, and the index of its log. */
export type StoredMovement = readonly [kind: number, amount: bigint, logIndex: number | null]

/** Numbers of kinds whose movements name a token; the last two name an id of it too. */
const tokenKinds: ReadonlySet<number> = new Set([7, 8, 9])
const addressBytes = 20

/** The movements of a row of a ledger, by the description of its body in `LedgerCodec`. */
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

/** The key under which the history of an address lies. */
export const keyOf = (address: string): string => {
  const known = keys.get(address)
  if (known !== undefined) return known
  const hash = createHash("sha256").update(Buffer.from(address.slice(2), "hex"))
  const key = hash.digest("hex").slice(0, 16)
  keys.set(address, key)
  return key
}

/** A row's place in the chain, as a text. */
const place = "(id >> 20) || ':' || (id & 1048575)"

/** Statements on a file, prepared. Lists that are read after every commit are one text each, which SQLite makes quicker than rows. */
export const make = (database: DatabaseSync) => {
  const decompress = decompressor(dictionary)
  const decompressFacts = decompressor(factsDictionary)
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  // Sound, here and below: rows have the columns of their statement.
  const list = (item: string, table: string, order: string) => {
    const statement = prepare(`SELECT group_concat(${item}, ' ' ORDER BY ${order}) FROM ${table}`)
    return (): string => (statement.get() as unknown as readonly [string | null])[0] ?? ""
  }
  const histories = ["history", "history_copy"].map((table) =>
    list(`${place} || ':' || lower(hex(key))`, table, "id, key"),
  )
  const ofBlock = prepare(
    "SELECT id, form, size, internal_size, frame FROM document WHERE id >= ? AND id < ? ORDER BY id",
  )
  const ledger = prepare(
    "SELECT id >> 20, group_concat((id & 1048575) || ':0x' || lower(hex(wallet)), ' ' ORDER BY id, wallet) FROM ledger GROUP BY 1",
  )
  const movements = prepare("SELECT id, lower(hex(wallet)), body FROM ledger")
  const derived = prepare("SELECT revision, next FROM projection WHERE id = 'wallet_ledger'")
  const facts = prepare("SELECT frame FROM facts WHERE block = ?")
  return {
    /** Number, hash, hash of the parent and time of each block. */
    blocks: list(
      "number || ':0x' || lower(hex(hash)) || ':0x' || lower(hex(parent_hash)) || ':' || timestamp",
      "block",
      "number",
    ),
    /** Blocks with facts. */
    factBlocks: list("block", "facts", "block"),
    /** Blocks with a ledger. */
    ledgerBlocks: list("block", "ledger_block", "block"),
    /** Block and index of every transaction. */
    positions: list(place, "document", "id"),
    /** Block, index and key of the entries of the histories, and of those of their copy. */
    histories: () => histories.map((read) => read()),
    /** Index and wallet of the rows of ledgers, by block. */
    ledger: () => new Map(ledger.all() as unknown as ReadonlyArray<readonly [block: number, rows: string]>),
    /** Rows of ledgers with their bodies. */
    movements: () =>
      (movements.all() as unknown as ReadonlyArray<readonly [number, string, Uint8Array]>).map(
        ([id, wallet, body]) => ({ ...positionOf(id), wallet: `0x${wallet}`, body }),
      ),
    /** The revision of the derivation of ledgers, and the first block that is not derived with it; `null` where none is registered. */
    derived: () =>
      (derived.all()[0] as unknown as readonly [revision: number, next: number | null] | undefined) ?? null,
    /** The facts of a block that has some. */
    factsOf: (block: number): StoredFacts => {
      const [frame] = facts.get(block) as unknown as readonly [Uint8Array]
      return JSON.parse(decompressFacts(frame).toString())
    },
    /** The transactions of a block. */
    ofBlock: (block: number) =>
      (ofBlock.all(block * perBlock, (block + 1) * perBlock) as unknown as ReadonlyArray<Columns>).map((columns) =>
        toRow(columns, decompress),
      ),
  }
}
