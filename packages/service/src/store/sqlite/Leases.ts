/**
 * Leases in the files of their chains, so that a write checks its token in its own transaction. The clock is this machine's, which all
 * processes on a SQLite file share.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import type { FencingToken, Leases } from "../Leases.ts"
import type { StoreError } from "../StoreError.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Statements from "./Statements.ts"

/** Runs work on the open file of a chain; opens the file if needed. */
export type WithFile = <A, E>(
  chain: ChainRef,
  work: (file: ChainFile) => Effect.Effect<A, E>,
) => Effect.Effect<A, E | StoreError>

/** The leases of a folder of chain files. */
export const make = (withFile: WithFile): Leases => ({
  acquire: (chain, owner, millis) =>
    withFile(
      chain,
      Effect.fnUntraced(function* (file) {
        const now = yield* Clock.currentTimeMillis
        const params = [owner, now, now + millis, chain.id, owner, now, now]
        const [taken] = yield* file.statement<{ readonly token: FencingToken }>(Statements.acquireLease, params)
        return taken?.token ?? null
      }),
    ),
  renew: (chain, token, millis) =>
    withFile(
      chain,
      Effect.fnUntraced(function* (file) {
        const now = yield* Clock.currentTimeMillis
        return (yield* file.statement(Statements.renewLease, [now, now + millis, chain.id, token])).length > 0
      }),
    ),
  release: (chain, token) =>
    withFile(chain, (file) => Effect.asVoid(file.statement(Statements.releaseLease, [chain.id, token]))),
})
