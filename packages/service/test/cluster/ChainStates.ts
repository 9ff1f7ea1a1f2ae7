/** All states of a chain according to its node, block by block: the rows that a page may contain, found by scanning every transaction. */
import { Head, type Anvil } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"
import { Effect, Semaphore } from "effect"
import * as oracle from "../indexer/oracle.ts"

/** A block with its transactions. */
export interface Block {
  readonly number: number
  readonly hash: string
  readonly parent: Block | undefined
  readonly transactions: ReadonlyArray<oracle.ChainTransaction>
}

/** A row of a page. */
export interface Row {
  readonly key: string
  readonly block: Block
}

/** All states of a chain. */
export interface ChainStates {
  /** Changes the chain: new blocks with transfers, or a reorg. */
  readonly change: Effect.Effect<void, unknown>
  /** Waits until every block of the node was read. */
  readonly settled: Effect.Effect<void>
  readonly head: () => Block
  /** All blocks with a number, including removed ones. */
  readonly at: (number: number) => ReadonlyArray<Block>
  /** True if a reorg removed the block. */
  readonly isRemoved: (block: Block) => boolean
  /** Rows of a wallet in the state with this head, oldest first. */
  readonly rowsOf: (head: Block, wallet: string) => ReadonlyArray<Row>
  readonly counts: { blocks: number; reorgs: number }
}

const maxReorgDepth = 3

/** Identifies a row of a page by block, transaction index, hash and status. */
export const keyOf = (blockHash: string, index: number, hash: string, status: string): string =>
  `${blockHash} ${index} ${hash} ${status}`

/** Reads the chain of a node, and records all later changes. */
export const make = Effect.fnUntraced(function* (node: Anvil.Node, seed: number) {
  const random = Random.make(seed)
  const lock = yield* Semaphore.make(1)
  const byNumber = new Map<number, Array<Block>>()
  const removed = new Set<string>()
  const rows = new Map<string, ReadonlyArray<Row>>()
  const counts = { blocks: 0, reorgs: 0 }
  let head: Block | undefined

  const add = Effect.fnUntraced(function* (number: number, hash: string) {
    const transactions = yield* oracle.scanBlock(node, number)
    const parent = number === 0 ? undefined : byNumber.get(number - 1)!.find((block) => !removed.has(block.hash))!
    head = { number, hash, parent, transactions }
    byNumber.set(number, [...(byNumber.get(number) ?? []), head])
    counts.blocks++
  })
  const read = Effect.fnUntraced(function* (first: number) {
    const { number } = yield* Head.current(node)
    for (const block of yield* Head.range(node, first, number)) yield* add(block.number, block.hash)
  })
  yield* read(0)

  const reorg = Effect.gen(function* () {
    const depth = 1 + random.integer(maxReorgDepth)
    const last = head!.number
    for (let block = head!; block.number > last - depth; block = block.parent!) removed.add(block.hash)
    counts.reorgs++
    yield* Head.reorganise(node, { depth, moreBlocks: 1 })
    yield* read(last - depth + 1)
  })
  const grow = Effect.gen(function* () {
    for (let transfers = random.integer(3); transfers > 0; transfers--) {
      const [from, to] = [random.pick(node.accounts), random.pick(node.accounts)]
      yield* Head.transfer(node, { from, to, valueWei: random.amount(1n, 1_000_000n) })
    }
    yield* Head.mine(node)
    yield* read(head!.number + 1)
  })

  const rowsOf = (block: Block, wallet: string): ReadonlyArray<Row> => {
    const name = `${block.hash} ${wallet}`
    const cachedRows = rows.get(name)
    if (cachedRows !== undefined) return cachedRows
    const blockRows = block.transactions
      .filter(({ addresses }) => addresses.includes(wallet))
      .map(({ hash, index, status }) => ({ key: keyOf(block.hash, index, hash, status), block }))
    const below = block.parent === undefined ? [] : rowsOf(block.parent, wallet)
    const all = blockRows.length === 0 ? below : [...below, ...blockRows]
    rows.set(name, all)
    return all
  }

  return {
    change: lock.withPermit(Effect.uninterruptible(Effect.suspend(() => (random.next() < 0.15 ? reorg : grow)))),
    settled: lock.withPermit(Effect.void),
    head: () => head!,
    at: (number) => byNumber.get(number) ?? [],
    isRemoved: ({ hash }) => removed.has(hash),
    rowsOf,
    counts,
  } satisfies ChainStates
})
