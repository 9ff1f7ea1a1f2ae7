/**
 * Events of a fake service: the rows of a wallet as blocks are added, and voids of blocks that a reorg removed. Past and live events come
 * from one loop, with no state beyond a position, as in the service.
 */
import * as Issue from "@daybook/schema/Issue"
import { rowId } from "@daybook/schema/RowId"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Result from "effect/Result"
import type { FakeBlock } from "../FakeChain.ts"
import * as FakeDate from "./FakeDate.ts"
import * as FakeLedger from "./FakeLedger.ts"
import { failure, invalid, type Reply } from "./FakeReply.ts"
import * as FakeRequest from "./FakeRequest.ts"
import * as FakeWire from "./FakeWire.ts"

/** Where a stream continues. */
interface Position {
  /** Number of reorgs applied. */
  readonly reorgs: number
  readonly from: number
  /** Rows of all blocks below were sent. */
  readonly next: number
  /** Highest block with rows that were sent, which may lie above `next` after a reorg; -1 for none. */
  readonly highest: number
  /** Last final block that was reported. */
  readonly final: number
}

type Query = (typeof RestOperation.walletEvents)["query"]["Type"]

/** Selection of a stream. */
interface Subscription {
  readonly wallet: string
  readonly query: Query
  readonly selection: string
}

const prefix = "daybook-fake-events-"

const formatPosition = (position: Position, selection: string): string =>
  btoa(`${prefix}${JSON.stringify([position, selection])}`).replaceAll("=", "")

/** Position encoded in a text; undefined if the text is not a position, `null` if it belongs to another selection. */
const parsePosition = (text: string, selection: string): Position | null | undefined => {
  try {
    const json = atob(text)
    if (!json.startsWith(prefix)) return undefined
    // Sound: only `formatPosition` writes the prefix.
    const [position, own] = JSON.parse(json.slice(prefix.length)) as [Position, string]
    return own === selection ? position : null
  } catch {
    return undefined
  }
}

const selectionOf = (index: FakeRequest.FakeIndex, wallet: string, query: Query): string => {
  const { asset, finality, kind, types } = query
  return JSON.stringify([index.chainId, wallet, asset, finality, kind, types])
}

/** Where a stream starts. */
const beginning = (
  { chain, removals }: FakeRequest.FakeIndex,
  { query, selection }: Subscription,
  lastEventId: string | undefined,
): Result.Result<Position, Reply> => {
  const { from = "now" } = query
  const final = FakeRequest.finalized(chain)
  const at = (next: number) => Result.succeed({ reorgs: removals.length, from: next, next, highest: -1, final })
  const blocks = chain.blocks()
  const last = blocks.at(-1)?.number ?? -1
  const position = parsePosition(lastEventId ?? from, selection)
  if (position != null) return Result.succeed(position)
  const [path, what] = lastEventId === undefined ? ["from", "query parameter"] : ["last-event-id", "header"]
  const refuse = (expected: string) => Result.fail(invalid({ path, expected, received: "other text" }, what))
  if (position === null) return refuse("a cursor of the same wallet, chain and selection")
  if (lastEventId !== undefined) return refuse("the cursor of an event, unchanged")
  if (from === "now") return at((query.finality === "final" ? final : last) + 1)
  if (/^\d{1,15}$/.test(from)) return at(Number(from))
  const date = FakeDate.read("from", from)
  if (Result.isFailure(date)) {
    const expected = "now, a block number in digits, the cursor of an event, or a date such as 2021-05-07T11:08:35Z"
    return Result.fail(invalid({ path, expected, received: Issue.describe(from) }))
  }
  return at(blocks.find(({ timestamp }) => timestamp * 1_000 >= (date.success ?? 0))?.number ?? last + 1)
}

/** An event before serialisation, and the position after it. */
interface EventItem {
  readonly type: WalletEvent.WalletEvent["type"]
  readonly data: object
  readonly position: Position
}

/** The rows of a block. */
const rowsOf = (index: FakeRequest.FakeIndex, block: FakeBlock, { query, wallet }: Subscription) => {
  const { asset, kind, types = WalletEvent.rowTypes } = query
  const facts = {
    address: wallet,
    revision: index.changes(),
    final: block.number <= FakeRequest.finalized(index.chain),
  }
  const entries = FakeLedger.entries([block], wallet)
  const rows: Array<Pick<EventItem, "type" | "data">> = []
  for (const { roles, transaction } of types.includes("wallet.transaction") ? entries : []) {
    if (transaction === null || !(roles.includes("sender") || roles.includes("recipient"))) continue
    const row = FakeWire.row(block, transaction)
    rows.push({ type: "wallet.transaction", data: { ...facts, row: rowId(row), transaction: row } })
  }
  for (const entry of types.includes("wallet.movement") ? entries : []) {
    for (const [at, movement] of entry.movements.entries()) {
      if (asset !== undefined && !(asset as ReadonlyArray<string>).includes(movement.asset)) continue
      if (kind !== undefined && !(kind as ReadonlyArray<string>).includes(movement.kind)) continue
      const row = FakeWire.movement(entry, movement, at)
      rows.push({
        type: "wallet.movement",
        data: { ...facts, row: rowId({ ...row, movement_index: at }), movement: row },
      })
    }
  }
  return rows
}

