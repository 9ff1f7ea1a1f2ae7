/**
 * Reads the rows of a page from a chain's file, as many as fit the number of rows and their bytes. Rows that are small are read at
 * once; a larger one only when the bytes before it leave room. Throws what SQLite throws.
 */
import type { PageQuery, PageRow, PageRows, Position } from "../ChainReader.ts"
import { fromHex } from "./Bytes.ts"
import type { Connection } from "./Connection.ts"
import * as RowId from "./RowId.ts"
import * as Statements from "./Statements.ts"

/** A row whose texts are `null` where it is larger than the inline bound. */
type FoundRow = readonly [
  block: number,
  index: number,
  body: string | null,
  revision: number,
  internal: string | null,
  bytes: number,
]

/** The texts of a row. */
type Texts = readonly [body: string, internal: string | null]

/** Position just outside the first row of a page. One outside the bounds counts only if it lies further on. */
const startOf = ({ after, from, order, to }: PageQuery): Position => {
  if (order === "ASC") return after !== null && after.block >= from ? after : { block: from, index: -1 }
  return after !== null && after.block <= to ? after : { block: to + 1, index: -1 }
}

/** Rows read beyond the page: they show whether more follow. */
const lookahead = 1

/** Rows of at most this size are read at once; all of them together fit the limit. */
const inlineBytes = ({ limit, maxBytes }: PageQuery): number =>
  maxBytes === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(maxBytes / (limit + lookahead))

/** The rows that fit, with the texts of larger ones read where they are needed. */
const fit = (
  found: ReadonlyArray<FoundRow>,
  { limit, maxBytes = Infinity }: PageQuery,
  readTexts: (position: Position) => Texts,
): PageRows => {
  const rows: Array<PageRow> = []
  let total = 0
  for (const [block, index, inlineBody, revision, inlineInternal, bytes] of found) {
    if (rows.length === limit || (rows.length > 0 && total + bytes > maxBytes)) return { rows, hasMore: true }
    total += bytes
    const [body, internal] = inlineBody === null ? readTexts({ block, index }) : [inlineBody, inlineInternal]
    rows.push({ block, index, body, revision, internal })
  }
  return { rows, hasMore: false }
}

const appearancesSql = ({ internal = true, order }: PageQuery): string => {
  if (order === "ASC") return internal ? Statements.pageUpInternal : Statements.pageUp
  return internal ? Statements.pageDownInternal : Statements.pageDown
}

/** Rows of a wallet. */
export const appearancesUnsafe = (connection: Connection, chain: number, query: PageQuery): PageRows => {
  const { block, index } = startOf(query)
  const last = query.order === "ASC" ? query.to : query.from
  const { internal: isInternal = true } = query
  const inline = isInternal ? [inlineBytes(query), inlineBytes(query)] : [inlineBytes(query)]
  const bounds = [chain, fromHex(query.key), block, index, last, query.limit + lookahead]
  const found = connection.valuesUnsafe<FoundRow>(appearancesSql(query), [...inline, ...bounds])
  return fit(found, query, (position) => {
    const id = RowId.of(position.block, position.index)
    // Sound: the row was found in the same transaction.
    const [body, internal] = connection.valuesUnsafe<Texts>(Statements.documentTexts, [id])[0]!
    return [body, isInternal ? internal : null]
  })
}

type FoundEntry = readonly [rowId: number, body: string | null, revision: number, bytes: number]

/** Rows of a key of a projection with bodies of its own. */
export const entriesUnsafe = (connection: Connection, projection: string, query: PageQuery): PageRows => {
  const { block, index } = startOf(query)
  const isUp = query.order === "ASC"
  const [first, end] = RowId.range(query.from, query.to)
  const start = RowId.range(block, block)[0] + index + (isUp || index >= 0 ? 0 : 1)
  const sql = isUp ? Statements.entriesUp : Statements.entriesDown
  const range = [projection, fromHex(query.key), start, isUp ? end : first - 1, query.limit + lookahead]
  const found = connection
    .valuesUnsafe<FoundEntry>(sql, [inlineBytes(query), ...range])
    .map(([rowId, body, revision, bytes]): FoundRow => {
      const position = RowId.toPosition(rowId)
      return [position.block, position.index, body, revision, null, bytes]
    })
  return fit(found, query, (position) => {
    const id = RowId.of(position.block, position.index)
    return [connection.valuesUnsafe<readonly [body: string]>(Statements.entryText, [projection, id])[0]![0], null]
  })
}
