/** How a list is read again after a reorg, and when it is rejected. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as CompleteRange from "../../../src/query/CompleteRange.ts"
import * as QueryError from "../../../src/query/QueryError.ts"
import type * as WalletPage from "../../../src/query/WalletPage.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import type { Request } from "../../../src/server/etherscan/Action.ts"
import * as Lists from "../../../src/server/etherscan/Lists.ts"
import type { NodeCalls } from "../../../src/server/etherscan/NodeCalls.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import * as Rows from "../rows.ts"

// Sound: a list of stored blocks reads nothing else of a chain, and asks no node.
const request = {
  chain: { id: 1, name: "eth", config: { rpc: ["a"] }, status: Effect.succeed(null) },
  grant: { name: "one", operator: false, empty: null },
} as unknown as Request
const calls = { head: () => Effect.die("a node was asked") } as unknown as NodeCalls

const page: WalletPage.Page<string> = {
  rows: ["a row"],
  after: null,
  next: null,
  coverage: {
    checkpoint: { first: 0, head: { number: 20, hash: "" }, headTimestamp: 0, finalized: 10 },
    missing: 0,
    reconciledTo: null,
  },
  isFixed: false,
}

const damaged = new StoreError({ message: "Database damaged: eth.db.", isRetryable: false, cause: null })

const stale = new QueryError.Stale({ resumeFromBlock: 3, checkpoint: null })

const readList = () =>
  Lists.make(
    Turns.make(() => 0),
    calls,
  )

const list = { from: 0, to: 20, order: "ASC", limit: 10, skipped: 0 } as const

/** Reads a list whose first reads meet reorgs, as texts; returns it or the error, and the number of reads. */
const readAfter = Effect.fnUntraced(function* (reorgs: number, text: string) {
  let readings = 0
  const options = {
    request,
    wallet: Rows.alice,
    list,
    selection: null,
    kind: "txlist",
    read: () => Effect.suspend(() => (++readings <= reorgs ? Effect.fail(stale) : Effect.succeed(page))),
  }
  const found = readList()(options, ({ length }) => Effect.succeed(Array(length).fill(text)))
  const result = yield* found.pipe(
    Effect.map(({ rows }) => rows),
    Effect.catchTag("Refused", (refused) => Effect.succeed(refused.result ?? refused.message)),
  )
  return { readings, result }
})

const checkpoint = { first: 4, head: { number: 20, hash: "" }, headTimestamp: 0, finalized: 10 }

/** Pages of a few rows of a list of numbers, one page per read, from the position that a query states. */
const pagesOf = (rows: number, perPage: number) => {
  const queries: Array<WalletPage.Query<null>> = []
  const read = (query: WalletPage.Query<null>) => {
    queries.push(query)
    const { limit, position } = query
    const from =
      position._tag === "After" ? position.continuation.after.block + 1 : position._tag === "Skip" ? position.rows : 0
    const count = Math.max(0, Math.min(perPage, limit, rows - from))
    const found = Array.from({ length: count }, (_, at) => String(from + at))
    const after = from === 0 ? null : { block: from - 1, index: 0 }
    const end = from + count
    const list = { from: 0, to: 20, afterHash: "", top: { number: 20, hash: "" }, serial: 0 }
    const next = end < rows ? { ...list, after: { block: end - 1, index: 0 } } : null
    return Effect.succeed({ ...page, rows: found, after, next })
  }
  return { queries, read }
}

