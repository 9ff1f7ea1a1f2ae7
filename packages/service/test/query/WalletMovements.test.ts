/** What a page of movements reads beside the ledger, and where it ends within its entries. */
import { describe, expect, it } from "@effect/vitest"
import * as LedgerMovement from "@daybook/schema/Movement"
import { Effect, Schema } from "effect"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import type * as Movement from "../../src/ledger/Movement.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as Lookalikes from "../../src/query/Lookalikes.ts"
import * as WalletMovements from "../../src/query/WalletMovements.ts"
import type * as WalletPage from "../../src/query/WalletPage.ts"
import type { Position, Snapshot } from "../../src/store/ChainReader.ts"
import type { OpeningBalance } from "../../src/store/Proofs.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

const movement = (amount: bigint, counterparty: string | null): Movement.Movement => ({
  wallet: Rows.alice,
  counterparty,
  asset: "native",
  tokenId: null,
  amount,
  kind: counterparty === null ? "mint" : "value",
  logIndex: null,
  isFailed: false,
})

const place = (index: number, roles: number, ...movements: ReadonlyArray<Movement.Movement>) => ({
  index,
  wallet: Rows.alice,
  roles,
  movements,
})

const { mint_recipient: minted, sender } = Role.bits

/** Alice pays bob and the contract in one transaction; the next one of the block, and one of the next block, mint to her. */
const ledger: LedgerProjection = {
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: ({ number }) =>
    LedgerCodec.pack(
      number === 0
        ? [
            place(0, sender, movement(-1n, Rows.bob), movement(-2n, Rows.contract)),
            place(1, minted, movement(3n, null)),
          ]
        : [place(1, minted, movement(4n, null))],
    ),
}

const payment = { from: Rows.alice, to: Rows.bob }
const blocks = [0, 1].map((number) => Rows.block(number, [payment, payment]))

const query: WalletPage.SourceQuery<WalletMovements.Selection> = {
  wallet: Rows.alice,
  selection: {},
  from: 0,
  to: 1,
  order: "ASC",
  after: null,
  limit: 10,
  maxBytes: 1_000_000,
}

/** Reads a page; returns it with the entries that were read for it. */
const opened = Effect.gen(function* () {
  const { chain } = yield* openedChain({ blocks, projections: [ledger] })
  return Effect.fnUntraced(function* (change: Partial<typeof query>) {
    const reads: Array<ReadonlyArray<Position>> = []
    const page = yield* chain.reader.snapshot((snapshot) => {
      const places: typeof snapshot.places = (positions, maxBytes) => {
        reads.push(positions)
        return snapshot.places(positions, maxBytes)
      }
      return WalletMovements.source.read({ ...snapshot, places }, { ...query, ...change })
    })
    return { reads, amounts: page.rows.map((row) => row.movement.amount), rows: page.rows, next: page.next }
  })
})

