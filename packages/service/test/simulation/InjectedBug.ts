/**
 * Injected bugs that the simulation must detect: three in the statements of the store, the others in the responses of nodes to the
 * indexer.
 */
import { Effect } from "effect"
import * as BatchFetcher from "../../src/node/BatchFetcher.ts"
import type { Node } from "../../src/node/Node.ts"
import type { Traces } from "../../src/block/Traces.ts"
import type { Database } from "../../src/store/Database.ts"
import { InvalidBlock } from "../../src/verification/InvalidBlock.ts"
import type * as Disk from "./Disk.ts"

/** Name of an injected bug. */
export type Name = Disk.Bug | "lag taken for a reorg" | "a bomb stops a chain" | "a changed row is served"

export const names: ReadonlyArray<Name> = [
  "checkpoint outside the transaction",
  "appearances stay",
  "a row of a ledger stays",
  "lag taken for a reorg",
  "a bomb stops a chain",
  "a changed row is served",
]

/** The bug in the statements of the store; `null` for any other bug. */
export const onDisk = (name: Name | undefined): Disk.Bug | null =>
  name === "checkpoint outside the transaction" || name === "appearances stay" || name === "a row of a ledger stays"
    ? name
    : null

const isExcess = (error: unknown): boolean => String(error).startsWith("Trace beyond")

const hasExcess = (traces: Traces | null): boolean => {
  switch (traces?._tag) {
    case "Frames":
      return traces.traces.some(({ error }) => isExcess(error))
    case "Flat":
      return traces.traces.some(({ error }) => isExcess(error))
    default:
      return false
  }
}

/** A node that requires complete traces. */
const strict = (real: Node): Node => ({
  ...real,
  batchFetcher: () => Effect.succeed(BatchFetcher.none),
  traces: (block, failures) =>
    Effect.flatMap(real.traces(block, failures), (traces) =>
      hasExcess(traces)
        ? Effect.fail(new InvalidBlock({ ...block, block: block.number, what: "a bomb" }) as never)
        : Effect.succeed(traces),
    ),
})

/** A node that changes the value of a transaction. */
const changing = (real: Node): Node => ({
  ...real,
  block: (number) =>
    Effect.map(real.block(number), (block) => {
      if (block === null) return null
      const transactions = block.transactions.map((one) => Object.assign({}, one, { value: (one.value ?? 0n) + 1n }))
      return Object.assign({}, block, { transactions })
    }),
})

/** A node that removes the stored blocks above its head, as if a lower head were a reorg. */
export const node = (name: Name | undefined, real: Node, database: Database, owner: string): Node => {
  if (name === "a bomb stops a chain") return strict(real)
  if (name === "a changed row is served") return changing(real)
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
