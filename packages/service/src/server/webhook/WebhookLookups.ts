/**
 * Finds the webhooks with wallets of a block: looked up once for all webhooks of a process, so that one without rows in a block runs no
 * statement.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "../../store/StoreError.ts"
import type { Webhooks } from "../../store/Webhooks.ts"

/** Maximum number of wallets in a statement. */
const maxNamed = 1_000

/** Splits a list for statements. */
export const partsOf = (wallets: ReadonlySet<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const all = [...wallets]
  return Array.from({ length: Math.ceil(all.length / maxNamed) }, (_, at) =>
    all.slice(at * maxNamed, (at + 1) * maxNamed),
  )
}

interface Lookup {
  readonly at: number
  readonly names: Effect.Effect<ReadonlySet<string>, StoreError>
}

/** What is looked up. */
export interface WebhookLookups {
  /** A number for what is currently known about a webhook's wallets; later lookups include all of them. */
  readonly now: () => number
  /** Whether a webhook whose wallets are known since a number may have one of the wallets. */
  readonly mayHave: (name: string, since: number, wallets: ReadonlySet<string>) => Effect.Effect<boolean, StoreError>
}

/** Looks up nothing yet. */
export const make = ({ having }: Pick<Webhooks, "having">): WebhookLookups => {
  let sequence = 0
  /** Keyed by the set, which is a block's and the same for all webhooks. */
  const kept = new WeakMap<ReadonlySet<string>, Lookup>()
  const namesOf = Effect.fnUntraced(function* (
    wallets: ReadonlySet<string>,
  ): Effect.fn.Return<ReadonlySet<string>, StoreError> {
    const found = yield* Effect.forEach(partsOf(wallets), having)
    return new Set(found.flatMap((names) => [...names]))
  })
  return {
    now: () => ++sequence,
    mayHave: Effect.fnUntraced(function* (name, since, wallets) {
      if (wallets.size === 0) return false
      const found = kept.get(wallets)
      if (found !== undefined && found.at > since) return (yield* found.names).has(name)
      const at = ++sequence
      const read = Effect.onError(namesOf(wallets), () => Effect.sync(() => void kept.delete(wallets)))
      const names = yield* Effect.cached(read)
      kept.set(wallets, { at, names })
      return (yield* names).has(name)
    }),
  }
}
