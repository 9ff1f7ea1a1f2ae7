/**
 * The contracts that the operator has described, as the server decodes by them: read again soon after they change, and kept while the
 * database does not answer.
 */
import * as Effect from "effect/Effect"
import * as ContractDecoder from "../../contract/ContractDecoder.ts"
import type { Decoder } from "../../decode/Decoder.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import type { ChainRef } from "../../store/ChainRef.ts"
import type { Contract, Contracts } from "../../store/Contracts.ts"

/** What is known of the contracts of a chain. */
export interface Known {
  readonly contracts: ReadonlyArray<Contract>
  readonly decoder: ContractDecoder.ContractDecoder
}

/** Gives what is known of the contracts of a chain. */
export type ChainContracts = (chain: ChainRef) => Effect.Effect<Known>

interface Cached {
  readonly known: Known
  readonly revision: number
  readonly checkedAt: number
}

/** A change takes effect within this time. */
export const checkMillis = 250

/** Reads the contracts of a database. */
export const make = (database: Pick<Contracts, "list" | "revision">, builtIn: Decoder): ChainContracts => {
  const cache = new Map<number, Cached>()
  const none: Known = { contracts: [], decoder: ContractDecoder.make([], builtIn) }

  const refresh = Effect.fnUntraced(function* (chain: ChainRef, before: Cached | undefined, checkedAt: number) {
    const revision = yield* database.revision(chain)
    if (before?.revision === revision) {
      cache.set(chain.id, { ...before, checkedAt })
      return before.known
    }
    const contracts = revision === 0 ? [] : yield* database.list(chain)
    const known = { contracts, decoder: ContractDecoder.make(contracts, builtIn, before?.known.decoder) }
    cache.set(chain.id, { known, revision, checkedAt })
    return known
  })

  return (chain) =>
    Effect.flatMap(MonotonicClock.millis, (now) => {
      const cached = cache.get(chain.id)
      if (cached !== undefined && now - cached.checkedAt < checkMillis) return Effect.succeed(cached.known)
      return refresh(chain, cached, now).pipe(
        Effect.catch(({ message }) => Effect.as(Effect.logDebug(message), cached?.known ?? none)),
      )
    })
}
