/** What a page of movements reads beside the ledger, and where it ends within its entries. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import type * as Movement from "../../src/ledger/Movement.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as Lookalikes from "../../src/query/Lookalikes.ts"
import * as WalletMovements from "../../src/query/WalletMovements.ts"
import type * as WalletPage from "../../src/query/WalletPage.ts"
import type { Position } from "../../src/store/ChainReader.ts"
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
})
