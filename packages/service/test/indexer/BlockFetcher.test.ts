/** Portions of blocks out of what a node gives together, with each block asked for alone where that is not enough. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as BlockFetcher from "../../src/indexer/BlockFetcher.ts"
import type { BatchFetcher, Parts } from "../../src/node/BatchFetcher.ts"
import type { Node } from "../../src/node/Node.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"
import { decoder } from "./chain.ts"
import * as fixture from "./fixture.ts"

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`
const hex = (number: number) => `0x${number.toString(16)}`

const place = (number: number) => ({ blockHash: hashOf(number), blockNumber: hex(number) })

const blockAt = (number: number): HydratedBlock =>
  fixture.block({
    number: hex(number),
    hash: hashOf(number),
    transactions: [{ ...fixture.transferWire, ...place(number) }],
  })

const partsAt = (number: number): Parts => ({
  receipts: fixture.receipts([
    { ...fixture.transferReceiptWire, ...place(number), logs: [fixture.logWire(0, 0, place(number))] },
  ]),
  traces: null,
})

const failed = new NodeFailed({ message: "The node is gone.", isMisconfigured: false, cause: undefined as never })

/** A node that has each block but one, and what it was asked for block by block. */
const nodeOf = (gone?: number) => {
  const alone: Array<number> = []
  // Sound: nothing else of a node is asked.
  const node = {
    block: (number: number) =>
      Effect.suspend(() => {
        alone.push(number)
        return number === gone ? Effect.fail(failed) : Effect.succeed(blockAt(number))
      }),
    receipts: ({ number }: { readonly number: number }) => Effect.succeed(partsAt(number).receipts),
    traces: () => Effect.succeed(null),
  } as unknown as Node
  return { node, alone }
}

const bulkOf = (more: Partial<BatchFetcher> = {}): BatchFetcher => ({
  size: 3,
  blocks: (numbers) => Effect.succeed(numbers.map(blockAt)),
  parts: (refs) => Effect.succeed(refs.map(({ number }) => partsAt(number))),
  ...more,
})

const options = { decoder, checks: "links" as const }
const numbersOf = ({ rows }: BlockFetcher.FetchedRange) =>
  rows.map(({ number, transactions }) => [number, transactions.length])

describe("Fetch", () => {
  describe("portion", () => {
    it.effect("makes the rows of blocks that came together", () =>
      Effect.gen(function* () {
        const { alone, node } = nodeOf()
        const made = yield* BlockFetcher.range(node, bulkOf(), [5, 6, 7], options)

        expect(made.failure).toBe(null)
        expect(numbersOf(made)).toEqual([
          [5, 1],
          [6, 1],
          [7, 1],
        ])
        expect(alone).toEqual([])
      }),
    )

    it.effect("asks alone for a block that did not come, is another one, lacks parts, or does not fit", () =>
      Effect.gen(function* () {
        const { alone, node } = nodeOf()
        const bulk = bulkOf({
          blocks: () => Effect.succeed([null, blockAt(60), blockAt(7), blockAt(8), blockAt(9)]),
          parts: (refs) =>
            Effect.succeed(refs.map(({ number }) => (number === 7 ? null : partsAt(number === 8 ? 80 : number)))),
        })
        const made = yield* BlockFetcher.range(node, bulk, [5, 6, 7, 8, 9], options)

        expect(numbersOf(made).map(([number]) => number)).toEqual([5, 6, 7, 8, 9])
        expect(alone).toEqual([5, 6, 7, 8])
      }),
    )

    it.effect("ends before a block that does not come alone either, and says why", () =>
      Effect.gen(function* () {
        const { node } = nodeOf(6)
        const bulk = bulkOf({ blocks: () => Effect.succeed([blockAt(5), null, blockAt(7)]) })
        const made = yield* BlockFetcher.range(node, bulk, [5, 6, 7], options)

        expect(numbersOf(made)).toEqual([[5, 1]])
        expect(made.failure).toBe(failed)
      }),
    )

    it.effect("asks for parts of watched wallets' blocks alone", () =>
      Effect.gen(function* () {
        const { alone, node } = nodeOf()
        const asked: Array<number> = []
        const other = fixture.block({
          number: hex(6),
          hash: hashOf(6),
          transactions: [
            { ...fixture.transferWire, ...place(6), from: fixture.address("9"), to: fixture.address("8") },
          ],
        })
        const bulk = bulkOf({
          blocks: () => Effect.succeed([blockAt(5), other]),
          parts: (refs) => {
            asked.push(...refs.map(({ number }) => number))
            return Effect.succeed(refs.map(({ number }) => partsAt(number)))
          },
        })
        const watch = new Set([fixture.sender])
        const made = yield* BlockFetcher.range(node, bulk, [5, 6], { ...options, watch })

        expect(asked).toEqual([5])
        expect(numbersOf(made)).toEqual([
          [5, 1],
          [6, 0],
        ])
        expect(alone).toEqual([])
      }),
    )
  })
})
