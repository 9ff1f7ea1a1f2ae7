import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import type { LedgerRow } from "../../src/ledger/WalletRows.ts"
import * as WalletTransactionRows from "../../src/projection/WalletTransactions.ts"
import type * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as Lookalikes from "../../src/query/Lookalikes.ts"
import type * as Range from "../../src/query/Range.ts"
import * as WalletBlocks from "../../src/query/WalletBlocks.ts"
import * as WalletMovements from "../../src/query/WalletMovements.ts"
import type { InTurn } from "../../src/query/PinnedReader.ts"
import type * as WalletPage from "../../src/query/WalletPage.ts"
import * as WalletTransactions from "../../src/query/WalletTransactions.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import { blockLevel, chainOf, type Ledger, projectionOf, token } from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import * as SeededRandom from "../store/SeededRandom.ts"
import { openedChain } from "./openedChain.ts"

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ kind: "fee", amount: -7n, counterparty: null }, { amount: -5n }], 1: [{ amount: 3n }] },
  2: {
    0: [
      { kind: "erc20", asset: token, amount: 10n },
      { kind: "erc20", asset: token, amount: -3n },
      { kind: "erc721", asset: token, tokenId: "9", amount: 1n },
    ],
    2: [{ kind: "fee", amount: -1n, counterparty: null, isFailed: true }],
    [blockLevel]: [{ kind: "withdrawal", amount: 40n, counterparty: null }],
  },
  4: { 1: [{ kind: "internal", amount: 6n }] },
}

/** A chain with the ledgers of alice. */
const opened = Effect.map(openedChain(chainOf(ledgers, 5)), ({ chain }) => chain)

const open = { _tag: "Open" } as const

const queryOf = <S>(chain: IndexedChain.IndexedChain, selection: S, more: Partial<WalletPage.Query<S>>) => ({
  chain,
  wallet: Rows.alice,
  range: { from: open, to: open },
  order: "DESC" as const,
  position: { _tag: "First" } as const,
  limit: 100,
  maxBytes: 10_000_000,
  selection,
  ...more,
})

type Read<Row, S, E> = (query: WalletPage.Query<S>) => Effect.Effect<WalletPage.Page<Row>, E>

const inTurn: InTurn = (work) => work

/** Every page by number and size, and by its stated continuation, is a part of the whole list. */
const verify = Effect.fnUntraced(function* <Row, S, E>(
  chain: IndexedChain.IndexedChain,
  selection: S,
  read: Read<Row, S, E>,
) {
  for (const order of ["ASC", "DESC"] as const) {
    const whole = yield* read(queryOf(chain, selection, { order }))
    expect(whole.rows.length).toBeGreaterThan(3)
    for (let limit = 1; limit <= whole.rows.length + 1; limit++) {
      for (let rows = 0; rows <= whole.rows.length + 1; rows++) {
        const position = { _tag: "Skip", rows, inTurn } as const
        const skipped = yield* read(queryOf(chain, selection, { order, limit, position }))
        expect(skipped.rows).toEqual(whole.rows.slice(rows, rows + limit))
        expect(skipped.next === null).toBe(rows + limit >= whole.rows.length)
        if (skipped.next === null) continue
        const next = { _tag: "After", continuation: skipped.next } as const
        const followed = yield* read(queryOf(chain, selection, { order, limit, position: next }))
        expect(followed.rows).toEqual(whole.rows.slice(rows + limit, rows + 2 * limit))
      }
    }
  }
})

/**
 * Entries of alice: she pays accounts with similar addresses, strangers send from others, and some entries have no
 * movement.
 */
const lookalikeRows = (): ReadonlyArray<LedgerRow & { readonly block: number }> => {
  const random = SeededRandom.make(7)
  const accounts = ["1", "2", "3", "4", "5"].map((middle) => `0xabcd${middle.repeat(32)}ef01`)
  return Array.from({ length: 240 }, (_, at) => {
    // Long stretches without a payment, since only the rows before an entry count.
    const isPaying = Math.floor(at / 50) % 2 === 0 && random.is(0.3)
    const roles = isPaying ? Role.bits.sender : Role.bits.recipient
    const movements = Array.from({ length: random.below(3) }, () => ({
      ...({ wallet: Rows.alice, asset: "native", tokenId: null, kind: "value", logIndex: null } as const),
      counterparty: random.pick(accounts),
      amount: isPaying ? -1n : 1n,
      isFailed: false,
    }))
    return { block: Math.floor(at / 4), index: at % 4, wallet: Rows.alice, roles, movements }
  })
}

