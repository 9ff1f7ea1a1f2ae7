/**
 * Reward of a block's fee recipient, from its ledger.
 *
 * Source: decisions 0048 and 0070.
 */
import * as Effect from "effect/Effect"
import * as BlockFacts from "../block/BlockFacts.ts"
import type { LinkedBlock } from "../block/BlockRows.ts"
import * as Movement from "../ledger/Movement.ts"
import * as Role from "../ledger/Role.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import type { NotWatched, NotDerived } from "./QueryError.ts"

/** The reward of a block. */
export interface BlockReward {
  readonly block: LinkedBlock
  /** Lower case; `null` if the node omitted it. */
  readonly feeRecipient: string | null
  /** In wei. */
  readonly amount: bigint
}

/** Why a reward is unknown. */
export type RewardError = CompleteRange.Incomplete | NotWatched | NotDerived | StoreError

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

/** Above the last transaction of any block. */
const lastTransaction = Movement.blockLevelIndex - 1

/**
 * Reads the reward of a block.
 *
 * **Errors**
 * - `Incomplete`: the block is not indexed, or its reward is uncertain, as for blocks with uncles.
 * - `NotWatched`, `NotDerived`, `StoreError`: as for pages.
 */
export const read = (chain: IndexedChain, number: number): Effect.Effect<BlockReward, RewardError> =>
  chain.reader.snapshot(
    Effect.fnUntraced(function* (snapshot): Effect.fn.Return<BlockReward, RewardError> {
      const checkpoint = yield* snapshot.checkpoint
      const block = yield* snapshot.block(number)
      if (checkpoint === null || block === null) {
        return yield* new CompleteRange.Incomplete({ message: `block ${number} of this chain is not in the index` })
      }
      const text = yield* snapshot.blockFacts(number)
      const facts = text === null ? null : BlockFacts.fromText(text)
      const unknown = new CompleteRange.Incomplete({ message: `the reward of block ${number} is not known` })
      if (facts === null || facts.uncles.length > 0) return yield* unknown
      const { feeRecipient } = facts
      if (feeRecipient === null) return yield* unknown
      yield* Coverage.checkWallet(chain, checkpoint, feeRecipient)
      yield* Coverage.checkDerived(projection, snapshot, chain.name, checkpoint)
      const after = { block: number, index: lastTransaction }
      const query = { wallet: feeRecipient, from: number, to: number, order: "ASC", after, limit: 1 } as const
      const [entry] = (yield* snapshot.ledger(query)).rows
      if (entry !== undefined && Role.isIncomplete(entry.roles)) return yield* unknown
      const rewards = entry?.movements.filter(({ kind }) => kind === "reward") ?? []
      return { block, feeRecipient, amount: rewards.reduce((sum, { amount }) => sum + amount, 0n) }
    }),
  )