const ofBlock = ({ hash, number }: Pick<FakeBlock, "hash" | "number">) => ({ number: String(number), hash })

/** Emits the changes since a position. */
const step = (
  index: FakeRequest.FakeIndex,
  subscription: Subscription,
  start: Position,
): readonly [sent: ReadonlyArray<EventItem>, position: Position] => {
  const sent: Array<EventItem> = []
  const { from } = start
  let { highest, next } = start
  for (const removed of index.removals.slice(start.reorgs)) {
    const own = removed.filter(({ number }) => number <= highest && number >= from).toReversed()
    next = Math.min(next, Math.max(removed[0]?.number ?? next, from))
    for (const block of own) sent.push({ type: "block.voided", data: ofBlock(block), position: start })
  }
  const reorgs = index.removals.length
  const blocks = index.chain.blocks()
  const final = FakeRequest.finalized(index.chain)
  let position: Position = { reorgs, from, next, highest, final }
  const finalBlock = blocks.find(({ number }) => number === final)
  if (final > start.final && finalBlock !== undefined) {
    sent.push({ type: "block.final", data: ofBlock(finalBlock), position })
  }
  const first = blocks[0]?.number ?? 0
  if (next < first) {
    const gap = { from_block: String(next), to_block: String(first - 1), reason: "not_indexed", transaction_hash: null }
    sent.push({ type: "gap", data: gap, position })
  }
  const last = subscription.query.finality === "final" ? final : Number.POSITIVE_INFINITY
  let covered: FakeBlock | undefined
  for (const block of blocks) {
    if (block.number > last) break
    covered = block
    if (block.number < position.next) continue
    const rows = rowsOf(index, block, subscription)
    if (rows.length > 0) highest = Math.max(highest, block.number)
    const after = { ...position, next: block.number + 1, highest }
    for (const [at, row] of rows.entries()) {
      sent.push({ ...row, position: at === rows.length - 1 ? after : { ...after, next: block.number } })
    }
    position = after
  }
  if (covered !== undefined) sent.push({ type: "covered", data: ofBlock(covered), position })
  return [sent, position]
}

const textOf = ({ data, position, type }: EventItem, chain: string, selection: string): string => {
  const cursor = formatPosition(position, selection)
  const event = { type, timestamp: new Date(0).toISOString(), data: { chain, cursor, ...data } }
  return `id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Body of a stream. It continues with each change of the chain until its reader cancels it. */
const bodyOf = (
  index: FakeRequest.FakeIndex,
  subscription: Subscription,
  start: Position,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  const name = FakeRequest.chainName(index.chainId)
  let position = start
  let seen = -1
  let stop = () => {}
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode("retry: 1\n\n")),
    pull: async (controller) => {
      if (seen === index.changes()) {
        await new Promise<void>((resolve) => {
          const end = index.onChange(resolve)
          stop = () => {
            end()
            resolve()
          }
        })
        stop()
      }
      seen = index.changes()
      const [sent, next] = step(index, subscription, position)
      position = next
      const text = sent.map((one) => textOf(one, name, subscription.selection)).join("")
      try {
        controller.enqueue(encoder.encode(text))
      } catch {
        // The reader has cancelled the stream.
      }
    },
    cancel: () => stop(),
  })
}

/** The events of a wallet. */
export const walletEvents = (
  index: FakeRequest.FakeIndex,
  address: string,
  parameters: URLSearchParams,
  lastEventId: string | undefined,
): Reply => {
  const request = FakeRequest.read(index, RestOperation.walletEvents, address, parameters)
  if (Result.isFailure(request)) return request.failure
  const { query, wallet } = request.success
  const refused = FakeRequest.notIndexed(index, wallet)
  if (refused !== undefined) return refused
  const subscription = { wallet, query, selection: selectionOf(index, wallet, query) }
  const start = beginning(index, subscription, lastEventId)
  if (Result.isFailure(start)) return start.failure
  if (start.success.reorgs > index.removals.length) {
    const message = "Stale cursor: it belongs to another chain. Start again from a block."
    return failure(409, "stale_cursor", message, { resumeFromBlock: start.success.from })
  }
  return { status: 200, body: bodyOf(index, subscription, start.success) }
}
