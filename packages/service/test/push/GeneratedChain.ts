/** Random changes of a chain for tests of events: appends, reorgs, finality, repairs, and blocks below the first one. */
import { Effect } from "effect"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import { type Ledger, projectionOf } from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import type * as Model from "../store/model.ts"
import type { TestStore } from "../store/TestStore.ts"

/** A generated chain, and the ledger rows of alice in its blocks. */
export interface GeneratedChain {
  readonly ledgers: Record<number, Ledger>
  blocks: Array<BlockRows>
  /** All blocks ever created, by hash. */
  readonly made: Map<string, BlockRows>
  finalized: number
  forks: number
}

export const make = (): GeneratedChain => ({ ledgers: {}, blocks: [], made: new Map(), finalized: -1, forks: 0 })

/** Ledgers of a generated chain: the movements of alice, and the parties of each transaction, as in derived ledgers. */
const ledgersOf = (generated: GeneratedChain): LedgerProjection => {
  const given = projectionOf(generated.ledgers)
  return {
    ...given,
    ledger: (block) => {
      const rows = LedgerCodec.unpack(given.ledger(block)).map(({ body, index, wallet }) => {
        const address = `0x${Buffer.from(wallet).toString("hex")}`
        return { index, wallet: address, ...LedgerCodec.decodeBody(address, body) }
      })
      const parties = block.transactions.flatMap(({ addresses, index }) =>
        addresses
          .filter((wallet) => !rows.some((row) => row.index === index && row.wallet === wallet))
          .map((wallet) => ({ index, wallet, roles: Role.bits.recipient, movements: [] })),
      )
      return LedgerCodec.pack([...rows, ...parties])
    },
  }
}

/** Projections of the store of a generated chain. */
export const projections = (generated: GeneratedChain) => [WalletTransactions.projection, ledgersOf(generated)]

const plansOf = (numbers: Model.Seeded) =>
  Array.from({ length: numbers.below(4) }, () => ({
    from: numbers.below(3) === 0 ? Rows.bob : Rows.alice,
    to: numbers.below(3) === 0 ? Rows.stranger : Rows.bob,
  }))

const ledgerOf = (numbers: Model.Seeded, count: number): Ledger =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      index,
      Array.from({ length: numbers.below(3) }, () => ({ amount: BigInt(1 + numbers.below(1_000)) })),
    ]).filter(([, movements]) => (movements as ReadonlyArray<unknown>).length > 0),
  )

interface Links {
  readonly parent: string | undefined
  /** Default: a different hash for each block. */
  readonly hash?: string
}

const blockOn = (
  generated: GeneratedChain,
  number: number,
  { hash, parent }: Links,
  numbers: Model.Seeded,
): BlockRows => {
  const plans = plansOf(numbers)
  generated.ledgers[number] = ledgerOf(numbers, plans.length)
  const fork = `f${generated.forks++}`
  const block = Rows.block(number, plans, { hash: hash ?? Rows.blockHash(number, fork) }, parent)
  generated.made.set(block.hash, block)
  return block
}

const refOf = ({ hash, number }: BlockRows) => ({ hash, number })

/** Appends blocks; the first block has the number 100. */
export const append = Effect.fnUntraced(function* (
  generated: GeneratedChain,
  store: TestStore,
  count: number,
  numbers: Model.Seeded,
) {
  const head = generated.blocks.at(-1)
  const added: Array<BlockRows> = []
  for (let index = 0; index < count; index++) {
    const parent = added.at(-1) ?? head
    added.push(blockOn(generated, (parent?.number ?? 99) + 1, { parent: parent?.hash }, numbers))
  }
  yield* store.append(head === undefined ? null : refOf(head), added)
  generated.blocks.push(...added)
})

const unwind = Effect.fnUntraced(function* (generated: GeneratedChain, store: TestStore, count: number) {
  const kept = generated.blocks.slice(0, Math.max(1, generated.blocks.length - count))
  const [head, target] = [generated.blocks.at(-1)!, kept.at(-1)!]
  if (head === target || target.number < generated.finalized) return
  yield* store.unwind(refOf(head), refOf(target))
  generated.blocks = kept
})

const prepend = Effect.fnUntraced(function* (generated: GeneratedChain, store: TestStore, numbers: Model.Seeded) {
  const first = generated.blocks[0]!
  const links = { parent: Rows.hashOf(`below ${first.number}`), hash: first.parentHash }
  const below = blockOn(generated, first.number - 1, links, numbers)
  yield* store.prepend(refOf(first), [below])
  generated.blocks.unshift(below)
})

/** Replaces the rows of a block by another transaction and other movements, as a repair or a filled gap does. */
const replace = Effect.fnUntraced(function* (generated: GeneratedChain, store: TestStore, numbers: Model.Seeded) {
  const old = numbers.pick(generated.blocks)
  const plans = [...plansOf(numbers), { from: Rows.alice, to: Rows.bob }]
  const block = Rows.block(old.number, plans, { hash: old.hash }, old.parentHash)
  generated.ledgers[old.number] = ledgerOf(numbers, plans.length)
  const token = (yield* store.database.leases.acquire(store.ref, "test", 0))!
  const { writer } = store.database.chain(store.ref)
  yield* Effect.scoped(
    Effect.flatMap(writer({ projections: projections(generated) }), (opened) => opened.replace(block, token)),
  )
  generated.blocks = generated.blocks.map((one) => (one === old ? block : one))
})

/** Makes a random change. */
export const change = Effect.fnUntraced(function* (generated: GeneratedChain, store: TestStore, numbers: Model.Seeded) {
  if (generated.blocks.length === 0) return yield* append(generated, store, 1 + numbers.below(5), numbers)
  switch (numbers.below(9)) {
    case 0:
      return yield* unwind(generated, store, 1 + numbers.below(20))
    case 1: {
      const next = Math.max(generated.finalized, generated.blocks.at(-1)!.number - 3 - numbers.below(20))
      if (next < generated.blocks[0]!.number) return
      yield* store.finalize(next)
      generated.finalized = next
      return
    }
    case 2:
      return generated.blocks[0]!.number > 90 ? yield* prepend(generated, store, numbers) : undefined
    case 3:
      return yield* replace(generated, store, numbers)
    default:
      return yield* append(generated, store, 1 + numbers.below(6), numbers)
  }
})
