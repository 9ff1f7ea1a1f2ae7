/**
 * Clients that read all pages of wallets and call the relay, and compare each response with the chain. All pages of a walk must belong
 * to one state of the chain, and every other response must be an error of the interface.
 */
import { Effect } from "effect"
import type * as Random from "@daybook/testkit/internal/Random"
import type { Block, Row, ChainStates } from "./ChainStates.ts"
import { keyOf } from "./ChainStates.ts"

/** Results of the requests since the last kill. */
export interface Tally {
  requests: number
  pages: number
  calls: number
  /** Number of errors by status and code, or by connection error. */
  readonly errors: Map<string, number>
  /** Unexpected results. */
  readonly issues: Array<string>
  worstMillis: number
  lastErrorAt: number
}

export const tally = (): Tally => ({
  requests: 0,
  pages: 0,
  calls: 0,
  errors: new Map(),
  issues: [],
  worstMillis: 0,
  lastErrorAt: Number.NEGATIVE_INFINITY,
})

/** The context of clients. */
export interface Setting {
  readonly url: string
  readonly key: string
  readonly states: ChainStates
  readonly wallets: ReadonlyArray<string>
  readonly random: Random.Random
  readonly tally: () => Tally
}

/** Longer than the time limit of any request. */
const hungMillis = 30_000
const pauseMillis = 20

interface Response {
  readonly status: number
  readonly indexedTo: number
  readonly body: {
    readonly code?: string
    readonly cursor?: string | null
    readonly result?: unknown
    readonly error?: { readonly code: number }
  }
}

interface PageRow {
  readonly hash: string
  readonly block_hash: string
  readonly transaction_index: string
  readonly receipt_status: string
}

const codeOf = (cause: unknown): string => {
  const inner: unknown = cause instanceof Error ? (cause.cause ?? cause) : cause
  return inner instanceof Error && "code" in inner ? String(inner.code) : String(inner)
}

/** Errors of a connection that ended before the response was complete. */
const isLost = (code: string): boolean => /ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code)

const stale = "409 stale_cursor"

/** Status and code of the errors that a client retries, or handles by starting over. */
const expected: ReadonlySet<string> = new Set([
  "503 unavailable",
  "502 unavailable",
  "504 unavailable",
  stale,
  "503 error -32002",
])

/** Sends a request; returns nothing for an error, which is counted. */
const request = (setting: Setting, path: string, init: RequestInit = {}): Effect.Effect<Response | undefined> =>
  Effect.promise(async () => {
    const counted = setting.tally()
    const startedAt = performance.now()
    const failed = (name: string, isIssue: boolean): undefined => {
      counted.errors.set(name, (counted.errors.get(name) ?? 0) + 1)
      // A reorg makes cursors stale regardless of kills.
      if (name !== stale) counted.lastErrorAt = performance.now()
      if (isIssue) counted.issues.push(`${path.split("?")[0]}: ${name}`)
    }
    counted.requests++
    try {
      const headers = { "x-api-key": setting.key, "content-type": "application/json" }
      const response = await fetch(`${setting.url}${path}`, {
        ...init,
        headers,
        signal: AbortSignal.timeout(hungMillis),
      })
      const text = await response.text()
      const body = JSON.parse(text) as Response["body"]
      if (response.status === 200 && body.error === undefined) {
        return { status: 200, indexedTo: Number(response.headers.get("daybook-indexed-to") ?? -1), body }
      }
      const name = `${response.status} ${body.code ?? `error ${body.error?.code}`}`
      failed(name, !expected.has(name))
      return { status: response.status, indexedTo: -1, body }
    } catch (cause) {
      const code = codeOf(cause)
      return failed(isLost(code) ? "connection lost" : code, !isLost(code))
    } finally {
      counted.worstMillis = Math.max(counted.worstMillis, performance.now() - startedAt)
    }
  })

/** Rows of a walk in the state with a head, in the order of the walk. */
const listOf = (states: ChainStates, head: Block, wallet: string, order: string): ReadonlyArray<Row> => {
  const rows = states.rowsOf(head, wallet)
  return order === "ASC" ? rows : rows.toReversed()
}

/** Reads a wallet from the first page to the last, or until an error. */
export const walk = Effect.fnUntraced(function* (
  setting: Setting,
  wallet: string,
  options: { readonly limit: number; readonly order: "ASC" | "DESC" },
) {
  const { states } = setting
  const { limit, order } = options
  let given = 0
  let heads: ReadonlyArray<Block> = []
  for (let cursor = ""; ;) {
    const response = yield* request(
      setting,
      `/api/v2.2/${wallet}/verbose?chain=eth&limit=${limit}&order=${order}${cursor}`,
    )
    const counted = setting.tally()
    yield* states.settled
    if (response?.status === 409 && !heads.some(states.isRemoved)) {
      counted.issues.push(`${wallet} ${order}: reported as stale after ${given} rows, of blocks that were not removed`)
    }
    if (response === undefined || response.status !== 200) return false
    const page = response.body as { readonly cursor: string | null; readonly result: ReadonlyArray<PageRow> }
    if (cursor === "") heads = states.at(response.indexedTo)
    const rows = page.result.map((row) =>
      keyOf(row.block_hash, Number(row.transaction_index), row.hash, row.receipt_status),
    )
    heads = heads.filter((head) => {
      const list = listOf(states, head, wallet, order)
      const expectedRows = list.slice(given, given + limit)
      const isLast = given + limit >= list.length
      return expectedRows.map(({ key }) => key).join() === rows.join() && (page.cursor === null) === isLast
    })
    if (heads.length === 0) {
      counted.issues.push(
        `${wallet} ${order} after ${given} rows: no state of the chain contains this page of ${rows.length}`,
      )
      return false
    }
    counted.pages++
    given += rows.length
    if (page.cursor === null) return true
    cursor = `&cursor=${encodeURIComponent(page.cursor)}`
    yield* Effect.sleep(pauseMillis)
  }
})

/** Reads wallets repeatedly, one at a time. */
export const walker = (setting: Setting): Effect.Effect<never> =>
  Effect.forever(
    Effect.suspend(() =>
      walk(setting, setting.random.pick(setting.wallets), {
        limit: 3 + setting.random.integer(20),
        order: setting.random.pick(["ASC", "DESC"]),
      }),
    ).pipe(Effect.andThen(Effect.sleep(pauseMillis))),
  )

/** Requests blocks by number through the relay, repeatedly. */
export const caller = (setting: Setting): Effect.Effect<never> =>
  Effect.gen(function* () {
    const { states } = setting
    const number = setting.random.integer(states.head().number)
    const params = [`0x${number.toString(16)}`, false]
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params })
    const response = yield* request(setting, "/rpc/eth", { method: "POST", body })
    yield* states.settled
    if (response?.status === 200) {
      const block = response.body.result as { readonly hash: string } | null
      // A block that a reorg removed is absent until the next one is mined.
      const isRight =
        block === null
          ? states.at(number).some(states.isRemoved)
          : states.at(number).some(({ hash }) => hash === block.hash)
      if (isRight) setting.tally().calls++
      else
        setting
          .tally()
          .issues.push(`eth_getBlockByNumber ${number}: ${block?.hash ?? "null"} was never part of the chain`)
    }
    yield* Effect.sleep(5 * pauseMillis)
  }).pipe(Effect.forever)