/** Each movement in chain order: its position, and whether it is a lookalike by a scan of all earlier entries. */
const scanned = (rows: ReturnType<typeof lookalikeRows>): ReadonlyArray<string> => {
  const payments = new Lookalikes.RecentPayments()
  return rows.flatMap((row) => {
    const isOwn = (row.roles & Role.bits.sender) !== 0
    const found = row.movements.map(
      ({ counterparty }, index) =>
        `${row.block} ${row.index} ${index} ${!isOwn && payments.isLookalike(counterparty ?? "")}`,
    )
    payments.add(row)
    return found
  })
}

describe("WalletPage", () => {
  it.live(
    "a page after a number of rows equals that part of the list, and can be continued, for transactions of both scopes",
    () =>
      Effect.gen(function* () {
        const chain = yield* opened
        const read = (scope: WalletTransactions.Scope) => (query: WalletPage.Query<WalletTransactions.Selection>) =>
          WalletTransactions.read(scope, query)

        yield* verify(chain, { internal: false }, read("direct"))
        yield* verify(chain, { internal: false }, read("all"))
      }).pipe(Effect.scoped),
  )

  it.live("a page after a number of movements equals that part of the list, including a filtered one", () =>
    Effect.gen(function* () {
      const chain = yield* opened

      yield* verify(chain, {}, WalletMovements.read)
      yield* verify(chain, { direction: "in" }, WalletMovements.read)
    }).pipe(Effect.scoped),
  )

  it.live("a page after a number of withdrawals or rewards equals that part of the list, even within a block", () =>
    Effect.gen(function* () {
      const place = (more: Partial<Ledger[number][number]>): Ledger => ({
        [blockLevel]: [{ kind: "reward", counterparty: null, amount: 2n, ...more }],
      })
      const withdrawn = [Rows.alice, Rows.bob, Rows.alice, Rows.alice]
      const facts = JSON.stringify({
        feeRecipient: Rows.alice,
        baseFeePerGas: null,
        gasUsed: "0",
        gasFees: null,
        difficulty: "0",
        uncles: [],
        transactions: [],
        withdrawals: withdrawn.map((address, at) => ({
          index: String(at),
          validator: "7",
          address,
          amount: String(at),
        })),
      })
      const both = Role.bits.withdrawal_recipient | Role.bits.fee_recipient
      const paid: typeof ledgers = {
        1: place({}),
        2: { ...place({}), 0: [{ amount: 1n }] },
        3: place({ kind: "withdrawal" }),
        4: { 0: [{ amount: 1n }] },
        5: place({ amount: 9n }),
      }
      const { blocks, projections } = chainOf(paid, 5, [], "a", both)
      const { chain } = yield* openedChain({ blocks: blocks.map((block) => ({ ...block, facts })), projections })
      yield* verify(chain, undefined, WalletBlocks.withdrawals)
      yield* verify(chain, undefined, WalletBlocks.rewards)
      const { rows: withdrawals } = yield* WalletBlocks.withdrawals(queryOf(chain, undefined, {}))
      const { rows: rewards } = yield* WalletBlocks.rewards(queryOf(chain, undefined, {}))
      const paying = [5, 3, 2, 1]

      expect(withdrawals.map(({ block, index, validator }) => [block.number, index, validator])).toEqual(
        paying.flatMap((number) => [3n, 2n, 0n].map((index) => [number, index, 7n])),
      )
      expect(rewards.map(({ amount, block }) => [block.number, amount])).toEqual([
        [5, 9n],
        [3, 0n],
        [2, 2n],
        [1, 2n],
      ])
    }).pipe(Effect.scoped),
  )

  it.live("rows before a page are counted in turns, for movements and for block rewards and withdrawals", () =>
    Effect.gen(function* () {
      const chain = yield* opened
      let turns = 0
      const counting: InTurn = (work) => Effect.suspend(() => (turns++, work))
      const position = { _tag: "Skip", rows: 1, inTurn: counting } as const
      yield* WalletMovements.read(queryOf(chain, {}, { position }))
      expect(turns).toBe(1)
      yield* WalletBlocks.withdrawals(queryOf(chain, undefined, { position }))

      expect(turns).toBe(2)
    }).pipe(Effect.scoped),
  )

  it.live("pages of movements in both orders and any size have the flags of a scan of the whole ledger", () =>
    Effect.gen(function* () {
      const rows = lookalikeRows()
      const expected = scanned(rows)
      const { blocks } = chainOf(
        Object.fromEntries(Array.from({ length: 60 }, (_, block) => [block, { 0: [], 1: [], 2: [], 3: [] }])),
        59,
      )
      const ledger = ({ number }: { readonly number: number }) =>
        LedgerCodec.pack(rows.filter(({ block }) => block === number))
      const projection: LedgerProjection = { ...projectionOf({}), ledger }
      const { chain } = yield* openedChain({ blocks, projections: [WalletTransactionRows.projection, projection] })
      expect(expected.filter((row) => row.endsWith("true")).length).toBeGreaterThan(20)

      for (const order of ["ASC", "DESC"] as const) {
        for (const limit of [3, 25, 500]) {
          const walked: Array<string> = []
          for (let position: WalletPage.Position = { _tag: "First" }; ;) {
            const page: WalletPage.Page<WalletMovements.MovementRow> = yield* WalletMovements.read(
              queryOf(chain, {}, { order, limit, position }),
            )
            for (const { entry, index, isLookalike } of page.rows)
              walked.push(`${entry.block} ${entry.index} ${index} ${isLookalike}`)
            if (page.next === null) break
            position = { _tag: "After", continuation: page.next }
          }
          expect(walked).toEqual(order === "ASC" ? expected : expected.toReversed())
        }
      }
    }).pipe(Effect.scoped),
  )

  it.live("a snapshot is given what the page first reads there, unless an instant must be resolved", () =>
    Effect.gen(function* () {
      const chain = yield* opened
      const expectedBy = Effect.fnUntraced(function* (from: Range.Bound, to: Range.Bound) {
        const expected: Array<unknown> = []
        const snapshot: ChainReader["snapshot"] = (read, options) => {
          expected.push(options?.expected?.page)
          return chain.reader.snapshot(read, options)
        }
        const observed = { ...chain, reader: { ...chain.reader, snapshot } }
        yield* WalletTransactions.read("direct", queryOf(observed, { internal: false }, { range: { from, to } }))
        return expected
      })
      const block = (number: number) => ({ _tag: "Block", block: number }) as const
      const instant = { _tag: "Date", date: Date.UTC(2100, 0) } as const
      const page = { key: Rows.alice, order: "DESC", after: null, limit: 100, internal: false }

      expect(yield* expectedBy(block(2), block(4))).toMatchObject([{ ...page, from: 2, to: 4 }])
      expect(yield* expectedBy(open, open)).toMatchObject([{ ...page, from: 0, to: Number.MAX_SAFE_INTEGER }])
      expect(yield* expectedBy(instant, block(4))).toEqual([undefined])
      expect(yield* expectedBy(block(2), instant)).toEqual([undefined])
    }).pipe(Effect.scoped),
  )

  it.live("a query that the index cannot answer fails with a value that names what is missing", () =>
    Effect.gen(function* () {
      const chain = yield* opened
      const watching = { ...chain, config: { ...chain.config, traces: "off" as const } }
      const first = yield* WalletTransactions.read("direct", queryOf(chain, { internal: false }, { limit: 1 }))
      const { next } = first
      const other = { ...next!, afterHash: Rows.hashOf("f") }
      const position = { _tag: "After", continuation: other } as const
      const stale = WalletTransactions.read("direct", queryOf(chain, { internal: false }, { position }))
      const untraced = WalletTransactions.read(
        "direct",
        queryOf(watching, { internal: true }, { wallet: Rows.address("e") }),
      )

      expect(yield* Effect.flip(stale)).toMatchObject({ _tag: "Stale", checkpoint: { head: { number: 5 } } })
      expect(yield* Effect.flip(untraced)).toMatchObject({ _tag: "NotTraced", chain: "eth" })
    }).pipe(Effect.scoped),
  )
})
