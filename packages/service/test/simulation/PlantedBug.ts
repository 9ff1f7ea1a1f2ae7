/**
 * Bugs planted on purpose, to show that the simulation finds them: two in the statements of the store, one in how the indexer treats
 * a lower head.
 */
import { Effect } from "effect"
import type { Node } from "../../src/node/Node.ts"
import type { Database } from "../../src/store/Database.ts"
import type * as Disk from "./Disk.ts"

/** Name of a planted bug. */
export type Name = Disk.Bug | "lag taken for a reorg"

/** All of them. */
export const names: ReadonlyArray<Name> = [
  "checkpoint outside the transaction",
  "appearances stay",
  "lag taken for a reorg",
]

/** The bug in the statements of the store; `null` for one elsewhere. */
export const onDisk = (name: Name | undefined): Disk.Bug | null =>
  name === undefined || name === "lag taken for a reorg" ? null : name

/** A node that removes the stored blocks above its head, as if a lower head were a reorg. */
export const node = (name: Name | undefined, real: Node, database: Database, owner: string): Node => {
  if (name !== "lag taken for a reorg") return real
  const ref = { name: "eth", id: 1 }
  const { reader, writer } = database.chain(ref)
  const head = Effect.tap(real.head, (remote) =>
    Effect.gen(function* () {
      const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
      if (checkpoint === null || remote.number >= checkpoint.head.number || remote.number < checkpoint.first) return
      const [to] = yield* reader.headers(remote.number, remote.number)
      if (to?.hash !== remote.hash) return
      const token = yield* database.leases.acquire(ref, owner, 0)
      if (token !== null) yield* (yield* writer()).unwind(checkpoint.head, to, token)
    }).pipe(Effect.scoped, Effect.ignore),
  )
  return { ...real, head }
}
