/** The position of a paginated query as text, for `resume`. It holds the query, cursors and ids of rows, and no key. */
import { cut, type Issue } from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { EncodedQuery } from "../Operation.ts"
import type { Progress, Segment } from "./Segments.ts"

/** What a query has read, and what remains. */
export interface Position extends Progress {
  /** Query without cursor and limit, which may change on resume. */
  readonly query: Readonly<Record<string, string>>
  readonly pages: number
  readonly rows: number
}

const Block = Schema.String.check(Schema.isPattern(/^\d{1,78}$/))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Saved = Schema.Struct({
  daybook: Schema.Literal(1),
  query: Schema.Record(Schema.String, Schema.String),
  order: Schema.Literals(["ASC", "DESC"]),
  pages: Count,
  rows: Count,
  outermost: Schema.optional(Block),
  inherited: Schema.Boolean,
  parts: Schema.Array(
    Schema.Struct({
      from: Schema.optional(Block),
      to: Schema.optional(Block),
      cursor: Schema.optional(Schema.String),
      furthest: Schema.optional(Schema.Tuple([Block, Schema.Int])),
      floor: Schema.optional(Block),
      lost: Schema.optional(Block),
      given: Count,
      tail: Schema.Array(Schema.Tuple([Block, Schema.String, Schema.String])),
    }),
  ),
})

const decodeSaved = SchemaParser.decodeUnknownResult(Saved)

const text = (block: bigint | undefined): string | undefined => block?.toString()

const number = (block: string | undefined): bigint | undefined => (block === undefined ? undefined : BigInt(block))

const encodeSegment = ({ cursor, from, memory, to }: Segment): (typeof Saved.Type)["parts"][number] => ({
  from: text(from),
  to: text(to),
  cursor,
  furthest: memory.furthest && [memory.furthest.block.toString(), memory.furthest.timeMillis],
  floor: text(memory.floor),
  lost: text(memory.lost),
  given: memory.given,
  tail: memory.tail.map(({ block, blockId, id }) => [block.toString(), blockId, id] as const),
})

const decodeSegment = (part: (typeof Saved.Type)["parts"][number]): Segment => ({
  from: number(part.from),
  to: number(part.to),
  cursor: part.cursor,
  memory: {
    furthest:
      part.furthest === undefined ? undefined : { block: BigInt(part.furthest[0]), timeMillis: part.furthest[1] },
    floor: number(part.floor),
    lost: number(part.lost),
    given: part.given,
    tail: part.tail.map(([block, blockId, id]) => ({ block: BigInt(block), blockId, id })),
  },
})

/** Formats a position as text. */
export const format = (position: Position): string => {
  const { isInherited: inherited, order, outermost, pages, query, rows, segments } = position
  const saved: typeof Saved.Type = {
    daybook: 1,
    query,
    order,
    pages,
    rows,
    outermost: text(outermost),
    inherited,
    parts: segments.map(encodeSegment),
  }
  return JSON.stringify(saved)
}

/** A query for the rows of one operation. */
export interface RowQuery extends EncodedQuery {
  /** Name of the operation: a position of transactions is none of movements. */
  readonly operation: string
}

/** Query in the form that a position holds. */
export const queryOf = (
  { operation, parameters, params }: RowQuery,
  order: "ASC" | "DESC",
): Readonly<Record<string, string>> => {
  const { cursor: _cursor, limit: _limit, ...rest } = parameters
  return { operation, ...params, ...rest, order }
}

/** Lower bound of the query of a position; undefined if the text is not a position or its query has no lower bound. */
export const fromBlockOf = (saved: string): string | undefined => {
  const decoded = decodeSaved(Json.parse(saved))
  return Result.isSuccess(decoded) ? decoded.success.query["from_block"] : undefined
}

/** Parses a position of the same query. */
export const parse = (
  saved: string,
  query: Readonly<Record<string, string>>,
): Result.Result<Position, Pick<Issue, "expected" | "received">> => {
  const decoded = decodeSaved(Json.parse(saved))
  if (Result.isFailure(decoded)) {
    return Result.fail({ expected: "an unchanged position of this client", received: "other text" })
  }
  const { inherited: isInherited, order, outermost, pages, parts, query: before, rows } = decoded.success
  const differing = [...new Set([...Object.keys(before), ...Object.keys(query)])].filter(
    (name) => before[name] !== query[name],
  )
  if (differing.length > 0) {
    const changed = differing.map((name) => `${cut(name)} ${cut(before[name] ?? "left out")}`).join(", ")
    return Result.fail({
      expected: "a position of the same query; only limit may differ",
      received: `a position of a query with ${changed}`,
    })
  }
  const segments = parts.map(decodeSegment)
  return Result.succeed({ query, order, outermost: number(outermost), isInherited, pages, rows, segments })
}
