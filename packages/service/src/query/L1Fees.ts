/**
 * L1 fees paid by transactions of a rollup, from the facts of their blocks.
 *
 * Source: OP Stack specification, L1 cost fees; decision 0044.
 */
import * as FeeRules from "@daybook/schema/FeeRules"
import * as Json from "@daybook/schema/Json"
import * as Effect from "effect/Effect"
import type { ServedChain } from "../config/ServedChain.ts"
import { StoreError } from "../store/StoreError.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import type { Document } from "./TransactionParts.ts"

/** Fee of a transaction, in wei as decimal text; undefined if unknown. */
export type FeeOf = (document: Document) => string | undefined

/** Type of a deposit of the OP Stack, which pays nothing. */
const deposit = 126

/** Stored facts, as far as they are read. */
interface StoredFacts {
  readonly transactions: ReadonlyArray<{ readonly index: number; readonly type: number; readonly l1Fee?: string }>
}

/** True for a chain whose transactions pay a separate L1 fee. */
export const areTaken = ({ known }: Pick<ServedChain, "known">): boolean =>
  known !== undefined && FeeRules.all[known.feeRules].some(({ l1Fee }) => typeof l1Fee === "object")

const replaced = () =>
  new StoreError({ message: "A block was replaced while it was read.", isRetryable: true, cause: undefined })

/**
 * Reads the fees of transactions.
 *
 * **Errors**
 * - `StoreError`: the database cannot be read, or a block of the transactions was replaced meanwhile.
 */
export const read = (
  chain: Pick<IndexedChain, "reader">,
  documents: ReadonlyArray<Document>,
): Effect.Effect<FeeOf, StoreError> =>
  chain.reader.snapshot(
    Effect.fnUntraced(function* (snapshot): Effect.fn.Return<FeeOf, StoreError> {
      const hashes = new Map(documents.map(({ row, transaction }) => [row.block, transaction.block_hash]))
      const fees = new Map<string, string>()
      for (const [number, hash] of hashes) {
        if ((yield* snapshot.block(number))?.hash !== hash) return yield* replaced()
        const text = yield* snapshot.blockFacts(number)
        // Sound: the service wrote the text.
        const { transactions } = text === null ? { transactions: [] } : (Json.parse(text) as StoredFacts)
        for (const { index, l1Fee, type } of transactions) {
          const fee = type === deposit ? "0" : l1Fee
          if (fee !== undefined) fees.set(`${number} ${index}`, fee)
        }
      }
      return ({ row: { block, index } }) => fees.get(`${block} ${index}`)
    }),
  )
