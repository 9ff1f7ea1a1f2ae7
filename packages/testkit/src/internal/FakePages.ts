/**
 * The wallet operation on a fake chain: parameters are decoded by the schema of the interface, and invalid ones are refused as a
 * service does.
 */
import * as Address from "@daybook/schema/Address"
import * as Issue from "@daybook/schema/Issue"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type { FakeBlock, FakeChain, FakeTransaction } from "../FakeChain.ts"
import * as FakeWire from "./FakeWire.ts"

/** A response before it is text. */
export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An error as the service sends it. */
export const failure = (status: number, code: string, message: string, more: object = {}): Reply => ({
  status,
  body: { message, code, requestId: "fake", ...more },
})

const invalid = (issue: Issue.Issue, what = "query parameter"): Reply =>
  failure(400, "bad_request", Issue.format(what, issue), { parameter: issue.path })

/** Where a page continues: after the row with this place, in the list up to the block that was the last one at the first page. */
interface Cursor {
  readonly hash: string
  readonly block: number
  readonly index: number
  readonly top: Pick<FakeBlock, "hash" | "number">
}

const encodeCursor = (cursor: Cursor): string => btoa(JSON.stringify(cursor))

const decodeCursor = (text: string): Cursor | undefined => {
  try {
    const { block, hash, index, top } = JSON.parse(atob(text)) as Partial<Cursor>
    return typeof hash === "string" && typeof block === "number" && typeof index === "number" && top !== undefined
      ? { hash, block, index, top: { hash: top.hash, number: top.number } }
      : undefined
  } catch {
    return undefined
  }
}

/** The lowest block that was replaced since a cursor was made, of those that its list depends on. */
const replacedSince = (chain: FakeChain, { hash, top }: Cursor): number | undefined => {
  const replaced = [chain.replacedFrom(hash), chain.replacedFrom(top.hash)].filter((block) => block !== undefined)
  return replaced.length === 0 ? undefined : Math.min(...replaced)
}

const secondsOf = (text: string): number =>
  (/^\d{10}$/.test(text) ? Number(text) * 1_000 : /^\d{13}$/.test(text) ? Number(text) : Date.parse(text)) / 1_000

const maxLimit = 100

const decodeQuery = SchemaParser.decodeUnknownResult(WalletQuery.WalletQuery)

/** The query, or the response that refuses it. */
const read = (parameters: URLSearchParams): Result.Result<WalletQuery.WalletQuery, Reply> => {
  const input = Object.fromEntries(parameters)
  const decoded = decodeQuery(input, { onExcessProperty: "error" })
  // Sound: a schema error has at least one issue.
  if (Result.isFailure(decoded)) return Result.fail(invalid(Issue.fromError(decoded.failure, input)[0]!))
  const query = decoded.success
  if (query.limit !== undefined && query.limit > maxLimit)
    return Result.fail(
      invalid({ path: "limit", expected: `at most ${maxLimit}`, received: Issue.describe(input["limit"]) }),
    )
  const date = (["from_date", "to_date"] as const).find((name) => Number.isNaN(secondsOf(query[name] ?? "2020-01-01")))
  if (date !== undefined)
    return Result.fail(
      invalid({ path: date, expected: "a date such as 2021-05-07", received: Issue.describe(query[date]) }),
    )
  if (query.include !== undefined)
    return Result.fail(failure(400, "traces_not_indexed", "The fake chain has no traces.", { parameter: "include" }))
  return Result.succeed(query)
}

interface Row {
  readonly block: FakeBlock
  readonly transaction: FakeTransaction
}

/** True for a block that is not after the range of a query. */
const isUpTo =
  (query: WalletQuery.WalletQuery) =>
  ({ number, timestamp }: FakeBlock): boolean => {
    const { to } = WalletQuery.bounds(query)
    return to._tag === "Open" || (to._tag === "Block" ? number <= to.block : timestamp <= secondsOf(to.date))
  }

/** True for a block that is not before the range of a query. */
const isSince =
  (query: WalletQuery.WalletQuery) =>
  ({ number, timestamp }: FakeBlock): boolean => {
    const { from } = WalletQuery.bounds(query)
    return from._tag === "Open" || (from._tag === "Block" ? number >= from.block : timestamp >= secondsOf(from.date))
  }

const isOf = (wallet: string, scope: WalletQuery.WalletQuery["scope"]) => {
  const topic = `0x${wallet.slice(2).padStart(64, "0")}`
  return ({ from, logs, to }: FakeTransaction): boolean =>
    from === wallet || to === wallet || (scope === "all" && logs.some(({ topics }) => topics.includes(topic)))
}

/** The rows of a query up to a block, in its order. */
const rowsOf = (
  chain: FakeChain,
  wallet: string,
  query: WalletQuery.WalletQuery,
  top: Cursor["top"],
): ReadonlyArray<Row> => {
  const isWanted = isOf(wallet, query.scope)
  const rows = chain
    .blocks()
    .filter((block) => block.number <= top.number && isSince(query)(block))
    .flatMap((block) => block.transactions.filter(isWanted).map((transaction) => ({ block, transaction })))
  return query.order === "ASC" ? rows : rows.toReversed()
}

/** True for rows after the place of a cursor, in the order of the query. */
const isAfter =
  (cursor: Cursor | undefined, order: WalletQuery.Order | undefined) =>
  ({ block, transaction }: Row): boolean => {
    if (cursor === undefined) return true
    const difference = block.number - cursor.block || transaction.index - cursor.index
    return order === "ASC" ? difference > 0 : difference < 0
  }

/** The response to a request for a page. */
export const page = (chain: FakeChain, address: string, parameters: URLSearchParams): Reply => {
  const wallet = Address.fromText(address)
  if (wallet === undefined)
    return invalid(
      { path: "address", expected: "an address of 20 bytes in hex", received: Issue.describe(address) },
      "path parameter",
    )
  const decoded = read(parameters)
  if (Result.isFailure(decoded)) return decoded.failure
  const query = decoded.success
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  if (query.cursor !== undefined && cursor === undefined)
    return invalid({ path: "cursor", expected: "a cursor of this service", received: Issue.describe(query.cursor) })
  const resumeFromBlock = cursor && replacedSince(chain, cursor)
  if (resumeFromBlock !== undefined)
    return failure(409, "stale_cursor", "A reorg reverted a block of the cursor.", { resumeFromBlock })
  const top = cursor?.top ?? chain.blocks().findLast(isUpTo(query))
  const left = top === undefined ? [] : rowsOf(chain, wallet, query, top).filter(isAfter(cursor, query.order))
  const limit = query.limit ?? maxLimit
  const rows = left.slice(0, limit)
  const last = rows.at(-1)
  const next =
    top === undefined || last === undefined || left.length <= limit
      ? null
      : encodeCursor({
          hash: last.block.hash,
          block: last.block.number,
          index: last.transaction.index,
          top: { hash: top.hash, number: top.number },
        })
  return {
    status: 200,
    body: FakeWire.page(next, limit, rows),
    headers: {
      "daybook-indexed-from": String(chain.blocks()[0]?.number),
      "daybook-indexed-to": String(chain.blocks().at(-1)?.number),
    },
  }
}
