/**
 * Faults that are put in on purpose, to show that the simulation would find them: two in the store's statements, one in what the
 * indexer makes of a node's head.
 */
import { Effect } from "effect"
import type { Node } from "../../src/node/Node.ts"
import type { Database } from "../../src/store/Database.ts"
import type * as Disk from "./Disk.ts"

/** What is wrong. */
export type Name = Disk.Plant | "lag taken for a reorganisation"

/** All of them. */
export const names: ReadonlyArray<Name> = [
  "checkpoint outside the transaction",
  "appearances stay",
  "lag taken for a reorganisation",
]

/** The part that is wrong in the store's statements. */
export const onDisk = (name: Name | undefined): Disk.Plant | null =>
  name === undefined || name === "lag taken for a reorganisation" ? null : name

/** An indexer's node that has our blocks above its head removed, as if a lower head were another chain. */
export const node = (name: Name | undefined, real: Node, database: Database, owner: string): Node => {
  if (name !== "lag taken for a reorganisation") return real
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
