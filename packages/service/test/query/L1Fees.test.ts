import * as Chain from "@daybook/schema/Chain"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as L1Fees from "../../src/query/L1Fees.ts"
import type { Document } from "../../src/query/TransactionParts.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

/** Facts of blocks by number. */
const facts: Readonly<Record<number, object>> = {
  1: {
    transactions: [
      { index: 0, type: 126, l1Fee: "9" },
      { index: 1, type: 2, l1Fee: "7" },
      { index: 2, type: 2 },
    ],
  },
  2: { transactions: [{ index: 1, type: 0, l1Fee: "8" }] },
}

const blocks = [1, 2, 3].map((number) => {
  const own = facts[number]
  return { ...Rows.block(number, []), facts: own && JSON.stringify(own) }
})

const opened = Effect.map(openedChain({ blocks, projections: [] }), ({ chain }) => chain)

// Sound: fees are read only from these parts.
const documentOf = (block: number, index: number, hash = Rows.blockHash(block)) =>
  ({ row: { block, index }, transaction: { block_hash: hash } }) as unknown as Document

describe("L1Fees", () => {
  it("areTaken: is true for rollups whose transactions pay a separate fee", () => {
    const taken = Chain.all.filter((known) => L1Fees.areTaken({ known })).map(({ name }) => name)

    expect(taken).toContain("optimism")
    expect(["eth", "arbitrum", "polygon"].filter((name) => taken.some((one) => one === name))).toEqual([])
    expect(L1Fees.areTaken({ known: undefined })).toBe(false)
  })

  it.live("read: returns the fee of each transaction, 0 for a deposit, and null if unknown", () =>
    Effect.gen(function* () {
      const documents = [
        [1, 0],
        [1, 1],
        [1, 2],
        [2, 1],
        [3, 0],
      ].map(([block, index]) => documentOf(block!, index!))
      const chain = yield* opened
      const feeOf = yield* L1Fees.read(chain, documents)

      expect(documents.map(feeOf)).toEqual(["0", "7", undefined, "8", undefined])
      expect((yield* L1Fees.read(chain, []))(documents[1]!)).toBeUndefined()
    }).pipe(Effect.scoped),
  )

  it.live.each([documentOf(1, 1, Rows.blockHash(2)), documentOf(4, 0)])(
    "read: is retryable if a block was replaced in the meantime: case %#",
    (document) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(L1Fees.read(yield* opened, [documentOf(2, 1), document]))

        expect(error).toMatchObject({ isRetryable: true, message: "A block was replaced while it was read." })
      }).pipe(Effect.scoped),
  )
})
