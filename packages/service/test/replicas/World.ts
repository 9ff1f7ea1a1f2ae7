/**
 * A chain that is written to a database with reorgs, and the rows that pages may contain. The hash of a block encodes its ancestors, so
 * that the head of a page determines its list. A removed block never returns.
 */
import { Effect } from "effect"
import type { BlockRef, BlockRows } from "../../src/block/BlockRows.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { blockOn, refOf, seeded, wallets } from "../store/model.ts"

const minBlocks = 12
const transactionsOfBlock = 3
/** Maximum number of compared rows of a list. */
const maxRows = 60

/** Operations that write a chain. */
export interface Writes<E> {
  readonly append: (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>) => Effect.Effect<void, E>
  readonly unwind: (expected: BlockRef, to: BlockRef) => Effect.Effect<void, E>
}

/** History of a written chain. */
export interface World {
  /** Writes once: appends blocks, or removes the last ones. */
  readonly step: <E>(store: Writes<E>) => Effect.Effect<void, E>
  readonly head: () => BlockRef
  /** A child of an existing block; it belongs to the chain only if the chain continues from it. */
  readonly blockOn: (parent: BlockRef) => BlockRows
  /** Bodies of the rows of the tested wallet up to a block, newest first: `maxRows` and the rest of their block, or all. */
  readonly listOf: (hash: string) => ReadonlyArray<string>
  /** Blocks up to a hash, highest first: a number of them, or all. */
  readonly blocksTo: (hash: string, count: number) => ReadonlyArray<BlockRows>
  /** True if the block was removed, or its removal has started. */
  readonly isRemoved: (hash: string) => boolean
  /** True if a block with this hash was created. */
  readonly isKnown: (hash: string) => boolean
  /** Continues from the head of a database after a write with an unknown outcome, or a failover. Returns the number of lost blocks. */
  readonly resume: (store: Pick<ChainReader, "snapshot">) => Effect.Effect<number, StoreError>
  readonly counts: { appends: number; reorgs: number }
}

/** Creates an empty chain. */
export const make = (seed: number): World => {
  const numbers = seeded(seed)
  const parents = new Map<string, BlockRows | undefined>()
  const blocks = new Map<string, BlockRows>()
  const removed = new Set<string>()
  const counts = { appends: 0, reorgs: 0 }
  let chain: ReadonlyArray<BlockRows> = []
  let fork = 0

  const ownOf = ({ transactions }: BlockRows) =>
    transactions
      .filter(({ addresses }) => addresses.includes(wallets[0]!))
      .map(({ body }) => body)
      .toReversed()

  const listOf = (hash: string): ReadonlyArray<string> => {
    const list: Array<string> = []
    for (let block = blocks.get(hash); block !== undefined && list.length < maxRows; block = parents.get(block.hash)) {
      list.push(...ownOf(block))
    }
    return list
  }

  const blocksTo = (hash: string, count: number): ReadonlyArray<BlockRows> => {
    const collectedBlocks: Array<BlockRows> = []
    for (
      let block = blocks.get(hash);
      block !== undefined && collectedBlocks.length < count;
      block = parents.get(block.hash)
    ) {
      collectedBlocks.push(block)
    }
    return collectedBlocks
  }

  const createBlock = (parent: BlockRows | undefined) => {
    const transactions = Array.from({ length: transactionsOfBlock }, () => [
      ...new Set([wallets[0]!, numbers.pick(wallets)]),
    ])
    const block = blockOn(parent ?? null, { fork: `f${fork}`, transactions })
    parents.set(block.hash, parent)
    blocks.set(block.hash, block)
    return block
  }

  const append = <E>(store: Writes<E>) => {
    const last = chain.at(-1)
    const added: Array<BlockRows> = []
    for (let count = 1 + numbers.below(3); count > 0; count--) added.push(createBlock(added.at(-1) ?? last))
    chain = [...chain, ...added]
    counts.appends++
    return store.append(last === undefined ? null : refOf(last), added)
  }

  const reorg = <E>(store: Writes<E>) => {
    const head = chain.at(-1)!
    const kept = chain.slice(0, -1 - numbers.below(4))
    for (const { hash } of chain.slice(kept.length)) removed.add(hash)
    chain = kept
    fork++
    counts.reorgs++
    return store.unwind(refOf(head), refOf(kept.at(-1)!))
  }

  const resume = Effect.fnUntraced(function* (store: Pick<ChainReader, "snapshot">) {
    const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
    const collectedBlocks: Array<BlockRows> = []
    const head = checkpoint?.head.hash ?? ""
    for (let block = blocks.get(head); block !== undefined; block = parents.get(block.hash))
      collectedBlocks.unshift(block)
    const kept = new Set(collectedBlocks.map(({ hash }) => hash))
    const lost = chain.filter(({ hash }) => !kept.has(hash))
    for (const { hash } of lost) removed.add(hash)
    // A reorg that was rolled back removed nothing.
    for (const hash of kept) removed.delete(hash)
    chain = collectedBlocks
    fork++
    return lost.length
  })

  return {
    resume,
    step: (store) =>
      Effect.suspend(() => (chain.length > minBlocks && numbers.below(4) === 0 ? reorg(store) : append(store))),
    head: () => refOf(chain.at(-1)!),
    blockOn: ({ hash }) => {
      fork++
      return createBlock(blocks.get(hash))
    },
    listOf,
    blocksTo,
    isKnown: (hash) => blocks.has(hash),
    isRemoved: (hash) => removed.has(hash),
    counts,
  }
}
