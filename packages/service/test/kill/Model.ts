/** What the node's chain holds now, scanned block by block with no code of the service; blocks are remembered by their hash. */
import { Effect } from "effect"
import { type Anvil, Head } from "@daybook/chain"
import * as oracle from "../indexer/oracle.ts"

/** The chain as it is now. */
export interface Truth {
  readonly headers: ReadonlyArray<Head.Block>
  readonly transactions: ReadonlyArray<oracle.Told>
}

/** Makes a reader of the node's chain. */
export const make = (node: Anvil.Node) => {
  const byHash = new Map<string, ReadonlyArray<oracle.Told>>()
  return Effect.fnUntraced(function* () {
    const head = yield* Head.current(node)
    const headers = yield* Head.range(node, 0, head.number)
    const transactions: Array<oracle.Told> = []
    for (const { hash, number } of headers) {
      const told = byHash.get(hash) ?? (yield* oracle.scanBlock(node, number))
      byHash.set(hash, told)
      transactions.push(...told)
    }
    return { headers, transactions } satisfies Truth
  })
}
