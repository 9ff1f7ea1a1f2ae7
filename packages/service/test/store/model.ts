/**
 * Model of a store: lists in memory that are searched linearly, without code of an engine. Also generates the rows and seeded numbers of
 * contract tests.
 */
import { Schema } from "effect"
import {
  type BlockGap,
  type BlockRef,
  type BlockRows,
  type Checkpoint,
  type Gap,
  gapKinds,
} from "../../src/block/BlockRows.ts"
import * as SeededRandom from "./SeededRandom.ts"
import type { PageQuery, PageRow, StoredForm } from "../../src/store/ChainReader.ts"
import * as Frame from "../../src/store/rows/Frame.ts"

/** Seeds of laws. */
export const seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/** A seeded generator of numbers. */
export const seeded = SeededRandom.make

export type Seeded = SeededRandom.SeededRandom

export const address = (n: number) => `0x${n.toString(16).padStart(40, "a")}`
export const wallets = [address(1), address(2), address(3), address(4)]
const hash = (text: string) => `0x${Buffer.from(text.padEnd(32, ".")).toString("hex")}`

/** A child of a block; `fork` distinguishes blocks of the same number. */
export const blockOn = (
  parent: BlockRef | null,
  options: {
    readonly number?: number
    readonly fork?: string
    readonly timestamp?: number
    readonly revision?: number
    readonly transactions?: ReadonlyArray<ReadonlyArray<string>>
    readonly gaps?: ReadonlyArray<BlockGap> | undefined
    readonly facts?: string | undefined
  } = {},
): BlockRows => {
  const number = parent === null ? (options.number ?? 10) : parent.number + 1
  const fork = options.fork ?? "a"
  return {
    number,
    hash: hash(`block ${number} ${fork}`),
    parentHash: parent?.hash ?? hash(`before ${fork}`),
    timestamp: options.timestamp ?? number * 10,
    decoderRevision: options.revision ?? 1,
    transactions: (options.transactions ?? [[wallets[0]!]]).map((addresses, index) => ({
      index,
      hash: hash(`tx ${number} ${index} ${fork}`),
      body: JSON.stringify({ number, index, fork, text: "Zürich 東京" }),
      internal: index % 2 === 0 ? null : JSON.stringify([{ number, fork }]),
      addresses,
    })),
    gaps: options.gaps,
    facts: options.facts,
  }
}

/** Gaps of a model, lowest block first. */
export const gapsOf = ({ blocks }: Model): ReadonlyArray<Gap> =>
  blocks.flatMap(({ gaps = [], number: block }) => gaps.map((gap) => ({ block, ...gap })))

/** A chain of blocks on a parent, lowest first. */
export const chainOn = (parent: BlockRef | null, length: number, fork = "a"): ReadonlyArray<BlockRows> => {
  const blocks: Array<BlockRows> = []
  for (let index = 0; index < length; index++) blocks.push(blockOn(blocks.at(-1) ?? parent, { fork }))
  return blocks
}

const generateGaps = (step: string, numbers: Seeded): ReadonlyArray<BlockGap> =>
  Array.from({ length: 1 + numbers.below(2) }, (_, index) => ({
    kind: numbers.pick(gapKinds),
    reason: step,
    transaction: index === 0 ? undefined : hash(`tx ${step} ${index}`),
  }))

const generateRows = (step: string, numbers: Seeded) => ({
  revision: 1 + numbers.below(3),
  transactions: Array.from({ length: numbers.below(4) }, () => wallets.filter(() => numbers.below(2) === 0)),
  gaps: numbers.below(3) === 0 ? generateGaps(step, numbers) : undefined,
  facts: numbers.below(3) === 0 ? undefined : JSON.stringify({ of: step }),
})

/** Up to three blocks with generated transactions; some share a timestamp, some are empty. */
export const generateOn = (head: BlockRows | undefined, step: number, numbers: Seeded): ReadonlyArray<BlockRows> => {
  const blocks: Array<BlockRows> = []
  const length = 1 + numbers.below(3)
  for (let index = 0; index < length; index++) {
    const parent = blocks.at(-1) ?? head
    blocks.push(
      blockOn(parent ?? null, {
        number: 5 + numbers.below(5),
        fork: `step ${step}`,
        timestamp: (parent?.timestamp ?? 100) + numbers.below(3),
        ...generateRows(`step ${step} ${index}`, numbers),
      }),
    )
  }
  return blocks
}

