import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { Result, Schema } from "effect"
import type { PageResponse } from "../../src/Client.ts"
import * as Pagination from "../../src/internal/Pagination.ts"
import * as Position from "../../src/internal/Position.ts"
import { walletTransactions } from "../../src/internal/WalletTransactions.ts"
import { StaleCursor } from "../../src/RestError.ts"
import { history, noCoverage, row, type Row, wallet } from "../history.ts"

const decode = Schema.decodeUnknownSync(WalletPage.WalletPage)
const response = (result: ReadonlyArray<Row>, cursor: string | null): PageResponse<WalletPage.WalletPage> => ({
  page: decode({ cursor, page: 0, page_size: 100, result }),
  badRows: [],
  indexCoverage: noCoverage,
  headers: {},
  requestId: undefined,
  attempts: [],
})
const stale = (block: bigint) => new StaleCursor({ host: "a.test", status: 409, resumeFromBlock: block })

const configOf = (
  parameters: Readonly<Record<string, string>> = {},
  more: Partial<Pagination.Config<WalletTransaction>> = {},
): Pagination.Config<WalletTransaction> => ({
  host: "a.test",
  query: { operation: "walletTransactions", params: { address: wallet }, parameters },
  order: "ASC",
  maxRows: Number.POSITIVE_INFINITY,
  onStaleCursor: "restart",
  locate: walletTransactions.locate,
  ...more,
})
const startOf = ({ order, query }: Pagination.Config<WalletTransaction>) =>
  Pagination.initial(Pagination.startOf(query, order))
const parametersOf = (config: Pagination.Config<WalletTransaction>, state: Pagination.State) => {
  const action = Pagination.next(config, state)
  return action._tag === "Request" ? action.query.parameters : action._tag
}

