/** How a list is read again after a reorg, and when it is refused. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as QueryError from "../../../src/query/QueryError.ts"
import type { Page } from "../../../src/query/WalletPage.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import type { Request } from "../../../src/server/etherscan/Action.ts"
import * as Lists from "../../../src/server/etherscan/Lists.ts"
import type { NodeCalls } from "../../../src/server/etherscan/NodeCalls.ts"
import * as Rows from "../rows.ts"

// Sound: a list of stored blocks reads nothing else of a chain, and asks no node.
const request = {
  chain: { id: 1, name: "eth", config: { rpc: ["a"] }, status: Effect.succeed(null) },
  grant: { name: "one", operator: false, empty: null },
} as unknown as Request
const calls = { head: () => Effect.die("a node was asked") } as unknown as NodeCalls

const page: Page<string> = {
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

const stale = new QueryError.Stale({ resumeFromBlock: 3, checkpoint: null })

const readList = () =>
  Lists.make(
    Turns.make(() => 0),
    calls,
  )

const list = { from: 0, to: 20, order: "ASC", limit: 10, skipped: 0 } as const

/** Reads a list whose first readings meet reorgs, as texts; gives it or the refusal, and how often it was read. */
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

describe("Lists", () => {
  it.effect("readList: begins again after a reorg, three times at most", () =>
    Effect.gen(function* () {
      expect(yield* readAfter(1, "row")).toEqual({ readings: 2, result: ["row"] })
      expect(yield* readAfter(3, "row")).toEqual({ readings: 4, result: ["row"] })
      expect(yield* readAfter(4, "row")).toEqual({
        readings: 4,
        result: "Free API access is temporarily unavailable: the chain reorganizes.",
      })
    }),
  )

  it.effect("readList: refuses rows of more than 16 MiB, and does not read them again", () =>
    Effect.gen(function* () {
      expect(yield* readAfter(0, "x".repeat(Lists.maxBytes))).toEqual({
        readings: 1,
        result: "Query Timeout occured. Please select a smaller result dataset",
      })
    }),
  )

  it.effect("readList: reads four lists of a caller at once, has 100 wait, and reads those of others meanwhile", () =>
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
        "Free API access is temporarily unavailable: 100 lists wait already.",
      )
      expect((yield* listOf("another")).rows).toEqual(["a row"])
      yield* Deferred.succeed(isOpen, undefined)
      yield* Effect.forEach(waiting, Fiber.join)
      expect(readings).toBe(105)
    }),
  )
})
