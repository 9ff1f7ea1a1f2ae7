/** Waits until the service has indexed the node's current head. */
import { type Anvil, Head } from "@daybook/chain"
import type { RestClient } from "@daybook/rest"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"

export const untilIndexed = Effect.fnUntraced(function* (rest: RestClient.Client, node: Anvil.Node) {
  const head = yield* Head.current(node)
  const at = BigInt(head.number)
  const query = { address: node.accounts[0] ?? "", from_block: at, to_block: at }
  const isIndexed = rest
    .walletTransactionsWithResponse(query)
    .pipe(
      Effect.map(
        ({ indexCoverage, page }) =>
          indexCoverage.indexedTo === at && page.result.every((row) => row.block_hash === head.hash),
      ),
    )
  yield* Eventually.untilEffect(isIndexed, { everyMillis: 50, what: `block ${at} is indexed` })
  return head
})
