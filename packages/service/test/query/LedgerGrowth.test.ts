import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Movement from "../../src/ledger/Movement.ts"
import type { IndexedChain } from "../../src/query/IndexedChain.ts"
import type * as Totals from "../../src/ledger/Totals.ts"
import type * as LedgerGrowth from "../../src/query/LedgerGrowth.ts"
import * as WalletSums from "../../src/query/WalletSums.ts"
import type { ChainReader, Snapshot } from "../../src/store/ChainReader.ts"
import { movementOf, projectionOf } from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

/** Entries of alice in each block but block 0: more than a slice of 512. */
const placesPerBlock = 600

const projection: LedgerProjection = {
  ...projectionOf({}),
  ledger: ({ number }) =>
    LedgerCodec.pack(
      Array.from({ length: number === 0 ? 0 : placesPerBlock }, (_, index) => {
        return { index, wallet: Rows.alice, roles: 0, movements: [movementOf({ amount: 1n })] }
      }),
    ),
}

const blocks = [0, 1, 2, 3].map((number) => Rows.block(number, []))
const open = { _tag: "Open" } as const
const whole = (block: number) => `${block} ${Movement.blockLevelIndex}`

/** Blocks 0 to 3, of which block 2 is final, and what reads of sums have done so far. */
const opened = Effect.gen(function* () {
  const { chain, store } = yield* openedChain({ blocks, projections: [projection] })
  yield* store.finalize(2)
  const done = {
    /** The positions after which slices begin. */
    slices: [] as Array<string>,
    /** The numbers of sums that fitted. */
    rooms: [] as Array<number>,
    turns: 0,
    keeping: 0,
  }
  const observed = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    ledger: (query) => {
      done.slices.push(query.after === null ? "first" : `${query.after.block} ${query.after.index}`)
      return snapshot.ledger(query)
    },
  })
  const sharing: LedgerGrowth.Sharing = {
    inTurn: (work) => Effect.suspend(() => (done.turns++, work)),
    room: (sums) => Effect.sync(() => void done.rooms.push(sums)),
    keeping: (work) => Effect.suspend(() => (done.keeping++, work)),
  }
  return { chain: observing(chain, observed), store, done, sharing }
})

/** A chain whose snapshots are replaced. */
const observing = (chain: IndexedChain, replaced: (snapshot: Snapshot) => Snapshot): IndexedChain => {
  const snapshot: ChainReader["snapshot"] = (read, options) =>
    chain.reader.snapshot((one) => read(replaced(one)), options)
  return { ...chain, reader: { ...chain.reader, snapshot } }
}

const queryOf = (chain: IndexedChain, range: Partial<WalletSums.Query["range"]> = {}): WalletSums.Query => ({
  chain,
  wallet: Rows.alice,
  assets: undefined,
  range: { from: open, to: open, ...range },
})

const amountOf = ({ closing }: WalletSums.Sums): bigint =>
  [...closing.sums.values()].reduce((sum, { in: received }) => sum + received, 0n)

