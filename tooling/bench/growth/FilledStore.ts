/** A store that a service's writer fills with generated rows. */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { BlockRef, BlockRows } from "../../../packages/service/src/block/BlockRows.ts"
import type * as GeneratedRows from "./GeneratedRows.ts"

const transactionsPerAppend = 1000

/** A filled store: its newest block and what was appended. */
export interface Filled {
  readonly head: BlockRows
  readonly transactions: number
  /** Entries in the histories of wallets. */
  readonly appearances: number
  readonly documentBytes: number
  readonly appendMillis: number
  /** CPU time of the appends, including that of other threads meanwhile. */
  readonly appendCpuMillis: number
}

/** Operations of a store that a benchmark needs. */
export interface Appendable<E> {
  readonly append: (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>) => Effect.Effect<void, E>
}

/** Milliseconds that an effect takes. */
export const timed = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const startedAt = performance.now()
  yield* effect
  return performance.now() - startedAt
})

const bytesOf = ({ transactions }: BlockRows) =>
  transactions.reduce((sum, { body, internal }) => sum + Buffer.byteLength(body) + (internal?.length ?? 0), 0)

const cpuMillis = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** Appends to an empty store until it is large enough. */
export const fill = Effect.fnUntraced(function* <E>(
  store: Appendable<E>,
  nextBlock: GeneratedRows.NextBlock,
  isFull: (transactions: number) => boolean,
) {
  let head: BlockRows | undefined
  let transactions = 0
  let appearances = 0
  let documentBytes = 0
  let [appendMillis, appendCpuMillis] = [0, 0]
  while (!isFull(transactions)) {
    const batch: Array<BlockRows> = []
    const end = transactions + transactionsPerAppend
    while (transactions < end && !isFull(transactions)) {
      const block = nextBlock(batch.at(-1) ?? head, transactions)
      batch.push(block)
      transactions += block.transactions.length
      for (const { addresses } of block.transactions) appearances += addresses.length
      documentBytes += bytesOf(block)
    }
    const cpuBefore = cpuMillis()
    appendMillis += yield* timed(store.append(head ?? null, batch))
    appendCpuMillis += cpuMillis() - cpuBefore
    head = batch.at(-1)
  }
  return { head: head!, transactions, appearances, documentBytes, appendMillis, appendCpuMillis } satisfies Filled
})

/** Checkpoints the log of a file. */
export const writeBackLog = (file: string): void => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
}