describe("WalletMovements.source", () => {
  it.effect("read: reads an entry with several movements once, and no entry if nothing is selected", () =>
    Effect.gen(function* () {
      const read = yield* opened

      expect((yield* read({})).reads).toEqual([
        [
          { block: 0, index: 0 },
          { block: 0, index: 1 },
          { block: 1, index: 1 },
        ],
      ])
      expect(yield* read({ selection: { kind: ["withdrawal"] } })).toMatchObject({ reads: [], rows: [], next: null })
    }).pipe(Effect.scoped),
  )

  it.effect("read: does not treat a movement without a sender as a lookalike", () =>
    Effect.gen(function* () {
      const read = yield* opened
      const { rows } = yield* read({})

      expect(rows.map(({ isLookalike, movement: { counterparty } }) => [counterparty, isLookalike])).toEqual([
        [Rows.bob, false],
        [Rows.contract, false],
        [null, false],
        [null, false],
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("read: ends a page after the last entry whose block and transaction fit its size limit", () =>
    Effect.gen(function* () {
      const read = yield* opened
      const pages = Effect.fnUntraced(function* (order: "ASC" | "DESC") {
        const first = yield* read({ order, maxBytes: 1 })
        const second = yield* read({ order, maxBytes: 1, after: first.next })
        const third = yield* read({ order, maxBytes: 1, after: second.next })
        return [first, second, third].map(({ amounts, next }) => [amounts, next])
      })

      expect(yield* pages("ASC")).toEqual([
        [[-1n, -2n], { block: 0, index: 0 }],
        [[3n], { block: 0, index: 1 }],
        [[4n], null],
      ])
      expect(yield* pages("DESC")).toEqual([
        [[4n], { block: 1, index: 1 }],
        [[3n], { block: 0, index: 1 }],
        [[-2n, -1n], null],
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("read: reads the payments before a page together with the page", () =>
    Effect.gen(function* () {
      const received: LedgerProjection = {
        ...ledger,
        ledger: () => LedgerCodec.pack([place(0, Role.bits.token_recipient, movement(1n, Rows.bob))]),
      }
      const many = Array.from({ length: 60 }, (_, number) => Rows.block(number, [payment]))
      const { chain } = yield* openedChain({ blocks: many, projections: [received] })
      const reads: Array<number> = []
      const page = yield* chain.reader.snapshot((snapshot) => {
        const counted: typeof snapshot.ledger = (asked) => {
          reads.push(asked.limit)
          return snapshot.ledger(asked)
        }
        return WalletMovements.source.read({ ...snapshot, ledger: counted }, { ...query, to: 59, order: "DESC" })
      })

      expect(page.rows.map(({ block }) => block.number)).toEqual(Array.from({ length: 10 }, (_, at) => 59 - at))
      expect(reads).toEqual([10 + 1 + Lookalikes.windowPlaces])
    }).pipe(Effect.scoped),
  )

  it.effect("read: reads few positions of a wallet with many movements at each, and no page lacks one", () =>
    Effect.gen(function* () {
      const each = 40
      const crowded: LedgerProjection = {
        ...ledger,
        ledger: ({ number }) => {
          const movements = Array.from({ length: each }, (_, at) => movement(BigInt(1 + number * each + at), Rows.bob))
          return LedgerCodec.pack([place(0, Role.bits.token_recipient, ...movements)])
        },
      }
      const many = Array.from({ length: 100 }, (_, number) => Rows.block(number, [payment]))
      const { chain } = yield* openedChain({ blocks: many, projections: [crowded] })
      for (const order of ["ASC", "DESC"] as const) {
        const counted = { movements: 0 }
        const page = yield* chain.reader.snapshot((snapshot) => {
          const counting: typeof snapshot.ledger = (asked) =>
            Effect.tap(snapshot.ledger(asked), ({ rows }) =>
              Effect.sync(() => void (counted.movements += rows.flatMap(({ movements }) => movements).length)),
            )
          const asked = { ...query, to: 99, order, limit: 100 }
          return WalletMovements.source.read({ ...snapshot, ledger: counting }, asked)
        })
        const amounts = page.rows.map((row) => Number(row.movement.amount))

        expect(amounts).toEqual(Array.from({ length: 100 }, (_, at) => (order === "ASC" ? 1 + at : 100 * each - at)))
        expect(counted.movements).toBeLessThan(3_000)
      }
    }).pipe(Effect.scoped),
  )

  describe("opening balances", () => {
    const tokenOf = (at: number) => `0x${String(at).padStart(40, "7")}`

    const balances: ReadonlyArray<OpeningBalance> = Array.from({ length: 5 }, (_, at) => ({
      holding: { standard: "erc20", asset: tokenOf(at), tokenId: null },
      amount: BigInt(100 + at),
    }))

    /** Reads a page of a chain whose first entry is at the position of the openings or, if `isLater`, at the next one. */
    const openedWith = Effect.fnUntraced(function* (isLater: boolean) {
      const later: LedgerProjection = {
        ...ledger,
        ledger: ({ number }) =>
          LedgerCodec.pack([place(1, sender, movement(BigInt(-1 - number), Rows.bob), movement(-9n, Rows.contract))]),
      }
      const { chain, store } = yield* openedChain({ blocks, projections: [isLater ? later : ledger] })
      const proofs = yield* store.database.chain(store.ref).proofs
      const first = { number: 0, parentHash: blocks[0]!.parentHash }
      yield* proofs.writeOpenings(first, [{ wallet: Rows.alice, balances }])
      const counts = { openings: 0 }
      const counting = (snapshot: Snapshot): Snapshot => ({
        ...snapshot,
        openingRange: (range) =>
          Effect.tap(snapshot.openingRange(range), ({ rows }) =>
            Effect.sync(() => void (counts.openings += rows.length)),
          ),
      })
      const read = (change: Partial<typeof query>) =>
        chain.reader.snapshot((snapshot) => WalletMovements.source.read(counting(snapshot), { ...query, ...change }))
      const skip = (change: Partial<typeof query>, rows: number) =>
        chain.reader.snapshot((snapshot) =>
          WalletMovements.source.skip(snapshot, { ...query, ...change }, rows, (work) => work),
        )
      return { read, skip, counts }
    })

    const selections: ReadonlyArray<WalletMovements.Selection> = [
      {},
      { kind: ["genesis"] },
      { kind: ["value", "mint"] },
      { asset: [tokenOf(1), tokenOf(3)].map((one) => Schema.decodeUnknownSync(LedgerMovement.Asset)(one)) },
      { direction: "out" },
    ]

    it.effect.each([false, true])("are the first movements, in pages of any size; entries begin later: %s", (isLater) =>
      Effect.gen(function* () {
        const { read, skip } = yield* openedWith(isLater)
        const amountsOf = ({ rows }: { readonly rows: ReadonlyArray<WalletMovements.MovementRow> }) =>
          rows.map(({ index, movement: { amount } }) => [amount, index])
        const entries = isLater ? [-1n, -9n, -2n, -9n] : [-1n, -2n, 3n, 4n]

        expect(amountsOf(yield* read({ limit: 100 })).map(([amount]) => amount)).toEqual([
          ...balances.map(({ amount }) => amount),
          ...entries,
        ])
        for (const selection of selections) {
          const all = amountsOf(yield* read({ selection, limit: 100 }))
          for (const order of ["ASC", "DESC"] as const) {
            const expected = order === "ASC" ? all : all.toReversed()
            for (let limit = 1; limit <= 4; limit++) {
              const walked: Array<unknown> = []
              for (let after: WalletPage.Place | null = null; ;) {
                const page: WalletPage.SourceRows<WalletMovements.MovementRow> = yield* read({
                  selection,
                  order,
                  limit,
                  after,
                })
                walked.push(...amountsOf(page))
                if (page.next === null) break
                after = page.next
              }
              expect(walked).toEqual(expected)
            }
            for (let rows = 1; rows <= all.length; rows++) {
              const after = yield* skip({ selection, order }, rows)
              expect(amountsOf(yield* read({ selection, order, after, limit: 100 }))).toEqual(expected.slice(rows))
            }
            expect(yield* skip({ selection, order }, all.length + 1)).toBeNull()
          }
        }
        expect(amountsOf(yield* read({ from: 1 })).map(([amount]) => amount)).toEqual(entries.slice(isLater ? 2 : 3))
      }).pipe(Effect.scoped),
    )

    it.effect("a page reads as many as it shows, and none if it ends before", () =>
      Effect.gen(function* () {
        const { counts, read } = yield* openedWith(false)
        const readBy = Effect.fnUntraced(function* (change: Partial<typeof query>) {
          counts.openings = 0
          const { next } = yield* read(change)
          return [counts.openings, next]
        })

        expect(yield* readBy({ limit: 2 })).toEqual([3, { block: 0, index: 0, part: 1 }])
        expect(yield* readBy({ limit: 2, after: { block: 0, index: 0, part: 1 } })).toEqual([
          3,
          { block: 0, index: 0, part: 3 },
        ])
        expect(yield* readBy({ limit: 3, order: "DESC" })).toMatchObject([0, { block: 0, index: 0 }])
        expect(yield* readBy({ limit: 1, order: "DESC", after: { block: 0, index: 0, part: 2 } })).toEqual([
          2,
          { block: 0, index: 0, part: 1 },
        ])
      }).pipe(Effect.scoped),
    )
  })
})
