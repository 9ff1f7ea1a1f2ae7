/**
 * Sends random requests to the compatibility APIs of a service, and verifies that each response has the format of its API and that no
 * output contains a key.
 */
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Node from "../server/node.ts"
import { chainOf, type Ledger } from "../server/rest/ledgers.ts"
import { start } from "../server/service.ts"
import * as EtherscanRequests from "./etherscanRequests.ts"
import * as OtterscanCalls from "./otterscanCalls.ts"

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ kind: "fee", amount: -7n, counterparty: null }, { amount: -5n }] },
}

Campaign.main({
  name: "fuzz",
  about:
    "Sends requests with arbitrary parameters to Etherscan's API, and calls with arbitrary parameters to Otterscan's methods. Fails if a response is not in the format of its API, is an internal error or contains a key, or if a key is logged.",
  seeds: 1,
  options: { requests: [50_000, "requests per API"] },
  plan: Effect.fnUntraced(function* ({ requests }, _, seeds) {
    const node = yield* Node.start(() => Node.result("null"))
    const started = yield* start({
      chains: { eth: { ...chainOf(ledgers, 3), config: { rpc: [node.url] } } },
      config: { log: { access: true } },
    })
    const key = yield* started.addKey({ name: "named", operator: true })
    const report = ({ fail }: Campaign.Output, failures: ReadonlyArray<string>) => {
      for (const text of failures.slice(0, 10)) fail(text)
    }
    return {
      columns: ["dialect", "requests", "results", "wrong"],
      cases: seeds.flatMap((seed): ReadonlyArray<Campaign.Case> => [
        {
          name: `etherscan ${seed}`,
          run: Effect.fnUntraced(function* (output) {
            const failures = yield* EtherscanRequests.send(started, key, requests, seed)
            report(output, failures)
            return [requests, "", failures.length]
          }),
        },
        {
          name: `otterscan ${seed}`,
          run: Effect.fnUntraced(function* (output) {
            const { failures, results } = yield* OtterscanCalls.send(started, key, requests, seed)
            report(output, failures)
            return [requests, results, failures.length]
          }),
        },
      ]),
    }
  }),
})
