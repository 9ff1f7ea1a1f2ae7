/** Which blocks a proof covers, by what the index has and what is requested. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as LedgerScope from "../../src/proof/LedgerScope.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Ledgers from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"

const { blocks, projections } = Ledgers.chainOf(
  Object.fromEntries([0, 1, 2, 3, 4].map((number) => [number, { 0: [{ amount: 1n }] }])),
  4,
)

/** Blocks from a first one on. */
const openedFrom = Effect.fnUntraced(function* (first: number, projected = projections) {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const store = yield* TestStore.open(database, { name: "eth", id: 1 }, { projections: projected })
  yield* store.append(null, blocks.slice(first))
  return { store, reopened: TestStore.open(database, { name: "eth", id: 1 }, { projections }) }
})

/** The closing block, or the message of what the index lacks. */
const closingOf = (store: TestStore.TestStore, at?: number | "head") =>
  Effect.map(Effect.result(LedgerScope.read(store, "eth", at)), (read) =>
    Result.isSuccess(read) ? read.success.closing.number : read.failure.message,
  )

const range = (from: number, to: number) => `the ledger of eth has the blocks ${from} to ${to}`
const notFinal = (from: number, to: number) =>
  `No final block indexed: ${range(from, to)}. Wait, or give a block with --at.`
const notIndexed = (block: number, from: number, to: number) =>
  `Block not indexed: ${block}; ${range(from, to)}. Give one of these with --at, or wait.`

describe("LedgerScope.read", () => {
  it.effect("ends with the requested block, the last one of the ledger, or the last final one", () =>
    Effect.gen(function* () {
      const { store } = yield* openedFrom(0)
      const before = yield* closingOf(store)
      yield* store.finalize(2)

      expect(before).toBe(notFinal(0, 4))
      expect(yield* LedgerScope.read(store, "eth")).toEqual({
        first: { number: 0, parentHash: Rows.blockHash(-1) },
        closing: { number: 2, hash: Rows.blockHash(2) },
      })
      expect(yield* Effect.forEach(["head", 0, 3, 4, 5] as const, (at) => closingOf(store, at))).toEqual([
        4,
        0,
        3,
        4,
        notIndexed(5, 0, 4),
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("begins with the first block of the index, below which nothing is covered", () =>
    Effect.gen(function* () {
      const { store } = yield* openedFrom(3)

      expect((yield* LedgerScope.read(store, "eth", 3)).first).toEqual({ number: 3, parentHash: Rows.blockHash(2) })
      expect(yield* closingOf(store, 2)).toBe(notIndexed(2, 3, 4))
    }).pipe(Effect.scoped),
  )

  it.effect("ends where the ledger is derived, and covers nothing before it is", () =>
    Effect.gen(function* () {
      const { reopened, store } = yield* openedFrom(0, [])
      yield* store.finalize(3)
      const without = [yield* closingOf(store), yield* closingOf(store, 2)]
      const filling = yield* reopened
      yield* filling.fill(projections[1]!, 1)

      expect(without).toEqual(
        Array.from({ length: 2 }, () => 'Nothing indexed: eth has no ledger yet. Run "daybook serve" first.'),
      )
      expect(yield* closingOf(filling, "head")).toBe(0)
      expect([yield* closingOf(filling), yield* closingOf(filling, 1)]).toEqual([0, notIndexed(1, 0, 0)])
    }).pipe(Effect.scoped),
  )
})
