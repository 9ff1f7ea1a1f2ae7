/**
 * Reads the rows of a page, as many as fit its limits on rows and bytes. Long texts are only read if the preceding bytes leave room.
 */
import * as Effect from "effect/Effect"
import type { PageQuery, PageRows, Position, SkipQuery, TransactionsQuery } from "../ChainReader.ts"
import { fromHex } from "../rows/Bytes.ts"
import type * as BlockRow from "../rows/BlockRow.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as DocumentRow from "../rows/DocumentRow.ts"
import * as PageFit from "../rows/PageFit.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as Documents from "./Documents.ts"
import * as Ledgers from "./Ledgers.ts"
import * as SnapshotStart from "./SnapshotStart.ts"
import * as Values from "./Values.ts"

/** Number of transaction columns in the rows of a page; those of a block follow. */
const documentColumns = 9

type Candidate = PageFit.Candidate<Effect.Effect<PageFit.Texts | null, StoreError>>

/** Adds rows to a page until it ends; undefined if all fit. */
const fit = Effect.fnUntraced(function* (
  page: PageFit.Page,
  candidates: ReadonlyArray<Candidate>,
  query: TransactionsQuery,
): Effect.fn.Return<PageRows | undefined, StoreError> {
  for (const candidate of candidates) {
    if (!PageFit.hasRoom(page, candidate.bytes, query)) return { rows: page.rows, hasMore: true }
    const ended = PageFit.add(page, candidate, yield* candidate.read, query)
    if (ended !== undefined) return ended
  }
  return undefined
})

/** A page of candidates, which are either all that the range has or more than fit. */
const pageOf = (
  candidates: ReadonlyArray<Candidate>,
  query: TransactionsQuery,
): Effect.Effect<PageRows, StoreError> => {
  const page = PageFit.empty()
  return Effect.map(fit(page, candidates, query), (ended) => ended ?? { rows: page.rows, hasMore: false })
}

type Joined = DocumentRow.Columns | readonly [id: number, revision: null]

const isStored = (joined: Joined): joined is DocumentRow.Columns => joined[1] !== null

/** Columns of a block, which follow those of a transaction; undefined if a row has none. */
const blockOf = (joined: Joined | undefined): BlockRow.Columns | undefined => {
  const columns = joined?.slice(documentColumns)
  // Sound: the statement names them there.
  return columns?.[0] == null ? undefined : (columns as unknown as BlockRow.Columns)
}

const missing = ({ chain }: At, id: number, of: string) =>
  Checksum.damaged(chain.name, Appearances.blockOf(id), `a transaction of a ${of} is not stored`)

/** Texts of an appearance; `null` for an appearance of another wallet with the same key. */
const readOwn = Effect.fnUntraced(function* (
  at: At,
  columns: DocumentRow.Columns,
  { internal = true, key: address }: PageQuery,
): Effect.fn.Return<PageFit.Texts | null, StoreError> {
  const texts = yield* Documents.texts(at, columns, internal)
  if (DocumentRow.isOf(columns, texts.body, address)) return { ...texts, revision: columns[1] }
  const key = Appearances.keyOf(address)
  const addresses = DocumentRow.addressesOf(columns, texts.body)
  if (addresses.some((other) => Appearances.keyOf(other) === key)) return null
  return yield* Checksum.damaged(
    at.chain.name,
    Appearances.blockOf(columns[0]),
    "a history has a transaction of another wallet",
  )
})

/** History entries with their transactions: in one statement, or in two if they are on several nodes. */
const joined = Effect.fnUntraced(function* (
  at: At,
  query: PageQuery,
  range: ReturnType<typeof PageFit.rangeOf>,
): Effect.fn.Return<ReadonlyArray<Joined>, StoreError> {
  const { isDistributed, sql } = at.chain
  const statement = query.order === "ASC" ? sql.pageUp : sql.pageDown
  const params = SnapshotStart.pageParams(query, range)
  if (!isDistributed) return yield* at.session.rows<Joined>(statement, params)
  const ids = (yield* at.session.rows<readonly [id: number]>(statement, params.slice(0, -1))).map(([id]) => id)
  const stored = yield* Documents.byId(at, ids)
  return ids.map((id) => stored.get(id) ?? [id, null])
})

/** Rows of a wallet. The block of the last row that fits is remembered, because the cursor of the next page names it. */
export const wallet = Effect.fnUntraced(function* (
  at: SnapshotStart.State,
  query: PageQuery,
): Effect.fn.Return<PageRows, StoreError> {
  const { internal = true, limit, order } = query
  const page = PageFit.empty()
  const wanted = limit + PageFit.lookahead
  let { first, last } = PageFit.rangeOf(query)
  // Sound: the rows of a page have the columns of its statement.
  let read = SnapshotStart.pageRead(at, query) as ReadonlyArray<Joined> | undefined
  for (;;) {
    const rows = read ?? (yield* joined(at, query, { first, last }))
    read = undefined
    Blocks.know(at.blocks, blockOf(rows[limit - 1]))
    const candidates = rows.map((joined): Candidate => {
      const [id] = joined
      return isStored(joined)
        ? { id, bytes: DocumentRow.bytesOf(joined, internal), read: readOwn(at, joined, query) }
        : { id, bytes: 0, read: Effect.fail(missing(at, id, "history")) }
    })
    const ended = yield* fit(page, candidates, query)
    if (ended !== undefined) return ended
    const end = rows.at(-1)?.[0]
    if (end === undefined || rows.length < wanted) return { rows: page.rows, hasMore: false }
    if (order === "ASC") first = end + 1
    else last = end - 1
  }
})

