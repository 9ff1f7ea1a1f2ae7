/**
 * Leases in the schemas of their chains, with the database's clock. Taking one waits for a write with the previous token, which holds the
 * checkpoint.
 */
import * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import type { FencingToken, Leases } from "../Leases.ts"
import type { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Values from "./Values.ts"

/** Runs each statement on a chain's schema in its own transaction; creates or migrates the schema first. */
export type WithChain = <A, E>(
  chain: ChainRef,
  work: (at: At) => Effect.Effect<A, E>,
) => Effect.Effect<A, E | StoreError>

/** The leases of a database. */
export const make = (withChain: WithChain): Leases => ({
  acquire: (chain, owner, millis) =>
    withChain(chain, ({ chain: { sql }, session }) =>
      Effect.map(
        session.rows<readonly [token: FencingToken]>(sql.acquireLease, [Values.text(owner), Values.big(millis)]),
        ([taken]) => taken?.[0] ?? null,
      ),
    ),
  renew: (chain, token, millis) =>
    withChain(chain, ({ chain: { sql }, session }) =>
      Effect.map(
        session.rows(sql.renewLease, [Values.big(token), Values.big(millis)]),
        (renewed) => renewed.length > 0,
      ),
    ),
  release: (chain, token) =>
    withChain(chain, ({ chain: { sql }, session }) =>
      Effect.asVoid(session.rows(sql.releaseLease, [Values.big(token)])),
    ),
})
