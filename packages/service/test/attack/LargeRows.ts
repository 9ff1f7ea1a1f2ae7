/** Stores of rows that any user can create on a public chain: large calldata, many logs, large internal transactions. */
import { Effect } from "effect"
import type { BlockRows, TransactionRow } from "../../src/block/BlockRows.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"

/** Large rows by kind, each in a separate wallet. */
export const wallets = {
  calldata: Rows.address("1"),
  logs: Rows.address("2"),
  internal: Rows.address("3"),
  small: Rows.address("4"),
} as const

const chain = { name: "attack", id: 31_337 }

export const chains = { attack: { id: chain.id, rpc: ["http://127.0.0.1:9"] } }

const withLogs = (row: TransactionRow, count: number): TransactionRow => {
  const body = JSON.parse(row.body) as { logs: ReadonlyArray<object> }
  const logs = Array.from({ length: count }, (_, at) => ({ ...body.logs[0], log_index: String(at) }))
  return { ...row, body: JSON.stringify({ ...body, logs }) }
}

const withInternal = (row: TransactionRow, bytes: number): TransactionRow => {
  const [first] = JSON.parse(row.internal!) as ReadonlyArray<object>
  const frame = { ...first, input: `0x${"ab".repeat(50_000)}` }
  const frames = Array.from({ length: Math.ceil(bytes / 100_000) }, () => frame)
  return { ...row, internal: JSON.stringify(frames) }
}

export interface Sizes {
  /** Number of transactions of each kind. */
  readonly count: number
  readonly calldataBytes: number
  readonly logs: number
  readonly internalBytes: number
}

/** Rows of every kind, one transaction per block. */
const blocks = function* ({ calldataBytes, count, internalBytes, logs }: Sizes): Generator<BlockRows> {
  const to = Rows.bob
  const input = `0x${"cd".repeat(calldataBytes)}`
  for (let at = 0; at < count; at++) {
    yield Rows.block(4 * at, [{ from: wallets.calldata, to, input }])
    const many = Rows.block(4 * at + 1, [{ from: wallets.logs, to, topics: Rows.transferTopics }])
    yield { ...many, transactions: many.transactions.map((row) => withLogs(row, logs)) }
    const traced = Rows.block(4 * at + 2, [{ from: wallets.internal, to }])
    yield { ...traced, transactions: traced.transactions.map((row) => withInternal(row, internalBytes)) }
    yield Rows.block(4 * at + 3, [{ from: wallets.small, to }])
  }
}

/** Fills the database in a folder. */
export const fill = async (folder: string, sizes: Sizes): Promise<void> => {
  const program = Effect.gen(function* () {
    const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/")
    const store = yield* TestStore.open(database, chain, { watch: null })
    let head: { number: number; hash: string } | null = null
    for (const block of blocks(sizes)) {
      yield* store.append(head, [block])
      head = { number: block.number, hash: block.hash }
    }
  })
  await Effect.runPromise(Effect.scoped(program))
}
