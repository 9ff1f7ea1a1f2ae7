/** Current chain of a node, scanned block by block and cached by block hash. It shares no code with the service. */
import { Effect } from "effect"
import { type Anvil, Head } from "@daybook/chain"
import * as oracle from "../indexer/oracle.ts"

export interface ScannedChain {
  readonly headers: ReadonlyArray<Head.Block>
  readonly transactions: ReadonlyArray<oracle.ChainTransaction>
}

/** Makes a reader of the node's chain. */
export const make = (node: Anvil.Node) => {
  const byHash = new Map<string, ReadonlyArray<oracle.ChainTransaction>>()
  return Effect.fnUntraced(function* () {
    const head = yield* Head.current(node)
    const headers = yield* Head.range(node, 0, head.number)
    const transactions: Array<oracle.ChainTransaction> = []
    for (const { hash, number } of headers) {
      const expected = byHash.get(hash) ?? (yield* oracle.scanBlock(node, number))
      byHash.set(hash, expected)
      transactions.push(...expected)
    }
    return { headers, transactions } satisfies ScannedChain
  })
}
