/**
 * A server of the interface with a chain that reorgs. A cursor contains the top block of its walk, and a walk whose top block was
 * replaced receives 409 with the lowest replaced block. Reorgs happen when a walk requests a page.
 */
import { page, random, row, type Row } from "./history.ts"
import type { Handler } from "@daybook/harness/ScriptedServer"

interface Walk {
  readonly version: number
  readonly top: number
  readonly offset: number
}

export interface Chain {
  readonly handler: Handler
  /** Rows of the current chain, oldest first. */
  readonly rows: () => ReadonlyArray<Row>
  readonly reorganisations: () => number
  /** Replaces all blocks from a number on immediately. */
  readonly reorganise: (from: number) => void
}

const blockOf = ({ block_number }: Row) => Number(block_number)

/** `at` returns, for the number of a request, the share of the chain below which blocks remain; undefined for no reorg. */
export const make = (
  seed: number,
  oldestFirst: ReadonlyArray<Row>,
  at: (request: number) => number | undefined,
): Chain => {
  const next = random(seed)
  let rows = oldestFirst
  const replaced: Array<number> = []
  const head = () => Math.max(0, ...rows.map(blockOf))

  const reorganise = (from: number) => {
    const version = replaced.push(from)
    const kept = rows.filter((one) => blockOf(one) < from)
    const removed = rows.filter((one) => blockOf(one) >= from)
    const blockHash = (block: number) => `0x${(block * 10 ** 6 + version).toString(16).padStart(64, "0")}`
    const created: Array<Row> = []
    // Some transactions are included again in other blocks, some are not, and some are new.
    let block = from + next(2)
    for (const one of removed) {
      const what = next(4)
      if (what === 0) continue
      const moved = row(block, created.length)
      const hash =
        what === 1 ? `0x${(version * 10 ** 12 + created.length + 1).toString(16).padStart(64, "0")}` : one.hash
      created.push({ ...moved, hash, block_hash: blockHash(block) })
      block += next(3)
    }
    rows = [...kept, ...created]
  }

  const handler: Handler = (request, response, number) => {
    const query = new URL(request.url ?? "", "http://test").searchParams
    const [limit, from, to] = ["limit", "from_block", "to_block"].map((name) => Number(query.get(name) ?? Number.NaN))
    const isIn = (one: Row) => !(blockOf(one) < (from ?? 0)) && !(blockOf(one) > (to ?? 0))
    const text = query.get("cursor")
    const walk: Walk =
      text === null
        ? { version: replaced.length, top: Math.min(head(), Number.isNaN(to) ? Infinity : (to ?? 0)), offset: 0 }
        : (JSON.parse(text) as Walk)
    const share = at(number)
    if (share !== undefined && text !== null) {
      const block = Math.floor(head() * share)
      if (block > 0 && block <= walk.top) reorganise(block)
    }
    const touched = replaced.slice(walk.version).filter((block) => block <= walk.top)
    if (text !== null && touched.length > 0) {
      const body = { message: "gone", code: "stale_cursor", requestId: "r", resumeFromBlock: Math.min(...touched) }
      response.writeHead(409, { "content-type": "application/json" }).end(JSON.stringify(body))
      return
    }
    const inRange = rows.filter((one) => isIn(one) && blockOf(one) <= walk.top)
    const ordered = query.get("order") === "ASC" ? inRange : inRange.toReversed()
    const end = walk.offset + (Number.isNaN(limit) ? 100 : (limit ?? 100))
    const cursor = end < ordered.length ? JSON.stringify({ ...walk, offset: end }) : null
    response.writeHead(200, { "content-type": "application/json" })
    response.end(page(ordered.slice(walk.offset, end), cursor))
  }
  return { handler, rows: () => rows, reorganisations: () => replaced.length, reorganise }
}
