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

const toRow = ([id, form, size, internalSize, frame]: Columns): StoredRow => {
  if (form !== compressed || frame === null) throw new Error(`Row ${id} has form ${form}.`)
  const text = zstdDecompressSync(frame, { dictionary })
  if (text.length !== size + (internalSize ?? 0)) throw new Error(`Row ${id} has another size.`)
  const body = text.toString("utf8", 0, size)
  return { ...positionOf(id), body, internal: internalSize === null ? null : text.toString("utf8", size) }
}

/** Facts of a block, as far as they are compared. */
export interface StoredFacts {
  readonly gasFees: string | null
  readonly transactions: ReadonlyArray<{ readonly index: number }>
}

const toFacts = (frame: Uint8Array): StoredFacts =>
  JSON.parse(zstdDecompressSync(frame, { dictionary: factsDictionary }).toString())

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

/** The key under which the history of an address lies. */
export const keyOf = (address: string): string =>
  createHash("sha256")
    .update(Buffer.from(address.slice(2), "hex"))
    .digest("hex")
    .slice(0, 16)

/** An entry of a history. */
export type Entry = readonly [block: number, index: number, key: string]

/** Statements on a file, prepared. */
export const make = (database: DatabaseSync) => {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const ids = prepare("SELECT id FROM document ORDER BY id")
  const ofBlock = prepare(
    "SELECT id, form, size, internal_size, frame FROM document WHERE id >= ? AND id < ? ORDER BY id",
  )
  const histories = ["history", "history_copy"].map((table) =>
    prepare(`SELECT id, hex(key) FROM ${table} ORDER BY 1, 2`),
  )
  const factBlocks = prepare("SELECT block FROM facts ORDER BY block")
  const ledger = prepare("SELECT id, lower(hex(wallet)), body FROM ledger ORDER BY 1, 2")
  const derived = prepare("SELECT revision, next FROM projection WHERE id = 'wallet_ledger'")
  const ledgerBlocks = prepare("SELECT block FROM ledger_block ORDER BY block")
  const facts = prepare("SELECT frame FROM facts WHERE block = ?")
  return {
    /** Blocks with facts. */
    factBlocks: () => (factBlocks.all() as unknown as ReadonlyArray<readonly [number]>).map(([block]) => block),
    /** The facts of a block that has some. */
    factsOf: (block: number) => toFacts((facts.get(block) as unknown as readonly [Uint8Array])[0]),
    /** Blocks with a ledger. */
    ledgerBlocks: () => (ledgerBlocks.all() as unknown as ReadonlyArray<readonly [number]>).map(([block]) => block),
    /** Rows of ledgers. */
    ledger: () =>
      (ledger.all() as unknown as ReadonlyArray<readonly [number, string, Uint8Array]>).map(([id, wallet, body]) => ({
        ...positionOf(id),
        wallet: `0x${wallet}`,
        body,
      })),
    /** The revision of the derivation of ledgers, and the first block that is not derived with it; `null` where none is registered. */
    derived: () =>
      (derived.all()[0] as unknown as readonly [revision: number, next: number | null] | undefined) ?? null,
    /** Positions of all transactions. */
    positions: () =>
      // Sound, here and below: rows have the columns of their statement.
      (ids.all() as unknown as ReadonlyArray<readonly [number]>).map(([id]) => positionOf(id)),
    /** The transactions of a block. */
    ofBlock: (block: number) =>
      (ofBlock.all(block * perBlock, (block + 1) * perBlock) as unknown as ReadonlyArray<Columns>).map(toRow),
    /** The entries of the histories, and those of their copy. */
    histories: () =>
      histories.map((statement) =>
        (statement.all() as unknown as ReadonlyArray<readonly [number, string]>).map(([id, key]): Entry => {
          const { block, index } = positionOf(id)
          return [block, index, key.toLowerCase()]
        }),
      ),
  }
}