describe("Lists", () => {
  it.effect("readList: reads page after page until it has the requested rows", () =>
    Effect.gen(function* () {
      const lists = readList()
      const listOf = Effect.fnUntraced(function* (limit: number, skipped: number, rows = 9) {
        const { queries, read } = pagesOf(rows, 2)
        const options = {
          request,
          wallet: Rows.alice,
          list: { ...list, limit, skipped },
          selection: null,
          kind: "txlist",
          read,
        }
        const found = yield* lists(options, (all) => Effect.succeed(all))
        expect(queries[0]!.maxBytes).toBe(262_144)
        return { ...found, limits: queries.map((query) => query.limit), position: queries[0]!.position }
      })

      expect(yield* listOf(5, 0)).toEqual({
        rows: ["0", "1", "2", "3", "4"],
        bytes: 5 * 3,
        coverage: page.coverage,
        limits: [5, 3, 1],
        position: { _tag: "First" },
      })
      expect(yield* listOf(10, 0, 3)).toMatchObject({ rows: ["0", "1", "2"], limits: [10, 8] })
      // The positions of the previous pages are known, up to the last final block.
      const known = { place: { block: 3, index: 0 }, rows: 4 }
      expect(yield* listOf(4, 4)).toMatchObject({ rows: ["4", "5", "6", "7"], position: { rows: 4, known } })
      expect(yield* listOf(4, 7)).toMatchObject({
        rows: ["7", "8"],
        position: { rows: 7, known: { place: { block: 5, index: 0 }, rows: 6 } },
      })
    }),
  )

  it.effect("readList: counts the rows before a page and keeps the position for later pages", () =>
    Effect.gen(function* () {
      const lists = readList()
      const { queries, read } = pagesOf(9, 9)
      const options = { request, wallet: Rows.alice, selection: null, kind: "txlist", read }
      yield* lists({ ...options, list: { ...list, limit: 9, skipped: 6 } }, (all) => Effect.succeed(all))
      yield* lists({ ...options, list: { ...list, limit: 9, skipped: 7 } }, (all) => Effect.succeed(all))

      expect(queries.map(({ position }) => position)).toMatchObject([
        { _tag: "Skip", rows: 6, known: undefined },
        { _tag: "Skip", rows: 7, known: { place: { block: 5, index: 0 }, rows: 6 } },
      ])
    }),
  )

  it.effect(
    "readList: counts the rows before at most three lists of all callers at once, as each keeps a snapshot",
    () =>
      Effect.gen(function* () {
        const lists = readList()
        let [open, most] = [0, 0]
        const read = () =>
          Effect.suspend(() => {
            most = Math.max(most, ++open)
            return Effect.as(Effect.yieldNow, { ...page, next: null })
          }).pipe(Effect.ensuring(Effect.sync(() => open--)))
        const listOf = (name: string) =>
          lists(
            {
              request: { ...request, grant: { ...request.grant, name } },
              wallet: Rows.alice,
              list: { ...list, skipped: 10 },
              selection: null,
              kind: "tokentx",
              read,
            },
            () => Effect.succeed([]),
          )
        yield* Effect.forEach([..."abcdefghij"], listOf, { concurrency: "unbounded" })

        expect(most).toBe(3)
      }),
  )

  it.effect("readList: rejects a list whose rows need more than 2,000 pages, and pages of more than 16 MiB", () =>
    Effect.gen(function* () {
      const { queries, read } = pagesOf(3_000, 1)
      const options = { request, wallet: Rows.alice, selection: null, kind: "txlist", read }
      const lengthOf = (limit: number, text: string) =>
        readList()({ ...options, list: { ...list, limit } }, (all) => Effect.succeed(all.map(() => text))).pipe(
          Effect.map(({ rows }) => rows.length),
          Effect.catchTag("Refused", ({ message }) => Effect.succeed(message)),
        )
      const tooMuch = "Query Timeout occured. Please select a smaller result dataset"

      expect([yield* lengthOf(2_000, ""), queries.length]).toEqual([2_000, 2_000])
      expect(yield* lengthOf(2_001, "")).toBe(tooMuch)
      const half = "x".repeat(Lists.maxBytes / 2 - 2)
      expect([yield* lengthOf(2, half), yield* lengthOf(3, half)]).toEqual([2, tooMuch])
    }),
  )

  it.effect("refusalOf: states why a list cannot be read, and logs the damaged block", () =>
    Effect.gen(function* () {
      const messageOf = (error: Parameters<typeof Lists.refusalOf>[0]) =>
        Effect.map(Effect.flip(Lists.refusalOf(error)), ({ message, result }) => result ?? message)
      const derived = { chain: "eth", checkpoint }
      const searched = { ...derived, wallet: Rows.alice, searchEnd: 9 }
      const store = { message: "It failed.", cause: undefined }

      expect(yield* messageOf(new CompleteRange.Incomplete({ message: "a block" }))).toBe("Not indexed: a block")
      const underived = (from: number) =>
        `Not indexed: rows of this kind are not derived yet from block ${from} of eth on`
      expect(yield* messageOf(new QueryError.NotDerived({ ...derived, next: 7 }))).toBe(underived(7))
      expect(yield* messageOf(new QueryError.NotDerived({ ...derived, next: null }))).toBe(underived(4))
      expect(yield* messageOf(new QueryError.NotTraced({ chain: "eth" }))).toBe(
        "Not indexed: no block of eth has traces",
      )
      const past = (to: string) => `Not indexed: the past of the wallet is searched up to block ${to} of 9`
      expect(yield* messageOf(new QueryError.NotSearched({ ...searched, searchedTo: 3 }))).toBe(past("3"))
      expect(yield* messageOf(new QueryError.NotSearched({ ...searched, searchedTo: null }))).toBe(past("none"))
      expect(yield* messageOf(new QueryError.NotWatched({ chain: "eth", wallet: Rows.alice }))).toBe(
        `Not indexed: the wallet ${Rows.alice} is not watched on eth`,
      )
      expect(yield* messageOf(new QueryError.TooManyTexts())).toBe(
        "Query Timeout occured. Please select a smaller result dataset",
      )
      expect(yield* messageOf(new StoreError({ ...store, isRetryable: false, damagedBlock: 0 }))).toBe(
        "Not indexed: block 0 cannot be read",
      )
      expect(yield* messageOf(new StoreError({ ...store, isRetryable: true }))).toBe(
        "Free API access is temporarily unavailable: the index cannot be read now.",
      )
      expect(yield* messageOf(damaged)).toBe(
        "Error! Database damaged. The log of the server states where, and what to do.",
      )
    }),
  )

  it.effect("readList: starts again after a reorg, at most three times", () =>
    Effect.gen(function* () {
      expect(yield* readAfter(1, "row")).toEqual({ readings: 2, result: ["row"] })
      expect(yield* readAfter(3, "row")).toEqual({ readings: 4, result: ["row"] })
      expect(yield* readAfter(4, "row")).toEqual({
        readings: 4,
        result: "Free API access is temporarily unavailable: the chain is reorganizing.",
      })
    }),
  )

  it.effect("readList: rejects rows of more than 16 MiB, and does not read them again", () =>
    Effect.gen(function* () {
      expect(yield* readAfter(0, "x".repeat(Lists.maxBytes))).toEqual({
        readings: 1,
        result: "Query Timeout occured. Please select a smaller result dataset",
      })
    }),
  )

  it.effect("readList: reads four lists of a caller at once, lets 100 wait, and reads those of others meanwhile", () =>
    Effect.gen(function* () {
      const read = readList()
      const isOpen = yield* Deferred.make<void>()
      let readings = 0
      const listOf = (name: string) =>
        read(
          {
            request: { ...request, grant: { name, operator: false, empty: null } },
            wallet: Rows.alice,
            list,
            selection: null,
            kind: "txlist",
            read: () =>
              Effect.suspend(() => {
                readings++
                return Effect.as(name === "one" ? Deferred.await(isOpen) : Effect.void, page)
              }),
          },
          (rows) => Effect.succeed(rows),
        )
      const waiting = yield* Effect.forEach(Array(104).fill("one"), (name) =>
        Effect.forkChild(listOf(name), { startImmediately: true }),
      )

      expect(readings).toBe(4)
      expect((yield* Effect.flip(listOf("one"))).result).toBe(
        "Free API access is temporarily unavailable: 100 lists are already waiting.",
      )
      expect((yield* listOf("another")).rows).toEqual(["a row"])
      yield* Deferred.succeed(isOpen, undefined)
      yield* Effect.forEach(waiting, Fiber.join)
      expect(readings).toBe(105)
    }),
  )
})
