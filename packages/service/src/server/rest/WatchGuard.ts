/**
 * Refuses queries that an index of some wallets cannot answer.
 *
 * Source: decisions 0013 and 0048.
 */
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../../block/BlockRows.ts"
import type { IndexedChain } from "../chain/IndexedChain.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"

/** Refuses a query where it cannot be answered. */
export type WatchGuard = (chain: IndexedChain, checkpoint: Checkpoint | null) => Effect.Effect<void, InvalidParameter>

/** Refuses a wallet that the index does not cover, for which an empty page would be wrong. */
export const wallet =
  (address: string): WatchGuard =>
  (chain, checkpoint) => {
    const watch = checkpoint === null ? chain.config.watch?.map((one) => one.toLowerCase()) : checkpoint.watch
    if (watch === undefined || watch.includes(address)) return Effect.void
    const message = `Wallet not indexed: ${address} on ${chain.name}. Use a wallet that this service indexes.`
    return Effect.fail(new InvalidParameter({ parameter: "address", code: "address_not_watched", message }))
  }

/** Refuses what needs the ledger of a wallet where the index has only transactions of some wallets. */
export const ledger =
  (parameter: string, what: string, advice: string): WatchGuard =>
  (chain, checkpoint) => {
    if ((checkpoint === null ? chain.config.watch : checkpoint.watch) === undefined) return Effect.void
    const message = `${what} not indexed: ${chain.name}, whose index has the transactions of some wallets. ${advice}`
    return Effect.fail(new InvalidParameter({ parameter, code: "bad_request", message }))
  }
