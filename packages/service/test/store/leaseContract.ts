/** Contract tests of the state that processes share: leases, and statuses of indexers. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FencingToken } from "../../src/store/Leases.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"
import * as Model from "./model.ts"
import * as TestDatabase from "./TestDatabase.ts"

const status: IndexerStatus = {
  state: "backfill",
  traces: "trace_block",
  nodeHead: 12,
  message: "Fetching block 12.",
}

/** A status with every field. */
const fullStatus: Required<IndexerStatus> = {
  ...status,
  headAgeMillis: 20,
  pollMillis: 250,
  blocksPerSecond: 2.5,
  headBlocksPerSecond: 0.5,
  unchecked: "trie",
  settings: [{ name: "traces", value: "auto", from: 4 }],
  startNote: "Begins at block 3.",
  lacking: "no eth_getBlockReceipts",
  prepend: { to: 0, blocksPerSecond: 1.5, issue: "pruned" },
  past: { wallets: ["0xa"], searchedTo: 3, end: 9, calls: 40, callsLeft: 12, etaMillis: 600, issue: "no state" },
  counts: { blocks: 9, transactions: 20, reorgs: 1, obstacles: 2 },
}

/** A lease that is held. */
interface Held {
  readonly owner: string
  readonly token: FencingToken
  readonly until: number
}

/** Runs the suites of leases and statuses against an engine. */
export const leaseContract = (database: TestDatabase.Make, law: TestDatabase.Laws): void => {
  const opened = TestDatabase.opened(database)

  describe("leases", () => {
    it.effect("acquire: grants the lease to one owner until it expires, is renewed, or is released", () =>
      Effect.gen(function* () {
        const { advance, open, store } = yield* opened
        const one = store.database.leases
        const two = (yield* open).database.leases
        const { ref } = store

        const first = yield* one.acquire(ref, "one", 1000)
        expect(first).not.toBeNull()
        expect(yield* two.acquire(ref, "two", 1000)).toBeNull()
        yield* advance(800)
        expect(yield* one.renew(ref, first!, 1000)).toBe(true)
        yield* advance(999)
        expect(yield* two.acquire(ref, "two", 1000)).toBeNull()
        yield* advance(1)
        const second = yield* two.acquire(ref, "two", 1000)
        expect(second).toBeGreaterThan(first!)
        expect(yield* one.renew(ref, first!, 1000)).toBe(false)
        expect(yield* one.acquire(ref, "one", 1000)).toBeNull()
        yield* one.release(ref, first!)
        expect(yield* one.acquire(ref, "one", 1000)).toBeNull()
        yield* two.release(ref, second!)
        expect(yield* one.acquire(ref, "one", 1000)).toBeGreaterThan(second!)
      }),
    )

    it.effect("acquire: gives an owner that holds the lease a new token and rejects its earlier one", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const { leases } = store.database
        const before = (yield* leases.acquire(store.ref, "one", 1000))!

        const after = (yield* leases.acquire(store.ref, "one", 1000))!

        expect(after).toBeGreaterThan(before)
        expect([yield* leases.renew(store.ref, before, 1000), yield* leases.renew(store.ref, after, 1000)]).toEqual([
          false,
          true,
        ])
      }),
    )

    it.effect("acquire: takes over the lease of a dead owner after the clock was set back an hour", () =>
      Effect.gen(function* () {
        const { setClock, store } = yield* opened
        yield* setClock(7_200_000)
        yield* store.database.leases.acquire(store.ref, "dead", 5_000)

        yield* setClock(3_600_000)

        expect(yield* store.database.leases.acquire(store.ref, "next", 5_000)).not.toBeNull()
      }),
    )

    it.effect.prop(
      "any sequence of calls while the clock advances: one owner holds the lease, as in the model",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { advance, store } = yield* opened
          const { leases } = store.database
          const numbers = Model.seeded(seed)
          let model: Held | null = null
          let greatest = 0
          let now = 0
          for (let step = 0; step < 40; step++) {
            const owner = numbers.pick(["one", "two", "three"])
            const millis = numbers.below(300)
            const action = numbers.below(4)
            if (action === 0) {
              now += millis
              yield* advance(millis)
            } else if (action === 1 && model !== null) {
              yield* leases.release(store.ref, model.token)
              model = null
            } else if (action === 2 && model !== null) {
              expect(yield* leases.renew(store.ref, model.token, millis)).toBe(true)
              model = { owner: model.owner, token: model.token, until: now + millis }
            } else {
              const token: FencingToken | null = yield* leases.acquire(store.ref, owner, millis)
              const isFree: boolean = model === null || model.owner === owner || model.until <= now
              expect(token !== null).toBe(isFree)
              if (token === null) continue
              expect(token).toBeGreaterThan(greatest)
              greatest = token
              model = { owner, token, until: now + millis }
            }
          }
        }).pipe(Effect.scoped),
      law(40),
    )
  })

  describe("status", () => {
    it.effect("write: other processes read the last written status", () =>
      Effect.gen(function* () {
        const { advance, open, store } = yield* opened
        const reader = yield* open

        expect(yield* reader.readStatus).toBeNull()
        yield* store.writeStatus(status)
        expect(yield* reader.readStatus).toEqual({ ...status, ageMillis: 0 })
        yield* store.writeStatus(fullStatus)
        expect(yield* reader.readStatus).toEqual({ ...fullStatus, ageMillis: 0 })
        const other: IndexerStatus = { ...status, state: "misconfigured", traces: "off", nodeHead: null }
        yield* advance(3_000)
        yield* store.writeStatus(other)
        yield* advance(4_000)
        expect(yield* reader.readStatus).toEqual({ ...other, ageMillis: 4_000 })
      }),
    )

    it.effect("read: returns no age after the clock was set back, so that a dead indexer does not look alive", () =>
      Effect.gen(function* () {
        const { setClock, store } = yield* opened
        yield* setClock(7_200_000)
        yield* store.writeStatus(status)

        yield* setClock(3_600_000)

        expect(yield* store.readStatus).toEqual({ ...status, ageMillis: null })
      }),
    )

    it.effect.prop(
      "read: the age of a status is the time since it was written, by the database's clock",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { advance, open, store } = yield* opened
          const reader = yield* open
          const numbers = Model.seeded(seed)
          for (let round = 0; round < 5; round++) {
            yield* store.writeStatus(status)
            const waits = [numbers.below(10_000), numbers.below(10_000)] as const
            for (const wait of waits) yield* advance(wait)

            expect((yield* reader.readStatus)?.ageMillis).toBe(waits[0] + waits[1])
          }
        }).pipe(Effect.scoped),
      law(20),
    )
  })
}