/** The transactions in which a wallet appears in any role. */
export const ledger = Effect.fnUntraced(function* (at: At, query: PageQuery): Effect.fn.Return<PageRows, StoreError> {
  const { internal = true, key, limit, order } = query
  const places = yield* Ledgers.transactions(at, key, PageFit.rangeOf(query), order, limit + PageFit.lookahead)
  const stored = yield* Documents.byId(
    at,
    places.map(([id]) => id),
  )
  const candidates = places.map(([id, roles]): Candidate => {
    const columns = stored.get(id)
    if (columns === undefined) return { id, bytes: 0, read: Effect.fail(missing(at, id, "ledger")) }
    const read = Effect.map(Documents.texts(at, columns, internal), (texts) => ({
      ...texts,
      revision: columns[1],
      roles,
    }))
    return { id, bytes: DocumentRow.bytesOf(columns, internal), read }
  })
  return yield* pageOf(candidates, query)
})

/** The transactions of a range of blocks. */
export const transactions = Effect.fnUntraced(function* (
  at: At,
  query: TransactionsQuery,
): Effect.fn.Return<PageRows, StoreError> {
  const { internal = true, limit, order } = query
  const { first, last } = PageFit.rangeOf(query)
  const { documentIds, documentsDown, documentsUp } = at.chain.sql
  const params = [Values.big(first), Values.big(last), Values.big(limit + PageFit.lookahead)]
  const stored = yield* at.session.rows<DocumentRow.Columns>(order === "ASC" ? documentsUp : documentsDown, params)
  const [from, to] = PageFit.blocksOf(
    query,
    stored.map(([id]) => id),
  )
  const ids = yield* at.session.rows<readonly [id: number]>(documentIds, Documents.rangeParams(from, to))
  const lacking = PageFit.lackingBlock(yield* Blocks.range(at, from, to), ids.flat())
  if (lacking !== undefined) {
    return yield* Checksum.damaged(at.chain.name, lacking, "not all of its transactions are stored")
  }
  const candidates = stored.map((columns): Candidate => {
    const read = Effect.map(Documents.texts(at, columns, internal), (texts) => ({ ...texts, revision: columns[1] }))
    return { id: columns[0], bytes: DocumentRow.bytesOf(columns, internal), read }
  })
  return yield* pageOf(candidates, query)
})

/** Position of the last of a number of rows; `null` if there are fewer. */
export const skip = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  kind: "appearances" | "ledger",
  query: SkipQuery,
): Effect.fn.Return<Position | null, StoreError> {
  const { key, order, rows } = query
  const { first, last } = PageFit.rangeOf({ ...query, limit: 0 })
  const [up, down, owner] =
    kind === "ledger"
      ? [sql.ledgerSkipUp, sql.ledgerSkipDown, Values.bytes(fromHex(key))]
      : [sql.skipUp, sql.skipDown, Values.big(Appearances.keyOf(key))]
  const params = [owner, Values.big(first), Values.big(last), Values.big(rows - 1)]
  const [found] = yield* session.rows<readonly [id: number]>(order === "ASC" ? up : down, params)
  return found === undefined ? null : RowId.toPosition(found[0])
})

type EntryColumns = readonly [id: number, body: Uint8Array | null, revision: number, bytes: number]

const textOf = (body: Uint8Array): string => Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()

/** Rows of a key in a projection with its own bodies. */
export const entries = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  projection: string,
  query: PageQuery,
): Effect.fn.Return<PageRows, StoreError> {
  const { first, last } = PageFit.rangeOf(query)
  const rows = yield* session.rows<EntryColumns>(query.order === "ASC" ? sql.entriesUp : sql.entriesDown, [
    Values.big(PageFit.inlineBytes(query)),
    Values.text(projection),
    Values.bytes(fromHex(query.key)),
    Values.big(first),
    Values.big(last),
    Values.big(query.limit + PageFit.lookahead),
  ])
  const long = (id: number) =>
    Effect.map(
      session.rows<readonly [body: Uint8Array]>(sql.entryText, [Values.text(projection), Values.big(id)]),
      ([row]) => row![0],
    )
  const candidates = rows.map(([id, body, revision, bytes]): Candidate => {
    const text = body === null ? long(id) : Effect.succeed(body)
    return { id, bytes, read: Effect.map(text, (own) => ({ body: textOf(own), internal: null, revision })) }
  })
  return yield* pageOf(candidates, query)
})