describe("Pagination", () => {
  it("isReverted: is false for any page, whatever its keys", () => {
    expect(Pagination.isReverted({ _tag: "RowsReverted", fromBlock: 5n, position: "" })).toBe(true)
    expect(Pagination.isReverted({ _tag: "another" })).toBe(false)
    expect(Pagination.isReverted({})).toBe(false)
  })

  it("next: requests the first page in the order of the query", () => {
    const config = configOf({ limit: "10" })

    expect(parametersOf(config, startOf(config))).toStrictEqual({ limit: "10", order: "ASC" })
  })
  it("next: requests the page of the cursor after a page", () => {
    const config = configOf({ from_block: "5" })
    const [state] = Pagination.onPage(config, startOf(config), response([row(5, 0)], "c1"))

    expect(parametersOf(config, state)).toStrictEqual({ from_block: "5", order: "ASC", cursor: "c1" })
  })
  it("next: ends after a page without a cursor", () => {
    const config = configOf()
    const [state] = Pagination.onPage(config, startOf(config), response([row(5, 0)], null))

    expect(parametersOf(config, state)).toBe("End")
  })
  it("next: after an ascending query without rows, requests newer ones from its start", () => {
    const config = configOf({ from_block: "5" })
    const [, step] = Pagination.onPage(config, startOf(config), response([], null))
    const saved = Result.getOrThrow(Position.parse(step.page.position, Position.queryOf(config.query, "ASC")))

    expect(parametersOf(config, Pagination.initial(saved))).toStrictEqual({ from_block: "5", order: "ASC" })
  })
  it("onPage: a position within a page that continues another one counts the rows of both", () => {
    const config = configOf()
    const page = response([row(5, 0), row(6, 0), row(7, 0)], "c1")
    const stateAt = (text: string) =>
      Result.getOrThrow(Position.parse(text, Position.queryOf(config.query, config.order)))
    const [, first] = Pagination.onPage(config, startOf(config), page)
    const [, second] = Pagination.onPage(config, Pagination.initial(stateAt(first.positionAfter(1))), page)

    expect(stateAt(first.positionAfter(1)).segments[0]!.memory.given).toBe(1)
    expect(stateAt(second.positionAfter(1)).segments[0]!.memory.given).toBe(2)
  })

  it("newestRow: is requested only after the last rows were received again together", () => {
    const config = configOf({ from_block: "5" })
    const page = response([row(5, 0)], null)
    const [first] = Pagination.onPage(config, startOf(config), page)
    const poll = Pagination.onEnd(config, first)!
    const [second] = Pagination.onPage(config, poll, page)

    expect(Pagination.newestRow(config, first, poll)).toBe(undefined)
    expect(Pagination.newestRow(config, second, Pagination.onEnd(config, second)!)?.parameters).toStrictEqual({
      from_block: "5",
      limit: "1",
      order: "DESC",
    })
  })

  it("onEnd: after a reorg that reverted all rows it remembers, continues with the first of them", () => {
    const config = configOf()
    const rows = Array.from({ length: 200 }, (_, at) => row(1 + at, 0))
    const [read] = Pagination.onPage(config, startOf(config), response(rows, "c1"))
    const [restarted] = Result.getOrThrow(Pagination.onStale(config, read, stale(20n)))
    const [state] = Pagination.onPage(config, restarted, response([], null))
    const following = Pagination.onEnd(config, state)

    expect(following && parametersOf(config, following)).toStrictEqual({ from_block: "20", order: "ASC" })
  })
  it("next: ends at maxRows, and requests no more rows than that", () => {
    const config = configOf({}, { maxRows: 2 })
    const [state, step] = Pagination.onPage(config, startOf(config), response(history(1, 3), "c1"))

    expect(parametersOf(config, startOf(config))).toStrictEqual({ limit: "2", order: "ASC" })
    expect(step.page.page.result.length).toBe(2)
    expect(parametersOf(config, state)).toBe("End")
  })
  it("next: fails with the fault of a page after its rows", () => {
    const config = configOf()
    const [state, step] = Pagination.onPage(config, startOf(config), response([row(5, 0), row(3, 0)], "c1"))
    const action = Pagination.next(config, state)

    expect(step.page.page.result.length).toBe(1)
    expect(action._tag === "Fail" && action.error._tag).toBe("OutOfOrder")
  })
  it("onPage: leaves its argument unchanged", () => {
    const config = configOf()
    const state = startOf(config)
    Pagination.onPage(config, state, response([row(5, 0)], "c1"))

    expect(state).toStrictEqual(startOf(config))
  })
  it("onPage: counts pages and rows", () => {
    const config = configOf()
    const [state] = Pagination.onPage(config, startOf(config), response([row(1, 0), row(2, 0)], "c1"))
    const [, step] = Pagination.onPage(config, state, response([row(2, 0), row(3, 0)], null))

    expect(step.page.progress).toStrictEqual({ pages: 2, rows: 3, block: 3n })
  })
  it("onStale: fails with the error unless the query restarts", () => {
    const config = configOf({}, { onStaleCursor: "fail" })
    const error = stale(5n)

    expect(Pagination.onStale(config, startOf(config), error)).toStrictEqual(Result.fail(error))
  })
  it("onStale: returns a marker and requests the replaced blocks", () => {
    const config = configOf({}, { order: "DESC" })
    const [state] = Pagination.onPage(config, startOf(config), response([row(9, 0), row(8, 0), row(3, 0)], "c1"))
    const [after, marker] = Result.getOrThrow(Pagination.onStale(config, state, stale(8n)))

    expect(marker).toStrictEqual({ _tag: "RowsReverted", fromBlock: 8n, position: after.held })
    expect(parametersOf(config, after)).toStrictEqual({ from_block: "8", order: "DESC" })
  })
  it("onStale: a reorg at to_block requests that block again", () => {
    const config = configOf({ to_block: "9" }, { order: "DESC" })
    const [state] = Pagination.onPage(config, startOf(config), response([row(9, 0), row(8, 0), row(3, 0)], "c1"))
    const [after] = Result.getOrThrow(Pagination.onStale(config, state, stale(9n)))

    expect(parametersOf(config, after)).toStrictEqual({ from_block: "9", to_block: "9", order: "DESC" })
  })
  it("onStale: fails after five restarts without a row between them", () => {
    const config = configOf()
    let state = startOf(config)
    for (let restarts = 0; restarts < 5; restarts++) {
      state = Result.getOrThrow(Pagination.onStale(config, state, stale(5n)))[0]
    }

    expect(Result.isFailure(Pagination.onStale(config, state, stale(5n)))).toBe(true)
  })
  it("onStale: restarts do not accumulate over a query that returns rows between them", () => {
    const config = configOf()
    let state = startOf(config)
    for (let block = 1; block <= 20; block++) {
      state = Pagination.onPage(config, state, response([row(block * 10, 0)], `c${block}`))[0]
      state = Result.getOrThrow(Pagination.onStale(config, state, stale(BigInt(block * 10 + 5))))[0]
    }

    expect(state.restarts).toBe(1)
    expect(state.rows).toBe(20)
  })

  it.prop(
    "law: resuming at the position after any row returns exactly the rows after it",
    {
      seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
      at: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
      order: Schema.Literals(["ASC", "DESC"]),
    },
    ({ at, count, order, seed, size }) => {
      const rows = order === "ASC" ? history(seed, count) : history(seed, count).toReversed()
      const pageAt = (offset: number) =>
        response(rows.slice(offset, offset + size), offset + size < count ? `c${offset + size}` : null)
      const config = configOf({}, { order })
      const readFrom = (first: Pagination.State, until: number) => {
        const hashes: Array<string> = []
        let state = first
        for (;;) {
          const action = Pagination.next(config, state)
          if (action._tag !== "Request") return { hashes, position: state.held }
          const cursor = action.query.parameters["cursor"]
          const [after, step] = Pagination.onPage(
            config,
            state,
            pageAt(cursor === undefined ? 0 : Number(cursor.slice(1))),
          )
          const left = until - hashes.length
          hashes.push(...step.page.page.result.slice(0, left).map(({ hash }) => hash))
          if (step.page.page.result.length >= left) return { hashes, position: step.positionAfter(left) }
          state = after
        }
      }
      const first = readFrom(startOf(config), Math.min(at, count))
      const saved = Result.getOrThrow(Position.parse(first.position, Position.queryOf(config.query, order)))
      // The position after the last row of an ascending query reads its latest rows again.
      const isEnd = Math.min(at, count) === count
      const rest = isEnd ? [] : readFrom(Pagination.initial(saved), Number.POSITIVE_INFINITY).hashes

      expect([...first.hashes, ...rest]).toStrictEqual(rows.map(({ hash }) => hash))
    },
  )
  it.prop(
    "law: Position.parse inverts Position.format",
    {
      seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
      count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
      order: Schema.Literals(["ASC", "DESC"]),
      cursor: Schema.String.check(Schema.isMinLength(1)),
    },
    ({ count, cursor, order, seed }) => {
      const rows = order === "ASC" ? history(seed, count) : history(seed, count).toReversed()
      const config = configOf({}, { order })
      const [state] = Pagination.onPage(config, startOf(config), response(rows, cursor))
      const parsed = Result.getOrThrow(Position.parse(state.held, Position.queryOf(config.query, order)))

      expect(Position.format(parsed)).toBe(state.held)
      expect(parsed.segments[0]).toStrictEqual(state.segments[0])
    },
  )
})
