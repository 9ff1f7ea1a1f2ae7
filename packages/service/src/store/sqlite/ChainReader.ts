/**
 * Reads a chain's file in snapshots.
 */
import * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint } from "../BlockRows.ts"
import type { ChainReader, PageQuery, PageRow, Snapshot } from "../ChainReader.ts"
import { fromHex, toHex } from "./Bytes.ts"
import type { Connection } from "./Connection.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Statements from "./Statements.ts"

/** A row as it is stored: the columns of a page, in their order. */
export type StoredRow = readonly [
  block: number,
  index: number,
  body: string,
  decoderRevision: number,
  internal: string | null,
]

/** A row as it is read. */
export const pageRow = ([block, index, body, decoderRevision, internal]: StoredRow): PageRow => ({
  block,
  index,
  body,
  decoderRevision,
  internal,
})

type CheckpointColumns = readonly [
  first: number,
  number: number | null,
  hash: Uint8Array,
  timestamp: number,
  finalized: number | null,
  watch: string | null,
]

/** The checkpoint; null while the index is empty. */
export const checkpointUnsafe = (connection: Connection, chain: number): Checkpoint | null => {
  const [row] = connection.valuesUnsafe<CheckpointColumns>(Statements.checkpoint, [chain])
  if (row === undefined) return null
  const [first, number, hash, headTimestamp, finalized, watch] = row
  if (number === null) return null
  return {
    first,
    head: { number, hash: toHex(hash) },
    headTimestamp,
    finalized,
    ...(watch === null ? {} : { watch: JSON.parse(watch) as ReadonlyArray<string> }),
  }
}

/** The stored block of a number; null outside the index. */
export const blockUnsafe = (connection: Connection, chain: number, number: number) => {
  const [row] = connection.valuesUnsafe<readonly [number: number, hash: Uint8Array, timestamp: number]>(
    Statements.block,
    [chain, number],
  )
  return row === undefined ? null : { number: row[0], hash: toHex(row[1]), timestamp: row[2] }
}

const numberUnsafe = (connection: Connection, sql: string, chain: number, timestamp: number) =>
  connection.rowsUnsafe<{ readonly number: number }>(sql, [chain, timestamp])[0]?.number ?? null

/** Where a walk begins: just outside its first row. A place outside the bounds counts only if it lies further on. */
const startOf = (query: PageQuery): readonly [block: number, index: number] => {
  const { after, from, order, to } = query
  if (order === "ASC") return after !== null && after.block >= from ? [after.block, after.index] : [from, -1]
  return after !== null && after.block <= to ? [after.block, after.index] : [to + 1, -1]
}

const pageSql = ({ internal = true, order }: PageQuery): string => {
  if (order === "ASC") return internal ? Statements.pageUpInternal : Statements.pageUp
  return internal ? Statements.pageDownInternal : Statements.pageDown
}

const pageUnsafe = (connection: Connection, chain: number, query: PageQuery): ReadonlyArray<PageRow> => {
  const [block, index] = startOf(query)
  const last = query.order === "ASC" ? query.to : query.from
  return connection
    .valuesUnsafe<StoredRow>(pageSql(query), [chain, fromHex(query.address), block, index, last, query.limit])
    .map(pageRow)
}

const readsOf = (connection: Connection, chain: number): Omit<Snapshot, "checkpoint"> => ({
  block: (number) => connection.attempt(() => blockUnsafe(connection, chain, number)),
  firstAtOrAfter: (timestamp) =>
    connection.attempt(() => numberUnsafe(connection, Statements.firstAtOrAfter, chain, timestamp)),
  lastAtOrBefore: (timestamp) =>
    connection.attempt(() => numberUnsafe(connection, Statements.lastAtOrBefore, chain, timestamp)),
  page: (query) => connection.attempt(() => pageUnsafe(connection, chain, query)),
  lowestReorgedBlock: (ref) =>
    connection.attempt(
      () =>
        connection.rowsUnsafe<{ readonly lowest: number }>(Statements.lowestReorgedBlock, [
          chain,
          ref.number,
          fromHex(ref.hash),
        ])[0]?.lowest ?? null,
    ),
})

type StaleRow = readonly [...StoredRow, blockHash: Uint8Array]

/** Rows of every revision but one, oldest first: each revision's from its index, merged. */
const staleRowsUnsafe = (connection: Connection, chain: number, revision: number, limit: number) => {
  const rows: Array<PageRow & { readonly blockHash: string }> = []
  let last = Number.MIN_SAFE_INTEGER
  for (;;) {
    const next = connection.rowsUnsafe<{ readonly revision: number }>(Statements.nextRevision, [chain, last])[0]
    if (next === undefined) break
    last = next.revision
    if (last === revision) continue
    for (const found of connection.valuesUnsafe<StaleRow>(Statements.ofRevision, [chain, last, limit])) {
      const [block, index, body, decoderRevision, internal, blockHash] = found
      const row = pageRow([block, index, body, decoderRevision, internal])
      rows.push({ ...row, blockHash: toHex(blockHash) })
    }
  }
  return rows.toSorted((a, b) => a.block - b.block || a.index - b.index).slice(0, limit)
}

const headersUnsafe = (connection: Connection, chain: number, from: number, to: number): ReadonlyArray<BlockRef> =>
  connection
    .rowsUnsafe<{ readonly number: number; readonly hash: Uint8Array }>(Statements.headers, [chain, from, to])
    .map(({ number, hash }) => ({ number, hash: toHex(hash) }))

/** The reader of a chain's file. */
export const make = (pool: ReadPool, chain: number): ChainReader => ({
  snapshot: (read) =>
    pool.lend((connection) =>
      Effect.flatMap(
        // A deferred transaction takes its state at its first read, which is this one.
        connection.attempt(() => checkpointUnsafe(connection, chain)),
        (checkpoint) => read({ ...readsOf(connection, chain), checkpoint: Effect.succeed(checkpoint) }),
      ),
    ),
  headers: (from, to) => pool.once((connection) => headersUnsafe(connection, chain, from, to)),
  staleRows: (revision, limit) => pool.once((connection) => staleRowsUnsafe(connection, chain, revision, limit)),
})
