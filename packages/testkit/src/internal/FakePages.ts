/**
 * Pages of a fake service: transactions and movements of a wallet. A follow-up page shows the list as of its first page.
 */
import * as Issue from "@daybook/schema/Issue"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Result from "effect/Result"
import type { FakeBlock } from "../FakeChain.ts"
import * as FakeCursor from "./FakeCursor.ts"
import * as FakeLedger from "./FakeLedger.ts"
import { failure, invalid, type Reply } from "./FakeReply.ts"
import * as FakeRequest from "./FakeRequest.ts"
import * as FakeWire from "./FakeWire.ts"

/** A row with its position in the list. */
interface Row {
  readonly block: FakeBlock
  readonly place: FakeCursor.Place
  /** Makes the row in wire form. */
  readonly write: () => unknown
}

const maxLimit = 100

/** Position of items that belong to a block and not to one of its transactions. */
const blockLevel = 2 ** 20 - 1

/** Position of opening balances: before the transactions of the first block. */
const openingLevel = -1

const compare = (one: FakeCursor.Place, other: FakeCursor.Place): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2]

const stale = (index: FakeRequest.FakeIndex, resumeFromBlock: number): Reply => {
  const below = `; in descending order, then continue with to_block=${resumeFromBlock - 1}`
  const message = `Stale cursor: block ${resumeFromBlock} and later blocks were reorged. Start again without a cursor, from_block=${resumeFromBlock}${resumeFromBlock > 0 ? below : ""}.`
  return failure(409, "stale_cursor", message, { resumeFromBlock }, FakeRequest.coverage(index))
}

type Paged =
  | typeof RestOperation.walletTransactions
  | typeof RestOperation.movements
  | typeof RestOperation.userOperations

/** Parameters common to all page operations. */
type PageQuery = Pick<(typeof RestOperation.movements)["query"]["Type"], "limit" | "order">

/** Makes a page of a list. `rowsOf` returns its rows up to a block, oldest first. */
const page = <O extends Paged>(
  index: FakeRequest.FakeIndex,
  request: FakeRequest.FakeRequest<O>,
  { filter, list }: Pick<FakeCursor.List, "list" | "filter">,
  rowsOf: (blocks: ReadonlyArray<FakeBlock>, filter: FakeCursor.List["filter"]) => ReadonlyArray<Row>,
): Reply => {
  const { chain, chainId } = index
  const { cursor, range, wallet } = request
  // Sound: each operation has these parameters.
  const { limit = maxLimit, order } = request.query as PageQuery
  if (limit > maxLimit) {
    const expected = `a whole number from 1 to ${maxLimit}`
    return invalid({ path: "limit", expected, received: Issue.quote(String(limit)) })
  }
  const requested = { list, chainId, wallet, order, filter, ...range }
  const matched = cursor === undefined ? Result.succeed(undefined) : FakeCursor.match(cursor, requested)
  if (Result.isFailure(matched)) return invalid(matched.failure)
  const refused = FakeRequest.notIndexed(index, wallet)
  if (refused !== undefined) return refused
  const resumeFromBlock = cursor && FakeCursor.replacedSince(chain, cursor)
  if (resumeFromBlock !== undefined) return stale(index, resumeFromBlock)
  const own: FakeCursor.List = cursor ?? { ...requested, order: order ?? "DESC" }
  const blocks = FakeRequest.blocksOf(chain, own)
  const top = cursor?.top ?? blocks?.last
  const listed = chain
    .blocks()
    .filter(
      ({ number }) =>
        blocks !== undefined && top !== undefined && number >= blocks.first.number && number <= top.number,
    )
  const all = rowsOf(listed, own.filter)
  const left = (own.order === "ASC" ? all : all.toReversed()).filter(
    ({ place }) => cursor === undefined || compare(place, cursor.after) * (own.order === "ASC" ? 1 : -1) > 0,
  )
  const rows = left.slice(0, limit)
  const last = rows.at(-1)
  const number = cursor?.page ?? 0
  const next =
    top === undefined || last === undefined || left.length <= limit
      ? null
      : FakeCursor.encode({
          ...own,
          page: number + 1,
          after: last.place,
          afterHash: last.block.hash,
          top: { hash: top.hash, number: top.number },
        })
  const result = rows.map(({ write }) => write())
  return {
    status: 200,
    headers: FakeRequest.coverage(index, wallet),
    body: { cursor: next, page: String(number), page_size: String(limit), result },
  }
}

