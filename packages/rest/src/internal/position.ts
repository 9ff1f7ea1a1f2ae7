/** Writes a walk's position as text and reads it again. It holds the query, cursors and ids of rows; it has no place for a key. */
import { cut, type Issue } from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { Written } from "../Query.ts"
import type { Part, Plan } from "./plan.ts"

/** What a walk has done and what is left of it. */
export interface Position extends Plan {
  /** The query, without what may differ when a walk goes on: cursor and limit. */
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
  outermost: Schema.optionalKey(Block),
  inherited: Schema.Boolean,
  parts: Schema.Array(
    Schema.Struct({
      from: Schema.optionalKey(Block),
      to: Schema.optionalKey(Block),
      cursor: Schema.optionalKey(Schema.String),
      furthest: Schema.optionalKey(Schema.Tuple([Block, Schema.Int])),
      floor: Schema.optionalKey(Block),
      given: Count,
      tail: Schema.Array(Schema.Tuple([Block, Schema.String, Schema.String])),
    }),
  ),
})

const decodeSaved = SchemaParser.decodeUnknownResult(Saved)

const optional = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } => {
  const made: { [P in K]?: A } = {}
  if (value !== undefined) made[key] = value
  return made
}

const text = (block: bigint | undefined): string | undefined => block?.toString()

const number = (block: string | undefined): bigint | undefined => (block === undefined ? undefined : BigInt(block))

const writePart = ({ cursor, from, memory, to }: Part): (typeof Saved.Type)["parts"][number] => ({
  ...optional("from", text(from)),
  ...optional("to", text(to)),
  ...optional("cursor", cursor),
  ...(memory.furthest === undefined
    ? {}
    : { furthest: [memory.furthest.block.toString(), memory.furthest.timeMillis] as const }),
  ...optional("floor", text(memory.floor)),
  given: memory.given,
  tail: memory.tail.map(({ block, blockId, id }) => [block.toString(), blockId, id] as const),
})

const readPart = (part: (typeof Saved.Type)["parts"][number]): Part => ({
  from: number(part.from),
  to: number(part.to),
  cursor: part.cursor,
  memory: {
    furthest:
      part.furthest === undefined ? undefined : { block: BigInt(part.furthest[0]), timeMillis: part.furthest[1] },
    floor: number(part.floor),
    given: part.given,
    tail: part.tail.map(([block, blockId, id]) => ({ block: BigInt(block), blockId, id })),
  },
})

export const write = (position: Position): string => {
  const { isInherited: inherited, order, outermost, pages, parts, query, rows } = position
  const saved: typeof Saved.Type = {
    daybook: 1,
    query,
    order,
    pages,
    rows,
    ...optional("outermost", text(outermost)),
    inherited,
    parts: parts.map(writePart),
  }
  return JSON.stringify(saved)
}

/** What a position of this query must say about it. */
export const queryOf = ({ address, parameters }: Written, order: "ASC" | "DESC"): Readonly<Record<string, string>> => {
  const { cursor: _cursor, limit: _limit, ...rest } = parameters
  return { address, ...rest, order }
}

/** Reads a position of the same query. */
export const read = (
  saved: string,
  query: Readonly<Record<string, string>>,
): Result.Result<Position, Pick<Issue, "expected" | "received">> => {
  const parsed = Result.try((): unknown => JSON.parse(saved))
  const decoded = Result.isFailure(parsed) ? parsed : decodeSaved(parsed.success)
  if (Result.isFailure(decoded)) {
    return Result.fail({ expected: "the position of a stream of this client, unchanged", received: "another text" })
  }
  const { inherited: isInherited, order, outermost, pages, parts, query: before, rows } = decoded.success
  const differing = [...new Set([...Object.keys(before), ...Object.keys(query)])].filter(
    (name) => before[name] !== query[name],
  )
  if (differing.length > 0) {
    const changed = differing.map((name) => `${cut(name)} ${cut(before[name] ?? "left out")}`).join(", ")
    return Result.fail({
      expected: "a position of the same query; only limit may differ",
      received: `one of a query with ${changed}`,
    })
  }
  const read = parts.map(readPart)
  return Result.succeed({ query, order, outermost: number(outermost), isInherited, pages, rows, parts: read })
}