describe("LedgerGrowth", () => {
  it.live("sums up to a final block are made in slices of one turn each, and later ones in one snapshot", () =>
    Effect.gen(function* () {
      const { chain, done, sharing } = yield* opened
      const read = WalletSums.make()
      const first = yield* read(queryOf(chain), sharing)

      expect([amountOf(first), first.block.number]).toEqual([1_800n, 3])
      expect(done).toEqual({
        // A snapshot is kept for the last block once its first slice is not all of it.
        slices: ["first", "1 511", "2 423", whole(2), whole(2), "3 511"],
        rooms: [0, 1, 1, 1, 1],
        turns: 14,
        keeping: 1,
      })
    }).pipe(Effect.scoped),
  )

  it.live("opening balances are read and added in turns, and are in the sums at both ends", () =>
    Effect.gen(function* () {
      const { chain, done, sharing, store } = yield* opened
      const proofs = yield* store.database.chain(store.ref).proofs
      const balances = Array.from({ length: 2_500 }, (_, at) => ({
        holding: { standard: "erc20", asset: `0x${(at + 1).toString(16).padStart(40, "0")}`, tokenId: null } as const,
        amount: BigInt(at),
      }))
      yield* proofs.writeOpenings({ number: 0, parentHash: blocks[0]!.parentHash }, [{ wallet: Rows.alice, balances }])
      const read = WalletSums.make()
      const before = done.turns
      const sums = yield* read(queryOf(chain, { from: { _tag: "Block", block: 2 } }), sharing)
      const again = done.turns
      const repeated = yield* read(queryOf(chain, { from: { _tag: "Block", block: 2 } }), sharing)
      const amounts = (totals: Totals.Totals) => new Map([...totals.sums.values()].map((sum) => [sum.asset, sum.in]))
      const openings = balances
        .filter(({ amount }) => amount > 0n)
        .map(({ amount, holding }) => [holding.asset as string, amount] as const)

      expect(amounts(sums.opening)).toEqual(new Map([...openings, ["native", 600n]]))
      expect(amounts(sums.closing)).toEqual(new Map([...openings, ["native", 1_800n]]))
      expect(sums.known.openings).toHaveLength(2_500)
      expect(amounts(repeated.closing)).toEqual(amounts(sums.closing))
      // Each of two passes reads three slices. The first one adds them in three turns; kept sums already have them.
      expect([again - before, done.turns - again]).toEqual([29, 20])
    }).pipe(Effect.scoped),
  )

  it.live("sums continue from those kept at a final block, as long as it is the same block", () =>
    Effect.gen(function* () {
      const { chain, done, sharing } = yield* opened
      let hash: string | null = null
      const changing = observing(chain, (snapshot) => ({
        ...snapshot,
        block: (number) =>
          Effect.map(snapshot.block(number), (block) => block && { ...block, hash: hash ?? block.hash }),
      }))
      const read = WalletSums.make()
      const slicesOf = Effect.fnUntraced(function* (to: number) {
        done.slices = []
        const sums = yield* read(queryOf(changing, { to: { _tag: "Block", block: to } }), sharing)
        return [amountOf(sums), ...done.slices]
      })

      expect(yield* slicesOf(1)).toEqual([600n, "first", "1 511"])
      expect(yield* slicesOf(2)).toEqual([1_200n, whole(1), "2 511"])
      expect(yield* slicesOf(2)).toEqual([1_200n])
      expect(yield* slicesOf(1)).toEqual([600n])
      hash = Rows.blockHash(2, "b")
      expect(yield* slicesOf(2)).toEqual([1_200n, "first", "1 511", "2 423"])
      expect(done.keeping).toBe(0)
    }).pipe(Effect.scoped),
  )

  it.live("sums are made again if blocks are removed in the meantime, but not if blocks are added", () =>
    Effect.gen(function* () {
      const { chain, done, sharing, store } = yield* opened
      const changed = (change: Effect.Effect<unknown, unknown>) => {
        let isChanged = false
        const room = (sums: number) =>
          Effect.suspend(() => {
            if (isChanged) return sharing.room(sums)
            isChanged = true
            return Effect.andThen(sharing.room(sums), Effect.orDie(change))
          })
        done.slices = []
        return WalletSums.make()(queryOf(chain), { ...sharing, room })
      }
      const longer = yield* changed(store.append(blocks[3]!, [Rows.block(4, [])]))
      const slices = done.slices
      const shorter = yield* changed(store.unwind(Rows.block(4, []), blocks[2]!))

      expect([longer.block.number, amountOf(longer), slices.slice(0, 4)]).toEqual([
        4,
        2_400n,
        ["first", "1 511", "2 423", whole(2)],
      ])
      expect([shorter.block.number, amountOf(shorter), done.slices]).toEqual([2, 1_200n, ["first", "1 511", "2 423"]])
    }).pipe(Effect.scoped),
  )

  it.live("sums of an index whose first block keeps changing fail after four attempts, and are retryable", () =>
    Effect.gen(function* () {
      const { chain, done, sharing } = yield* opened
      let reads = 0
      const changing = observing(chain, (snapshot) => ({
        ...snapshot,
        checkpoint: Effect.map(
          snapshot.checkpoint,
          (checkpoint) => checkpoint && { ...checkpoint, first: reads++ % 2 },
        ),
      }))
      const error = yield* Effect.flip(WalletSums.make()(queryOf(changing), sharing))

      expect(error).toMatchObject({
        _tag: "StoreError",
        isRetryable: true,
        message: "The index is empty, or changes while it is read.",
      })
      expect([reads, done.slices]).toEqual([8, []])
    }).pipe(Effect.scoped),
  )
})
