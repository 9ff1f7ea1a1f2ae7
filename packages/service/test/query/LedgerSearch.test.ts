/** Searches for one transaction of an account, among many of its entries. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as ContractCreation from "../../src/query/ContractCreation.ts"
import type { InTurn } from "../../src/query/PinnedReader.ts"
import * as SentTransaction from "../../src/query/SentTransaction.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

/** Roles by block and index. */
type Roles = (block: number) => ReadonlyArray<number>

/** Ledgers of one wallet. */
const ledgerOf = (wallet: string, rolesOf: Roles): LedgerProjection => ({
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: ({ number }) =>
    LedgerCodec.pack(rolesOf(number).map((roles, index) => ({ index, wallet, roles, movements: [] }))),
})

/** A chain with the ledger of a wallet, of which at most one snapshot is open and counted. */
const opened = Effect.fnUntraced(function* (wallet: string, rolesOf: Roles) {
  const { chain, store } = yield* openedChain({ blocks: [], projections: [ledgerOf(wallet, rolesOf)] })
  const counts = { open: 0, snapshots: 0 }
  const reader: typeof chain.reader = {
    ...chain.reader,
    snapshot: (read, options) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          counts.open++
          counts.snapshots++
        }),
        () => chain.reader.snapshot(read, options),
        () => Effect.sync(() => counts.open--),
      ),
  }
  return { store, counts, chain: { ...chain, reader } }
})

/** Turns, each preceded by an event. */
const turnsWith = (before: (turn: number) => Effect.Effect<void>) => {
  let turn = 0
  const inTurn: InTurn = (work) =>
    Effect.andThen(
      Effect.suspend(() => before(++turn)),
      work,
    )
  return { inTurn, count: () => turn }
}

/** The contract is called at more positions than are read at once, and then created. */
const rolesOfContract: Roles = (block) =>
  block === 0 ? Array.from({ length: 600 }, () => Role.bits.internal_callee) : [Role.bits.created]

const calling = Rows.block(0, [{ from: Rows.alice, to: Rows.bob }])
const creating = (fork: string) =>
  Rows.block(1, [{ from: fork === "a" ? Rows.alice : Rows.bob, to: null }], { fork }, calling.hash)

describe("ContractCreation.find", () => {
  it.effect("find: reads each batch of entries in a turn, and keeps no snapshot between turns", () =>
    Effect.gen(function* () {
      const { chain, counts, store } = yield* opened(Rows.contract, rolesOfContract)
      yield* store.append(null, [calling, creating("a")])
      const { count, inTurn } = turnsWith(() => Effect.sync(() => expect(counts.open).toBe(0)))
      const found = yield* ContractCreation.find({ chain, wallet: Rows.contract, inTurn })

      expect(found?.document.transaction.from_address).toBe(Rows.alice)
      expect([count(), counts.snapshots]).toEqual([2, 2])
    }).pipe(Effect.scoped),
  )

  it.effect("find: starts again if a block was replaced between two turns", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened(Rows.contract, rolesOfContract)
      const other = creating("b")
      yield* store.append(null, [calling, creating("a")])
      const { count, inTurn } = turnsWith((turn) =>
        turn === 2
          ? Effect.orDie(Effect.andThen(store.unwind(creating("a"), calling), store.append(calling, [other])))
          : Effect.void,
      )
      const found = yield* ContractCreation.find({ chain, wallet: Rows.contract, inTurn })

      expect(found?.document.transaction.hash).toBe(other.transactions[0]!.hash)
      expect(count()).toBe(4)
    }).pipe(Effect.scoped),
  )

  it.effect("find: fails as retryable if the index keeps changing", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened(Rows.contract, rolesOfContract)
      const blocks = [creating("a"), creating("b")] as const
      yield* store.append(null, [calling, blocks[0]])
      let head = 0
      const { inTurn } = turnsWith((turn) =>
        Effect.suspend(() => {
          if (turn % 2 === 1) return Effect.void
          const replaced = blocks[head]!
          head = 1 - head
          return Effect.orDie(Effect.andThen(store.unwind(replaced, calling), store.append(calling, [blocks[head]!])))
        }),
      )
      const error = yield* Effect.flip(ContractCreation.find({ chain, wallet: Rows.contract, inTurn }))

      expect(error).toMatchObject({ _tag: "StoreError", isRetryable: true })
    }).pipe(Effect.scoped),
  )
})

describe("SentTransaction.find", () => {
  /** Nonces of alice in each block, between entries that only moved tokens. */
  const nonces = [[0, 1], [], [2, 3, 4], [5], [], [7]] as const
  const blocks = nonces.map((own, number) => {
    const block = Rows.block(
      number,
      own.map(() => ({ from: Rows.alice, to: Rows.bob })),
    )
    const transactions = block.transactions.map((row, index) => ({
      ...row,
      body: JSON.stringify({ ...(JSON.parse(row.body) as object), nonce: String(own[index]) }),
    }))
    return { ...block, transactions }
  })

  it.effect("find: finds each nonce that the account has sent, and none in between", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened(Rows.alice, (block) => nonces[block]!.map(() => Role.bits.sender))
      yield* store.append(null, blocks)
      const { inTurn } = turnsWith(() => Effect.void)
      const find = (nonce: number) =>
        Effect.map(
          SentTransaction.find({ chain, wallet: Rows.alice, inTurn }, nonce),
          (found) => found && found.row.block,
        )

      expect(yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7, 8], find)).toEqual([0, 0, 2, 2, 2, 3, null, 5, null])
    }).pipe(Effect.scoped),
  )

  it.effect("find: reads many entries in turns, and keeps no snapshot between them", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 400 }, () => Role.bits.token_recipient)
      const rolesOf: Roles = (block) => (block === 0 ? [Role.bits.sender] : many)
      const { chain, counts, store } = yield* opened(Rows.alice, rolesOf)
      const plans = [{ from: Rows.alice, to: Rows.bob }]
      yield* store.append(
        null,
        [0, 1, 2, 3].map((number) => Rows.block(number, plans)),
      )
      const { count, inTurn } = turnsWith(() => Effect.sync(() => expect(counts.open).toBe(0)))
      const found = yield* SentTransaction.find({ chain, wallet: Rows.alice, inTurn }, 7)

      expect(found?.row.block).toBe(0)
      expect([count(), counts.snapshots]).toEqual([3, 3])
    }).pipe(Effect.scoped),
  )
})
