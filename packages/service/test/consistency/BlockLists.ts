/**
 * Reads the transactions of a block range, of all wallets or of one by its ledger, as lists of Etherscan's API do, and compares them
 * with the chain of their head.
 */
import { Effect } from "effect"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import type { WriterOptions } from "../../src/store/Database.ts"
import type { Tally } from "../replicas/Walker.ts"
import type { World } from "../replicas/World.ts"
import { type Seeded, wallets } from "../store/model.ts"
import { ledgers } from "../store/projections.ts"

const ledger = ledgers(1)

/** Options for opening the chain whose lists are read. */
export const options: WriterOptions = { projections: [WalletTransactions.projection, ledger] }

export interface Options {
  readonly reader: Pick<ChainReader, "snapshot">
  readonly world: World
  /** Records torn or unavailable lists. */
  readonly tally: Pick<Tally, "torn" | "unavailable">
  readonly numbers: Seeded
  /** Runs after the read of the checkpoint. */
  readonly pause: Effect.Effect<void>
}

const depths = [1, 4, 12]
const limits = [3, 10, 100]
const maxBytes = 10_000_000

/** Reads a list; returns false if it is unavailable. */
export const read = Effect.fnUntraced(function* ({ numbers, pause, reader, tally, world }: Options) {
  const [wallet, order] = [numbers.pick([null, ...wallets]), numbers.pick(["ASC", "DESC"] as const)]
  const [depth, limit] = [numbers.pick(depths), numbers.pick(limits)]
  const list = reader.snapshot(
    Effect.fnUntraced(function* (snapshot) {
      const checkpoint = yield* snapshot.checkpoint
      yield* pause
      const { hash, number } = checkpoint!.head
      const query = { from: Math.max(0, number - depth + 1), to: number, after: null, order, limit, maxBytes }
      const { rows } = yield* wallet === null
        ? snapshot.transactions(query)
        : snapshot.page(ledger, { ...query, key: wallet })
      return { hash, bodies: rows.map(({ body }) => body) }
    }),
  )
  const result = yield* Effect.result(list)
  if (result._tag === "Failure") {
    const { message } = result.failure
    tally.unavailable.set(message, (tally.unavailable.get(message) ?? 0) + 1)
    return false
  }
  const { bodies, hash } = result.success
  const expected = world
    .blocksTo(hash, depth)
    .toReversed()
    .flatMap(({ transactions }) => transactions)
    .filter(({ addresses }) => wallet === null || addresses.includes(wallet))
    .map(({ body }) => body)
  const ordered = (order === "ASC" ? expected : expected.toReversed()).slice(0, limit)
  if (JSON.stringify(bodies) !== JSON.stringify(ordered)) tally.torn++
  return true
})