/** Up to three blocks below the first block of a chain; none below block 0. */
export const generateBelow = (first: BlockRows, step: number, numbers: Seeded): ReadonlyArray<BlockRows> => {
  const blocks = [first]
  for (let length = 1 + numbers.below(3); length > 0 && blocks[0]!.number > 0; length--) {
    const [above] = blocks as [BlockRows]
    const text = `below ${step} ${length}`
    const timestamp = above.timestamp - numbers.below(3)
    const block = blockOn(null, { number: above.number - 1, fork: text, timestamp, ...generateRows(text, numbers) })
    blocks.unshift({ ...block, hash: above.parentHash })
  }
  return blocks.slice(0, -1)
}

/** The model of a store. */
export interface Model {
  blocks: ReadonlyArray<BlockRows>
  finalized: number | null
  /** All unwinds, oldest first: the lowest removed block, and all removed blocks. */
  readonly unwinds: Array<{ readonly lowest: number; readonly removed: ReadonlyArray<BlockRef> }>
}

export const empty = (): Model => ({ blocks: [], finalized: null, unwinds: [] })

export const refOf = (block: BlockRef): BlockRef => ({ number: block.number, hash: block.hash })

export const headOf = (model: Model): BlockRef | null => {
  const head = model.blocks.at(-1)
  return head === undefined ? null : refOf(head)
}

export const checkpointOf = (model: Model): Checkpoint | null => {
  const head = model.blocks.at(-1)
  if (head === undefined) return null
  return {
    first: model.blocks[0]!.number,
    head: refOf(head),
    headTimestamp: head.timestamp,
    finalized: model.finalized,
  }
}

export const append = (model: Model, blocks: ReadonlyArray<BlockRows>): void => {
  model.blocks = [...model.blocks, ...blocks]
}

export const prepend = (model: Model, blocks: ReadonlyArray<BlockRows>): void => {
  model.blocks = [...blocks, ...model.blocks]
}

export const unwind = (model: Model, to: BlockRef | null): void => {
  const removed = model.blocks.filter((block) => to === null || block.number > to.number)
  if (removed.length > 0) model.unwinds.push({ lowest: removed[0]!.number, removed: removed.map(refOf) })
  model.blocks = model.blocks.filter((block) => !removed.includes(block))
  if (removed.length === 0 || model.finalized === null) return
  if (to === null) model.finalized = null
  else if (model.finalized > to.number) model.finalized = to.number
}

export const lowestReorgedBlock = (model: Model, ref: BlockRef): number | null => {
  const first = model.unwinds.findIndex(({ removed }) => removed.some((block) => block.hash === ref.hash))
  return first === -1 ? null : Math.min(...model.unwinds.slice(first).map(({ lowest }) => lowest))
}

/** Rows of a wallet's transactions, in chain order. */
export const rowsOf = (model: Model, address: string): ReadonlyArray<PageRow> =>
  model.blocks.flatMap((block) =>
    block.transactions
      .filter((transaction) => transaction.addresses.includes(address))
      .map(({ body, index, internal }) => ({
        block: block.number,
        index,
        body,
        internal,
        revision: block.decoderRevision,
      })),
  )

/** Matches each stored form of a row's texts. */
const formOf = ({ body, internal }: PageRow): StoredForm => {
  const internalSize = internal === null ? null : Buffer.byteLength(internal)
  const asymmetricMatch = ({ form, frame, size }: StoredForm): boolean =>
    Frame.unpack({ form: Frame.fromNumber(form), frame, size, internalSize }, false).body === body
  // Sound: rows of a model are only compared.
  return { asymmetricMatch } as unknown as StoredForm
}

export const page = (model: Model, query: PageQuery): ReadonlyArray<PageRow> => {
  const { after } = query
  const sign = query.order === "ASC" ? 1 : -1
  return rowsOf(model, query.key)
    .filter((row) => row.block >= query.from && row.block <= query.to)
    .toSorted((a, b) => sign * (a.block - b.block || a.index - b.index))
    .filter((row) => after === null || sign * (row.block - after.block || row.index - after.index) > 0)
    .slice(0, query.limit)
    .map((row) => ({ ...row, stored: formOf(row) }))
}