/** A page of the transactions of a wallet. */
export const walletTransactions = (
  index: FakeRequest.FakeIndex,
  address: string,
  parameters: URLSearchParams,
): Reply => {
  const request = FakeRequest.read(index, RestOperation.walletTransactions, address, parameters)
  if (Result.isFailure(request)) return request.failure
  const { cursor, query, wallet } = request.success
  const scope = query.scope ?? (cursor?.list === "scope all" ? "all" : "direct")
  const isListed = ({ roles }: FakeLedger.Entry) =>
    scope === "all" || roles.includes("sender") || roles.includes("recipient")
  const hasCalls = query.include !== undefined
  return page(index, request.success, { list: `scope ${scope}`, filter: {} }, (blocks) =>
    FakeLedger.entries(blocks, wallet)
      .filter(isListed)
      .flatMap(({ block, roles, transaction }) =>
        transaction === null
          ? []
          : [
              {
                block,
                place: [block.number, transaction.index, 0],
                write: () => FakeWire.row(block, transaction, { hasCalls, roles: scope === "all" ? roles : undefined }),
              },
            ],
      ),
  )
}

type Selection = Pick<(typeof RestOperation.movements)["query"]["Type"], "asset" | "kind" | "direction">

const isSelected =
  ({ asset, direction, kind }: Selection) =>
  ({ amount, ...movement }: FakeLedger.Movement): boolean =>
    (asset === undefined || (asset as ReadonlyArray<string>).includes(movement.asset)) &&
    (kind === undefined || (kind as ReadonlyArray<string>).includes(movement.kind)) &&
    (direction === undefined || (direction === "in") === amount > 0n)

/** Opening movements of a wallet before the first block, if they were read. */
const openingRows = (block: FakeBlock): ReadonlyArray<Row & { readonly movement: FakeLedger.Movement }> =>
  FakeLedger.openings.map((movement, at) => ({
    block,
    movement,
    place: [block.number, openingLevel, at],
    write: () => FakeWire.movement({ block, transaction: null, roles: [], movements: [] }, movement, at),
  }))

/** A page of the movements of a wallet. */
export const movements = (index: FakeRequest.FakeIndex, address: string, parameters: URLSearchParams): Reply => {
  const request = FakeRequest.read(index, RestOperation.movements, address, parameters)
  if (Result.isFailure(request)) return request.failure
  const { query, wallet } = request.success
  const filter = Object.fromEntries(
    (["asset", "kind", "direction"] as const).flatMap((name) => {
      const value = query[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
  // Sound: a chain has at least one block.
  const first = index.chain.blocks()[0]!
  return page(index, request.success, { list: "movements", filter }, (blocks, own) => {
    // Sound: the parameters in a cursor were decoded by an earlier request.
    const matches = isSelected(Result.getOrThrow(RestOperation.decodeQuery(RestOperation.movements, own)))
    const opening = index.opened.has(wallet) && blocks[0] === first ? openingRows(first) : []
    const found = FakeLedger.entries(blocks, wallet).flatMap((entry) =>
      entry.movements.map((movement, at) => ({
        block: entry.block,
        movement,
        place: [entry.block.number, entry.transaction?.index ?? blockLevel, at] as const,
        write: () => FakeWire.movement(entry, movement, at),
      })),
    )
    return [...opening, ...found].filter(({ movement }) => matches(movement))
  })
}

/** A page of a wallet's user operations. Transactions of a fake chain carry none. */
export const userOperations = (index: FakeRequest.FakeIndex, address: string, parameters: URLSearchParams): Reply => {
  const request = FakeRequest.read(index, RestOperation.userOperations, address, parameters)
  if (Result.isFailure(request)) return request.failure
  // The list has no second page, so no cursor holds its filter.
  return page(index, request.success, { list: "user operations", filter: {} }, () => [])
}
